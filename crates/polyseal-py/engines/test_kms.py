"""Keys that live elsewhere, under Dask and pyarrow. A script stands for the keyring."""

from __future__ import annotations

import os
import pickle
import shutil
import subprocess
import sys
from pathlib import Path

import cloudpickle
import polyseal
import polyseal.dask
import polyseal.jobs
import polyseal.kms
import pyarrow
import pyarrow.parquet
import pytest
from distributed import Client, LocalCluster
from pyarrow.parquet import encryption

sys.path.append(str(Path(__file__).parents[1] / "tests"))
from fake_keyring import Asked, keyring  # noqa: E402

URI = "secret-service:service=tests"
FOOTER = "secret-service:service=footer"


@pytest.fixture
def asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Asked:
    """A keyring, and how often it was asked for what."""
    found = keyring(tmp_path / "bin")
    monkeypatch.setenv("PATH", f"{tmp_path}/bin:{os.environ['PATH']}")
    monkeypatch.chdir(tmp_path)
    polyseal.kms.forget()
    return found


def test_each_worker_of_dask_asks_once(asked: Asked, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("team.wrapped").write_text(polyseal.kms.generate(URI))
    Path("in").mkdir()
    for i in range(200):
        Path(f"in/{i}").write_bytes(b"attack at dawn")
    reference = f"wrapped:{tmp_path}/team.wrapped"
    monkeypatch.setenv("POLYSEAL_TASK_KEYS", reference)
    plan = polyseal.jobs.plan(
        "encrypt", f"file://{tmp_path}/in", f"file://{tmp_path}/out", key=reference, objects_per_task=10
    )
    key = polyseal.KeyRef(reference).resolve()
    digits = key.to_key_file().strip().splitlines()[-1].removeprefix("polyseal-key-1-")
    for carried in (pickle.dumps(plan.tasks), cloudpickle.dumps(polyseal.jobs.run), cloudpickle.dumps(plan.tasks)):
        assert key.reveal() not in carried and digits.encode() not in carried
    before = asked("lookup")
    with (
        LocalCluster(n_workers=2, threads_per_worker=2, dashboard_address=None) as cluster,
        Client(cluster) as client,
    ):
        outcomes = polyseal.dask.run(client, plan)
    assert [each.status for each in outcomes] == ["done"] * 200
    assert asked("lookup") == before + 2
    polyseal.verify_file("out/7", key=reference)


def test_parquet_is_encrypted(asked: Asked) -> None:
    table = pyarrow.table({"name": ["attack at dawn"] * 100, "n": list(range(100))})
    factory = polyseal.kms.parquet_kms({"footer": FOOTER, "pii": URI})
    connection = encryption.KmsConnectionConfig()
    configuration = encryption.EncryptionConfiguration(footer_key="footer", column_keys={"pii": ["name"]})
    for name in ("a.parquet", "b.parquet"):
        properties = factory.file_encryption_properties(connection, configuration)
        with pyarrow.parquet.ParquetWriter(name, table.schema, encryption_properties=properties) as writer:
            writer.write_table(table)
        assert b"attack at dawn" not in Path(name).read_bytes()
    # Other processes, as it were.
    reader = polyseal.kms.parquet_kms({"footer": FOOTER, "pii": URI})
    for name in ("a.parquet", "b.parquet"):
        opened = reader.file_decryption_properties(connection)
        assert pyarrow.parquet.ParquetFile(name, decryption_properties=opened).read().equals(table)
    assert asked("store") == 2 and asked("lookup") == 2
    with pytest.raises(Exception, match="none of those"):
        one = polyseal.kms.parquet_kms({"footer": FOOTER})
        opened = one.file_decryption_properties(connection)
        pyarrow.parquet.ParquetFile("a.parquet", decryption_properties=opened).read()
    assert issubclass(polyseal.kms.ParquetKmsClient, encryption.KmsClient)


#: Makes a token's key pair, and opens what is encrypted to it, by its identity and by its URI.
TOKEN = """
import sys, polyseal, polyseal.kms
uri = "pkcs11:token=ops;object=restore"
pair = polyseal.kms.key_pair(uri)
assert polyseal.kms.key_pair(uri).recipient == pair.recipient
open("plain", "wb").write(b"attack at dawn")
polyseal.encrypt_file("plain", "one", recipients=pair.recipient)
polyseal.encrypt_file("plain", "two", identity=uri)
for sealed in ("one", "two"):
    for identity in (uri, pair.identity.encode()):
        polyseal.verify_file(sealed, identity=identity)
text = polyseal.kms.generate(uri, {"for": "tests"})
open("team.wrapped", "w").write(text)
assert polyseal.kms.check("team.wrapped").recipient == pair.recipient
polyseal.verify_file("one", identity=uri)
polyseal.encrypt_file("plain", "three", key="wrapped:team.wrapped")
try:
    polyseal.verify_file("one", identity="pkcs11:token=ops;object=other")
except polyseal.KeyUnavailable as error:
    print(error)
"""


@pytest.mark.skipif(shutil.which("softhsm2-util") is None and "CI" not in os.environ, reason="it takes SoftHSM")
def test_a_key_pair_in_a_token(tmp_path: Path) -> None:
    (tmp_path / "tokens").mkdir()
    (tmp_path / "softhsm.conf").write_text(f"directories.tokendir = {tmp_path}/tokens\n")
    [module, *_] = sorted(Path("/usr/lib").glob("**/libsofthsm2.so"))
    environment = {
        **os.environ,
        "SOFTHSM2_CONF": f"{tmp_path}/softhsm.conf",
        "PKCS11_MODULE": str(module),
        "PKCS11_PIN": "123456",
    }
    token = ["softhsm2-util", "--init-token", "--free", "--label", "ops", "--so-pin", "123456", "--pin", "123456"]
    subprocess.run(token, env=environment, check=True, capture_output=True)
    done = subprocess.run(
        [sys.executable, "-c", TOKEN], env=environment, cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert "object=other: the key cannot be had" in done.stdout
