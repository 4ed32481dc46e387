"""Keys that live elsewhere: in a keyring, for which a script stands, and in a token that is not there."""

from __future__ import annotations

import base64
import http.server
import json
import os
import pickle
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import ClassVar

import fsspec
import polyseal
import polyseal.jobs
import polyseal.kms
import pytest
from fake_keyring import Asked, keyring
from polyseal import KeyRef, KeyUnavailable, SecretKey

URI = "secret-service:service=tests"

#: A key pair of a token: its public key is the generator of P-256.
IDENTITY = (
    b"AGE-PLUGIN-POLYSEAL-KMS-1QD43050JUYKYY3LCHNNW2CAYGRE8WQMASYK7KVAQ7JSNJ3WCNRPFVURTVDENZVF6W3HKKETW84H"
    b"X7MN98DHKY6N9VD6R6MN0DEJS09TNA5"
)
RECIPIENT = "age1tag1qd43050juykyy3lchnnw2caygre8wqmasyk7kvaq7jsnj3wcnrpfvt5hxye"

#: A worker that has nothing from here but its environment.
WORKER = """
import pickle, sys
import polyseal.jobs
for task in pickle.load(sys.stdin.buffer):
    for each in task.run().outcomes:
        print(each.status, each.error)
"""

@pytest.fixture
def asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Asked:
    """A keyring, and how often it was asked for what."""
    found = keyring(tmp_path / "bin")
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.chdir(tmp_path)
    polyseal.kms.forget()
    return found


def digits(key: SecretKey) -> str:
    """The line of a key file."""
    return key.to_key_file().splitlines()[-1].removeprefix("polyseal-key-1-")


def test_a_process_asks_once(asked: Asked, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("team.wrapped").write_text(polyseal.kms.generate(URI, {"for": "tests"}))
    reference = pickle.loads(pickle.dumps(KeyRef(f"wrapped:{tmp_path}/team.wrapped")))
    Path("plain").write_bytes(b"attack at dawn")
    for i in range(3):
        polyseal.encrypt_file("plain", f"sealed{i}", key=reference)
        polyseal.verify_file(f"sealed{i}", key="file:team.wrapped")
    key = reference.resolve()
    monkeypatch.setenv("TEAM_KEY", Path("team.wrapped").read_text())
    assert KeyRef("env:TEAM_KEY").resolve() == key and asked("lookup") == 1
    assert digits(key) not in Path("team.wrapped").read_text()
    polyseal.kms.forget()
    assert reference.resolve() == key and asked("lookup") == 2


def test_a_store_has_the_file(asked: Asked) -> None:
    place = "memory://keys/team.wrapped"
    fsspec.filesystem("memory").pipe("/keys/team.wrapped", polyseal.kms.generate(URI).encode())
    key = KeyRef(f"wrapped:{place}").resolve()
    fsspec.filesystem("memory").rm("/keys/team.wrapped")
    assert KeyRef(f"wrapped:{place}").resolve() == key and asked("lookup") == 1
    polyseal.kms.forget()
    with pytest.raises(KeyUnavailable) as raised:
        KeyRef(f"wrapped:{place}").resolve()
    assert isinstance(raised.value.__cause__, FileNotFoundError)


def test_what_a_file_says(asked: Asked) -> None:
    text = polyseal.kms.generate(URI, {"for": "tests", "by": "a b"})
    said = polyseal.kms.WrappedKey(URI, {"by": "a b", "for": "tests"}, None, None)
    assert polyseal.kms.inspect(text.encode()) == said and asked("lookup") == 0
    Path("team.wrapped").write_text(text)
    assert polyseal.kms.check("team.wrapped") == polyseal.kms.check(Path("team.wrapped")) == said
    assert asked("lookup") == 2
    again = polyseal.kms.rewrap("team.wrapped")
    Path("again.wrapped").write_text(again)
    assert again != text
    assert KeyRef("wrapped:again.wrapped").resolve() == KeyRef("wrapped:team.wrapped").resolve()


def test_bad_days(asked: Asked, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = polyseal.kms.generate(URI)
    altered = text.replace("service=tests", "service=other")
    with pytest.raises(ValueError, match="check value"):
        polyseal.kms.check(altered.encode())
    with pytest.raises(ValueError, match="module-path"):
        polyseal.kms.inspect(text.replace(URI, URI + "?module-path=/x.so").encode())
    with pytest.raises(ValueError, match="not a wrapped key file"):
        polyseal.kms.inspect(SecretKey.generate().to_key_file().encode())
    for uri in ("nothing:at=all", "secret-service:", f"{URI};polyseal-wrap-id=1"):
        with pytest.raises(ValueError):
            polyseal.kms.generate(uri)
    with pytest.raises(ValueError, match="context"):
        polyseal.kms.generate(URI, {"": "empty"})

    Path("team.wrapped").write_text(text)
    [entry] = [each for each in (tmp_path / "bin").iterdir() if len(each.name) == 32]
    kept = entry.rename(tmp_path / "kept")
    reference = KeyRef("wrapped:team.wrapped")
    with pytest.raises(KeyUnavailable, match="no such key"):
        polyseal.kms.check("team.wrapped")
    with pytest.raises(KeyUnavailable, match="^wrapped:team.wrapped: the key cannot be had: "):
        reference.resolve()
    # A failure is not remembered: the keeper is asked again.
    kept.rename(entry)
    assert reference.resolve() == reference.resolve()
    monkeypatch.setenv("PATH", "/nowhere")
    assert len(reference.resolve()) == 32
    with pytest.raises(ValueError, match="libsecret-tools"):
        polyseal.kms.check("team.wrapped")
    Path("plain.key").write_text(SecretKey.generate().to_key_file())
    with pytest.raises(KeyUnavailable):
        KeyRef("wrapped:plain.key").resolve()
    Path("long.wrapped").write_text(text + "#" * (1 << 16))
    with pytest.raises(KeyUnavailable, match="65536"):
        KeyRef("wrapped:long.wrapped").resolve()


def test_tasks_hold_no_key(asked: Asked, tmp_path: Path) -> None:
    Path("team.wrapped").write_text(polyseal.kms.generate(URI))
    (tmp_path / "in").mkdir()
    for i in range(20):
        (tmp_path / f"in/{i}").write_bytes(b"attack at dawn")
    reference = f"wrapped:{tmp_path}/team.wrapped"
    plan = polyseal.jobs.plan(
        "encrypt", f"file://{tmp_path}/in", f"file://{tmp_path}/out", key=reference, objects_per_task=5
    )
    before = asked("lookup")
    carried = pickle.dumps(plan.tasks)
    key = KeyRef(reference).resolve()
    assert key.reveal() not in carried and digits(key).encode() not in carried
    environment = {**os.environ, "POLYSEAL_TASK_KEYS": f"wrapped:{tmp_path}/*.wrapped"}
    worker = [sys.executable, "-c", WORKER]
    done = subprocess.run(worker, input=carried, capture_output=True, env=environment, check=True)
    assert done.stdout.decode().splitlines() == ["done None"] * 20
    # Once here, at the latest, and once in the worker, which did four tasks.
    assert len(plan.tasks) == 4 and asked("lookup") == max(before, 1) + 1
    polyseal.verify_file(tmp_path / "out/7", key=reference)


def test_a_key_pair_is_found_in_this_process(asked: Asked, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PKCS11_MODULE", raising=False)
    Path("plain").write_bytes(b"attack at dawn")
    # Nobody is asked to encrypt, not even where the identity says to whom.
    polyseal.encrypt_file("plain", "one", recipients=RECIPIENT)
    polyseal.encrypt_file("plain", "two", identity=IDENTITY)
    Path("restore.identity").write_bytes(IDENTITY)
    for sealed in ("one", "two"):
        for identity in (IDENTITY, "restore.identity"):
            with pytest.raises(ValueError, match="PKCS11_MODULE"):
                polyseal.verify_file(sealed, identity=identity)
    with pytest.raises(KeyUnavailable, match="PKCS11_MODULE") as raised:
        polyseal.verify_file("one", identity="pkcs11:token=none;object=none")
    assert isinstance(raised.value.__cause__, ValueError)
    assert str(raised.value).count("token=none") == 1
    with pytest.raises(ValueError, match="PKCS11_MODULE"):
        polyseal.kms.key_pair("pkcs11:token=none;object=none")


@pytest.mark.parametrize("query", ["pin-value=1234", "module-path=/x.so"])
def test_a_reference_has_no_pin(query: str, tmp_path: Path) -> None:
    uri = f"pkcs11:token=none;object=none?{query}"
    calls: list[Callable[[], object]] = [
        lambda: polyseal.verify_file(tmp_path / "a", identity=uri),
        lambda: polyseal.jobs.plan("verify", f"file://{tmp_path}", identity=uri),
    ]
    for call in calls:
        with pytest.raises(ValueError, match="no module and no PIN") as raised:
            call()
        assert query not in str(raised.value)


def test_keys_of_parquet(asked: Asked) -> None:
    writer = polyseal.kms.ParquetKeys(keys={"pii": URI, "other": "secret-service:service=other"})
    wrapped = {bytes([n] * n): writer.wrap_key(bytes([n] * n), "pii") for n in (16, 24, 32)}
    assert asked("store") == 1
    for reader in (writer, polyseal.kms.ParquetKeys(keys={"pii": URI})):
        for key, text in wrapped.items():
            assert reader.unwrap_key(text, "pii") == reader.unwrap_key(text.encode(), "pii") == key
    assert asked("lookup") == 1
    text = wrapped[bytes([16] * 16)]
    assert "EBAQEBAQ" not in text and "101010" not in text
    # Keys from somebody else's file: a name that was not given, another key's, and an invalid one.
    for name in ("other", "secret-service:service=tests"):
        with pytest.raises(ValueError):
            writer.unwrap_key(text, name)
    renamed = polyseal.kms.ParquetKeys(keys={"pci": URI})
    with pytest.raises(polyseal.InvalidTag):
        renamed.unwrap_key(text, "pci")
    fields = json.loads(text)
    others: list[object] = [{}, {**fields, "polyseal-parquet-key": 2}, {**fields, "sealed": "?"}, {**fields, "key": 1}, []]
    for other in others:
        with pytest.raises(ValueError, match="not a key that"):
            writer.unwrap_key(json.dumps(other), "pii")
    with pytest.raises(ValueError, match="not a key that"):
        writer.unwrap_key("[" * 200_000, "pii")
    # Without names, they are URIs.
    plain = polyseal.kms.ParquetKeys()
    assert plain.unwrap_key(plain.wrap_key(b"k" * 16, URI), URI) == b"k" * 16


#: A thread waits for the keeper while the process is forked: the new process must not wait for that thread.
FORKING = """
import os, sys, threading, time, warnings
import polyseal.kms
from polyseal import KeyRef
warnings.simplefilter("ignore")
def resolve():
    return KeyRef("file:slow.wrapped").resolve()
thread = threading.Thread(target=resolve)
thread.start()
while not os.path.exists("bin/waiting"):
    time.sleep(0.01)
child = os.fork()
if child == 0:
    resolve()
    os._exit(7)
open("bin/go", "w").close()
thread.join()
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


def test_a_fork_during_a_call(asked: Asked) -> None:
    Path("slow.wrapped").write_text(polyseal.kms.generate(URI))
    tool = Path("bin/secret-tool")
    waits = "#!/bin/sh\n: > ${0%/*}/waiting\nwhile ! test -e ${0%/*}/go; do /bin/sleep 0.05; done\n"
    tool.write_text(waits + tool.read_text().removeprefix("#!/bin/sh\n"))
    run = subprocess.run([sys.executable, "-c", FORKING], capture_output=True, text=True, timeout=60, check=True)
    assert run.stdout == "7\n" and asked("lookup") == 2


class FakeAws(http.server.BaseHTTPRequestHandler):
    """A service that wraps every key as the same text."""

    calls: ClassVar[list[str]] = []

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["content-length"]))
        self.calls.append(self.headers["x-amz-target"])
        key = base64.b64encode(bytes(range(32))).decode()
        answer = json.dumps({"KeyId": "k", "CiphertextBlob": "AAAA", "Plaintext": key}).encode()
        self.send_response(200)
        self.send_header("content-length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_: object) -> None:
        pass


def test_a_service(monkeypatch: pytest.MonkeyPatch) -> None:
    """The package speaks to services."""
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), FakeAws) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        monkeypatch.setenv("AWS_ENDPOINT_URL_KMS", f"http://127.0.0.1:{server.server_port}")
        monkeypatch.setenv("AWS_REGION", "eu-west-2")
        monkeypatch.setenv("AWS_ACCESS_KEY_ID", "a")
        monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "very secret")
        monkeypatch.setenv("TEAM_KEY", polyseal.kms.generate("aws-kms://alias/team"))
        keys = [KeyRef("env:TEAM_KEY").resolve() for _ in range(3)]
        server.shutdown()
    assert {digits(key) for key in keys} == {bytes(range(32)).hex()}
    assert [call.rpartition(".")[2] for call in FakeAws.calls] == ["GenerateDataKey", "Decrypt"]
