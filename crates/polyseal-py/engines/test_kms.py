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


#: A public key of somebody else, put in the place of the pair's without a PIN. Nothing is encrypted to it.
REPLACED = """
import os, subprocess, sys, fsspec, polyseal, polyseal.jobs, polyseal.kms
uri = "pkcs11:token=ops;object=restore"
pair = polyseal.kms.key_pair(uri)
open("restore.identity", "w").write(pair.identity)
open("plain", "wb").write(b"attack at dawn")
os.makedirs("tree/below")
subprocess.run([sys.executable, sys.argv[1]], check=True)
here = os.getcwd()
fs = fsspec.filesystem("polyseal", target_protocol="file", identity=uri)
def job():
    plan = polyseal.jobs.plan("encrypt", f"file://{here}/plain", f"file://{here}/job", identity=uri)
    [outcome] = plan.run()
    raise Exception(outcome.error)
for write in (
    lambda: polyseal.encrypt_file("plain", "file", identity=uri),
    lambda: polyseal.open("opened", "wb", identity=uri),
    lambda: polyseal.encrypt_tree("tree", "sealed", identity=uri),
    lambda: polyseal.StreamSealer(identity=uri),
    lambda: polyseal.Sealer(1, b"version", identity=uri),
    lambda: fs.pipe(f"{here}/piped", b"attack at dawn"),
    job,
    lambda: polyseal.kms.generate(uri),
    lambda: polyseal.kms.key_pair(uri),
):
    try:
        write()
    except Exception as error:
        print("does not belong to the private one" in str(error) or "wants a PIN" in str(error))
print(sorted(set(os.listdir()) & {"file", "opened", "sealed", "piped", "job"}))
polyseal.encrypt_file("plain", "file", identity=pair.identity.encode())
polyseal.verify_file("file", identity="restore.identity") if "PKCS11_PIN" in os.environ else None
"""

#: The attacker: a session without login.
ATTACKER = """
import ctypes, os
from ctypes import c_ulong, byref
module = ctypes.CDLL(os.environ["PKCS11_MODULE"])
class Attribute(ctypes.Structure):
    _fields_ = [("type", c_ulong), ("value", ctypes.c_void_p), ("length", c_ulong)]
def attributes(*pairs):
    kept = [(kind, ctypes.create_string_buffer(value, len(value))) for kind, value in pairs]
    made = (Attribute * len(kept))(*[Attribute(k, ctypes.cast(b, ctypes.c_void_p), len(b)) for k, b in kept])
    made.kept = kept
    return made
def good(result):
    assert result == 0, hex(result)
number = lambda value: value.to_bytes(8, "little")
CLASS, TOKEN, PRIVATE, LABEL, KEY_TYPE, PARAMS, POINT = 0, 1, 2, 3, 0x100, 0x180, 0x181
G = "6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c2964fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5"
good(module.C_Initialize(None))
count, slots, session, object, found = c_ulong(16), (c_ulong * 16)(), c_ulong(), c_ulong(), c_ulong()
good(module.C_GetSlotList(1, slots, byref(count)))
good(module.C_OpenSession(c_ulong(slots[0]), c_ulong(6), None, None, byref(session)))
good(module.C_FindObjectsInit(session, attributes((CLASS, number(2)), (LABEL, b"restore")), c_ulong(2)))
good(module.C_FindObjects(session, byref(object), c_ulong(1), byref(found)))
good(module.C_FindObjectsFinal(session))
good(module.C_DestroyObject(session, object))
other = attributes(
    (CLASS, number(2)), (KEY_TYPE, number(3)), (TOKEN, b"\\1"), (PRIVATE, b"\\0"), (LABEL, b"restore"),
    (PARAMS, bytes.fromhex("06082a8648ce3d030107")), (POINT, bytes.fromhex("044104" + G)),
)
good(module.C_CreateObject(session, other, c_ulong(7), byref(object)))
"""

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


needs_softhsm = pytest.mark.skipif(
    shutil.which("softhsm2-util") is None and "CI" not in os.environ, reason="it takes SoftHSM"
)


@pytest.fixture
def token(tmp_path: Path) -> dict[str, str]:
    """The environment of a token ``ops``."""
    (tmp_path / "tokens").mkdir()
    (tmp_path / "softhsm.conf").write_text(f"directories.tokendir = {tmp_path}/tokens\n")
    [module, *_] = sorted(Path("/usr/lib").glob("**/libsofthsm2.so"))
    environment = {
        **os.environ,
        "SOFTHSM2_CONF": f"{tmp_path}/softhsm.conf",
        "PKCS11_MODULE": str(module),
        "PKCS11_PIN": "123456",
    }
    made = ["softhsm2-util", "--init-token", "--free", "--label", "ops", "--so-pin", "123456", "--pin", "123456"]
    subprocess.run(made, env=environment, check=True, capture_output=True)
    return environment


def ran(program: list[str], environment: dict[str, str], place: Path) -> str:
    """The output of a program that ends well."""
    done = subprocess.run([sys.executable, *program], env=environment, cwd=place, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


@needs_softhsm
def test_a_key_pair_in_a_token(token: dict[str, str], tmp_path: Path) -> None:
    assert "object=other: the key cannot be had" in ran(["-c", TOKEN], token, tmp_path)


@needs_softhsm
@pytest.mark.parametrize("forgets", [False, True], ids=["with the PIN", "without it"])
def test_a_replaced_public_key(token: dict[str, str], tmp_path: Path, forgets: bool) -> None:
    (tmp_path / "attacker.py").write_text(ATTACKER)
    program = REPLACED.replace('os.makedirs(', 'del os.environ["PKCS11_PIN"]\nos.makedirs(') if forgets else REPLACED
    assert ran(["-c", program, "attacker.py"], token, tmp_path).split("\n") == ["True"] * 9 + ["[]", ""]
