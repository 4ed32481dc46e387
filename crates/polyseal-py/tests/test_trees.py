"""Whole trees: as the tool makes them, and nothing outside of them is touched."""

from __future__ import annotations

import errno
import json
import os
import pickle
import shutil
import signal
import subprocess
import sys
import textwrap
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polyseal
import pytest
from conftest import VECTORS
from polyseal import SecretKey, TreeError, TreeMismatch, _directory
from polyseal._directory import Directory

MANIFEST = ".polyseal-manifest.polyseal"


@pytest.fixture
def key_file(tmp_path: Path, key: SecretKey) -> Path:
    """The file of the key."""
    path = tmp_path / "k"
    path.write_text(key.to_key_file())
    path.chmod(0o600)
    return path


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """Files, directories, links, and a name that is no text."""
    root = tmp_path / "d"
    (root / "a/b").mkdir(parents=True)
    (root / "empty").mkdir()
    for name, size in {"one": 3, "a/two": 0, "a/b/three": 300_000, "a.txt": 1}.items():
        (root / name).write_bytes(os.urandom(size))
    (root / "a" / os.fsdecode(b"\xff")).write_bytes(b"no text")
    (root / "a/link").symlink_to("../one")
    (root / "one").chmod(0o640)
    (root / "a/b").chmod(0o500)
    for name in ("one", "a/b", "empty"):
        os.utime(root / name, ns=(0, 981_173_106_789_000_000))
    os.utime(root / "a.txt", (-315_619_200, -315_619_200))
    return root


@pytest.fixture
def sealed(tree: Path, tmp_path: Path, key: SecretKey) -> Path:
    """The same, sealed."""
    polyseal.encrypt_tree(tree, tmp_path / "s", key=key)
    return tmp_path / "s"


def listing(root: Path) -> list[tuple[str, int, int, bytes]]:
    """Names, modes, times and contents."""
    found = []
    for path in root.rglob("*"):
        there = path.lstat()
        contents = b""
        if path.is_symlink():
            contents = os.fsencode(os.readlink(path))
        elif path.is_file():
            contents = path.read_bytes()
        found.append((str(path.relative_to(root)), there.st_mode, there.st_mtime_ns, contents))
    return sorted(found)


def names(root: Path) -> list[str]:
    return [each[0] for each in listing(root)]


def failures(call: Callable[[], object]) -> dict[str, str]:
    """What failed, and why."""
    with pytest.raises(TreeError) as raised:
        call()
    return {str(each.path): str(each.error) for each in raised.value.failures}


@pytest.mark.parametrize("jobs", [None, 1, 3])
def test_a_tree_comes_back_with_modes_times_and_links(
    tree: Path, tmp_path: Path, key: SecretKey, jobs: int | None
) -> None:
    told: list[polyseal.TreeProgress] = []
    arguments: dict[str, Any] = dict(key=key, context="album", jobs=jobs, progress=told.append)
    summary = polyseal.encrypt_tree(tree, tmp_path / "s", segment_size=4096, suite="kc-xaes-256-gcm", **arguments)
    assert summary == polyseal.TreeSummary(files=5, directories=3, links=1, size=300_011)
    assert told[-1] == polyseal.TreeProgress(5, 5, 300_011, 300_011) and told[0].of_files == 5
    assert names(tmp_path / "s") == sorted(
        [MANIFEST, "a", "a/b", "a/b/three.polyseal", "a/two.polyseal", "a.txt.polyseal", "empty", "one.polyseal"]
        + ["a/\udcff.polyseal"]
    )
    for name in (MANIFEST, "one.polyseal"):
        assert polyseal.inspect(tmp_path / "s" / name).suite == "kc-xaes-256-gcm"
    told.clear()
    assert polyseal.verify_tree(tmp_path / "s", **arguments) == summary
    assert polyseal.decrypt_tree(tmp_path / "s", tmp_path / "out", **arguments) == summary
    assert told.count(polyseal.TreeProgress(5, 5, 300_011, 300_011)) >= 2
    assert all(each.bytes <= 300_011 for each in told)
    assert listing(tmp_path / "out") == listing(tree)
    with pytest.raises(polyseal.ContextMismatch):
        polyseal.verify_tree(tmp_path / "s", key=key)
    with pytest.raises(polyseal.NoMatchingKey):
        polyseal.verify_tree(tmp_path / "s", key=SecretKey.generate())


def test_a_system_without_unnamed_files_or_names_of_descriptors(
    tree: Path, tmp_path: Path, key: SecretKey, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(os, "O_TMPFILE")
    monkeypatch.setattr(_directory, "as_path", lambda _: None)
    for _ in range(2):
        polyseal.encrypt_tree(tree, tmp_path / "s", key=key, overwrite=True)
        polyseal.decrypt_tree(tmp_path / "s", tmp_path / "out", key=key, overwrite=True)
        assert listing(tmp_path / "out") == listing(tree)
    polyseal.verify_tree(tmp_path / "s", key=key)
    with pytest.raises(FileExistsError), polyseal.open(tmp_path / "new", "xb", key=key) as file:
        file.write(b"message")
        (tmp_path / "new").write_bytes(b"of another")
    assert sorted(os.listdir(tmp_path)) == ["d", "new", "out", "s"]


def test_a_tree_may_be_deep(tmp_path: Path, key: SecretKey) -> None:
    """Deeper than functions may call each other, and than a path may be long."""
    depth = 1010
    tree = tmp_path / "d"
    tree.mkdir()
    place = Directory.open(str(tree))
    for _ in range(depth):
        place.make(b"deep")
        place = place.beneath(b"deep")
    os.close(os.open(b"file", os.O_CREAT | os.O_WRONLY, dir_fd=place.fd))
    try:
        summary = polyseal.encrypt_tree(tree, tmp_path / "s", key=key)
        assert (summary.directories, summary.files) == (depth, 1)
        assert polyseal.decrypt_tree(tmp_path / "s", tmp_path / "out", key=key) == summary
        path = b"/".join([b"deep"] * depth)
        assert Directory.open(str(tmp_path / "out")).beneath(path).stat(b"file").st_size == 0
    finally:
        # What Python removes trees with does not go so deep.
        subprocess.run(["rm", "-rf", tree, tmp_path / "s", tmp_path / "out"], check=True)


def test_the_tool_opens_what_is_sealed_here_and_the_other_way_round(
    tree: Path, sealed: Path, tmp_path: Path, key: SecretKey, key_file: Path, tool: Callable[..., str]
) -> None:
    tool("verify", "-k", key_file, "--recursive", sealed)
    tool("decrypt", "-k", key_file, "--recursive", "-o", tmp_path / "out", sealed)
    assert listing(tmp_path / "out") == listing(tree)
    tool("encrypt", "-k", key_file, "--recursive", "-o", tmp_path / "of-tool", tree)
    assert [(name, mode) for name, mode, *_ in listing(tmp_path / "of-tool")] == [
        (name, mode) for name, mode, *_ in listing(sealed)
    ]
    polyseal.verify_tree(tmp_path / "of-tool", key=key)
    polyseal.decrypt_tree(tmp_path / "of-tool", tmp_path / "back", key=key)
    assert listing(tmp_path / "back") == listing(tree)
    # The plaintexts of the two manifests differ in nothing but the salts.
    entries = []
    for root in (sealed, tmp_path / "of-tool"):
        found = polyseal.open(root / MANIFEST, key=key).read()
        for path in root.rglob("*.polyseal"):
            if path.name != MANIFEST:
                found = found.replace(bytes.fromhex(polyseal.inspect(path).file_salt), b"salt")
        entries.append(found)
    assert entries[0] == entries[1] and entries[0].count(b"salt") == 5


def test_what_is_missing_added_or_swapped_is_told_and_the_rest_is_done(
    tree: Path, sealed: Path, tmp_path: Path, key: SecretKey
) -> None:
    before = (sealed / "one.polyseal").read_bytes()
    (sealed / "one.polyseal").rename(sealed / "a/two.polyseal")
    polyseal.encrypt_file(tree / "a.txt", sealed / "a.txt.polyseal", key=key, overwrite=True)
    shutil.copy(sealed / "a/b/three.polyseal", sealed / "a/four.polyseal")
    (sealed / "empty/plain").write_bytes(b"not even sealed")
    (sealed / "a/link.polyseal").symlink_to("two.polyseal")
    (sealed / "z").symlink_to("a")
    altered = bytearray((sealed / "a/b/three.polyseal").read_bytes())
    altered[-1] ^= 1
    (sealed / "a/b/three.polyseal").write_bytes(altered)
    expected = {
        "a/b/three.polyseal": "segment 4",
        "a/four.polyseal": "not of this tree",
        "a/link.polyseal": "not of this tree",
        "a/two.polyseal": "not the file that the manifest has there",
        "a.txt.polyseal": "not the file that the manifest has there",
        "empty/plain": "not of this tree",
        "one.polyseal": "it is missing",
        "z": "not of this tree",
    }
    for call in (
        lambda: polyseal.verify_tree(sealed, key=key),
        lambda: polyseal.decrypt_tree(sealed, tmp_path / "out", key=key),
    ):
        found = failures(call)
        assert [*found] == [*expected], found
        for name, why in expected.items():
            assert why in found[name], found
    assert names(tmp_path / "out") == ["a", "a/b", "a/link", "a/\udcff", "empty"]
    (sealed / "one.polyseal").write_bytes(before)
    assert "one.polyseal" not in failures(lambda: polyseal.verify_tree(sealed, key=key))


def test_an_error_of_a_tree_is_a_group(sealed: Path, key: SecretKey) -> None:
    (sealed / "one.polyseal").unlink()
    (sealed / "stray").write_bytes(b"")
    with pytest.raises(TreeError) as raised:
        polyseal.verify_tree(sealed, key=key)
    error = pickle.loads(pickle.dumps(raised.value))
    assert [(str(each.path), each.error.reason) for each in error.failures] == [
        ("one.polyseal", "missing"),
        ("stray", "added"),
    ]
    assert "2 of 10 paths failed: one.polyseal: it is missing; stray:" in str(error)
    try:
        raise error
    except* TreeMismatch as group:
        assert len(group.exceptions) == 2


def test_a_tree_without_its_own_manifest_is_none(sealed: Path, key: SecretKey) -> None:
    whole = (sealed / MANIFEST).read_bytes()
    (sealed / MANIFEST).unlink()
    with pytest.raises(polyseal.ManifestError, match="no sealed tree"):
        polyseal.verify_tree(sealed, key=key)
    shutil.copy(sealed / "one.polyseal", sealed / MANIFEST)
    with pytest.raises(polyseal.ManifestError, match="does not begin as a manifest"):
        polyseal.verify_tree(sealed, key=key)
    (sealed / MANIFEST).write_bytes(whole[:4100] + bytes([whole[4100] ^ 1]) + whole[4101:])
    with pytest.raises(polyseal.CorruptSegment):
        polyseal.verify_tree(sealed, key=key)


def test_of_a_hostile_manifest_nothing_is_done(tmp_path: Path, key: SecretKey) -> None:
    """The kit's manifests, sealed as one."""
    tests = json.loads((VECTORS / "manifest/index.json").read_text())["tests"]
    hostile = [test for test in tests if test["outcome"] != "ok"]
    assert len(hostile) > 20
    for test in hostile:
        root = tmp_path / test["file"]
        root.mkdir()
        polyseal.encrypt_file(VECTORS / "manifest" / test["file"], root / MANIFEST, key=key)
        with pytest.raises(polyseal.ManifestError):
            polyseal.decrypt_tree(root, tmp_path / "out", key=key)
        assert not (tmp_path / "out").exists(), test


def test_links_that_lead_out_of_the_tree_are_not_made(tmp_path: Path, key: SecretKey) -> None:
    root = tmp_path / "d"
    (root / "a/b").mkdir(parents=True)
    (root / "m").write_bytes(b"message")
    for name, to in {
        "out": "/etc/passwd",
        "a/up": "../../x",
        "a/b/back": "../..",
        "a/through": "b/back/..",
        "a/in": "../m",
        "dangling": "nothing",
    }.items():
        (root / name).symlink_to(to)
    polyseal.encrypt_tree(root, tmp_path / "s", key=key)
    found = failures(lambda: polyseal.decrypt_tree(tmp_path / "s", tmp_path / "out", key=key))
    assert [*found] == ["a/through", "a/up", "out"] and all("leads out of the tree" in each for each in found.values())
    assert names(tmp_path / "out") == ["a", "a/b", "a/b/back", "a/in", "dangling", "m"]


def test_no_link_that_is_there_is_followed(tree: Path, sealed: Path, tmp_path: Path, key: SecretKey) -> None:
    elsewhere = tmp_path / "elsewhere"
    (elsewhere / "b").mkdir(parents=True)
    (elsewhere / "secret").write_bytes(b"precious")
    out = tmp_path / "out"
    out.mkdir()
    # In the output.
    (out / "a").symlink_to("../elsewhere")
    (out / "one").symlink_to("../elsewhere/secret")
    found = failures(lambda: polyseal.decrypt_tree(sealed, out, key=key, overwrite=True))
    inside = {"a/b", "a/b/three.polyseal", "a/link", "a/two.polyseal", "a/\udcff.polyseal"}
    assert found.keys() == inside | {"a", "one.polyseal"}
    assert "not a regular file" in found["one.polyseal"]
    assert names(elsewhere) == ["b", "secret"] and (elsewhere / "secret").read_bytes() == b"precious"
    # In the sealed tree: what they lead to is right, but not there.
    (sealed / "a").rename(tmp_path / "moved")
    (sealed / "a").symlink_to("../moved")
    found = failures(lambda: polyseal.verify_tree(sealed, key=key))
    assert "not of this tree" in found["a"] and "missing" in found["a/b/three.polyseal"]
    # In what is encrypted.
    (tree / "z").symlink_to("../elsewhere")
    polyseal.encrypt_tree(tree, tmp_path / "s2", key=key)
    assert "z" not in names(tmp_path / "s2") and "z/secret.polyseal" not in names(tmp_path / "s2")


def test_what_is_beneath_a_directory_is_no_link_and_is_not_waited_for(tmp_path: Path) -> None:
    """The last moment at which somebody could put it there."""
    (tmp_path / "file").write_bytes(b"message")
    (tmp_path / "link").symlink_to("file")
    (tmp_path / "around").symlink_to(".")
    os.mkfifo(tmp_path / "fifo")
    directory = Directory.open(str(tmp_path))
    os.close(directory.file(b"file"))
    for name in (b"link", b"fifo", b"."):
        with pytest.raises(OSError):
            directory.file(name)
    for path in (b"around", b"file"):
        with pytest.raises(OSError):
            directory.beneath(path)
    for path in (b"..", b"a/../b", b"/etc", b"a//b", b"./a", b"a/"):
        with pytest.raises(ValueError, match="no path beneath"):
            directory.beneath(path)


def test_a_link_that_is_planted_meanwhile_leads_nowhere(tmp_path: Path, key: SecretKey) -> None:
    """Whoever can write to the output puts a link to another place there again and again."""
    (tmp_path / "d/a/b").mkdir(parents=True)
    for i in range(100):
        (tmp_path / f"d/a/b/m{i}").write_bytes(b"message")
    polyseal.encrypt_tree(tmp_path / "d", tmp_path / "s", key=key)
    elsewhere, out = tmp_path / "elsewhere", tmp_path / "out"
    (elsewhere / "b").mkdir(parents=True)
    program = textwrap.dedent(
        """
        import os, shutil, sys
        os.chdir(sys.argv[1])
        print("ready", flush=True)
        swapped = 0
        while not os.path.exists("over"):
            try:
                os.rename("out/a", "out/away")
                os.symlink("../elsewhere", "out/a")
                os.sched_yield()
                os.unlink("out/a")
                os.rename("out/away", "out/a")
                swapped += 1
            except OSError:
                if os.path.islink("out/a"):
                    os.unlink("out/a")
                shutil.rmtree("out/away", ignore_errors=True)
        print(swapped)
        """
    )
    swapper = subprocess.Popen([sys.executable, "-c", program, str(tmp_path)], stdout=subprocess.PIPE, text=True)
    assert swapper.stdout is not None and swapper.stdout.readline() == "ready\n"
    for _ in range(6):
        try:
            polyseal.decrypt_tree(tmp_path / "s", out, key=key, overwrite=True)
        except TreeError:
            pass
    (tmp_path / "over").write_bytes(b"")
    swapped = int(swapper.communicate()[0])
    assert swapped > 10
    assert names(elsewhere) == ["b"]


def test_where_a_tree_may_go(tree: Path, sealed: Path, tmp_path: Path, key: SecretKey) -> None:
    with pytest.raises(ValueError, match="lies in"):
        polyseal.encrypt_tree(tree, tree / "s", key=key)
    with pytest.raises(ValueError, match="lies in"):
        polyseal.decrypt_tree(sealed, sealed, key=key, overwrite=True)
    with pytest.raises(FileExistsError, match="not empty"):
        polyseal.encrypt_tree(tree, sealed, key=key)
    with pytest.raises(NotADirectoryError):
        polyseal.encrypt_tree(tree, sealed / "one.polyseal", key=key)
    with pytest.raises(FileNotFoundError):
        polyseal.encrypt_tree(tree, tmp_path / "no/s", key=key)
    with pytest.raises(FileNotFoundError):
        polyseal.encrypt_tree(tmp_path / "nothing", tmp_path / "s2", key=key)
    with pytest.raises(ValueError, match="jobs"):
        polyseal.verify_tree(sealed, key=key, jobs=0)
    # Again, after something has gone and something has changed.
    (tree / "one").unlink()
    (tree / "a.txt").write_bytes(b"changed")
    polyseal.encrypt_tree(tree, sealed, key=key, overwrite=True)
    assert [*failures(lambda: polyseal.verify_tree(sealed, key=key))] == ["one.polyseal"]
    assert polyseal.open(sealed / "a.txt.polyseal", key=key).read() == b"changed"
    (sealed / "one.polyseal").unlink()
    for _ in range(2):
        polyseal.decrypt_tree(sealed, tmp_path / "out", key=key, overwrite=True)
        assert listing(tmp_path / "out") == listing(tree)


def test_what_is_no_file_is_told_and_the_rest_is_done(tree: Path, tmp_path: Path, key: SecretKey) -> None:
    os.mkfifo(tree / "a/fifo")
    (tree / ".polyseal-manifest").write_bytes(b"a name that is taken")
    found = failures(lambda: polyseal.encrypt_tree(tree, tmp_path / "s", key=key))
    assert found.keys() == {".polyseal-manifest", "a/fifo"}
    polyseal.verify_tree(tmp_path / "s", key=key)
    out = {"fifo", ".polyseal-manifest", "b"}
    summary = polyseal.encrypt_tree(tree, tmp_path / "s2", key=key, exclude=lambda path: path.name in out)
    assert summary.files == 4 and not (tmp_path / "s2/a/b").exists()
    # Of a sealed tree, a part.
    assert polyseal.verify_tree(tmp_path / "s", key=key, exclude=lambda path: path.name == "a").files == 2


def test_what_is_raised_meanwhile_ends_it_and_leaves_nothing(
    tree: Path, sealed: Path, tmp_path: Path, key: SecretKey
) -> None:
    def stop(_: polyseal.TreeProgress) -> None:
        raise LookupError("enough")

    with pytest.raises(LookupError, match="enough"):
        polyseal.encrypt_tree(tree, tmp_path / "s2", key=key, progress=stop)
    assert not (tmp_path / "s2" / MANIFEST).exists()
    with pytest.raises(LookupError, match="enough"):
        polyseal.decrypt_tree(sealed, tmp_path / "out", key=key, progress=stop)
    assert not [name for name in names(tmp_path) if name.endswith(".tmp")]
    assert not [each for each in threading.enumerate() if each.name.startswith("polyseal")]


def test_ctrl_c_ends_a_tree_and_leaves_no_part_of_a_file(tmp_path: Path) -> None:
    (tmp_path / "d").mkdir()
    with (tmp_path / "d/large").open("wb") as file:
        file.truncate(4 << 30)
    program = textwrap.dedent(
        """
        import os, signal, sys, threading, polyseal
        # Whoever runs the tests may have it ignored, as a shell does for what is in the background.
        signal.signal(signal.SIGINT, signal.default_int_handler)
        place = sys.argv[1]
        seen = []
        def progress(done):
            if done.bytes and not seen:
                seen.append(done)
                os.kill(os.getpid(), signal.SIGINT)
        try:
            polyseal.encrypt_tree(place + "/d", place + "/s", key=bytes(32), progress=progress)
        except KeyboardInterrupt:
            print("interrupted", os.listdir(place + "/s"))
        """
    )
    done = subprocess.run([sys.executable, "-c", program, str(tmp_path)], capture_output=True, text=True, timeout=120)
    assert done.stdout == "interrupted []\n", done.stdout + done.stderr


def test_a_tree_that_is_killed_leaves_no_part_of_a_file(tmp_path: Path) -> None:
    (tmp_path / "d").mkdir()
    with (tmp_path / "d/large").open("wb") as file:
        file.truncate(4 << 30)
    program = textwrap.dedent(
        """
        import os, signal, sys, polyseal
        place = sys.argv[1]
        def progress(done):
            if done.bytes:
                os.kill(os.getpid(), signal.SIGKILL)
        polyseal.encrypt_tree(place + "/d", place + "/s", key=bytes(32), progress=progress)
        """
    )
    done = subprocess.run([sys.executable, "-c", program, str(tmp_path)], timeout=120)
    assert done.returncode == -signal.SIGKILL
    left = os.listdir(tmp_path / "s")
    try:
        os.close(os.open(tmp_path, os.O_TMPFILE | os.O_RDWR, 0o600))
    except OSError as error:
        assert error.errno in (errno.EOPNOTSUPP, errno.EISDIR, errno.EINVAL)
        assert all(name.endswith(".tmp") for name in left)
    else:
        assert left == []


def test_a_rekeyed_tree_is_the_same_tree_for_others(
    tree: Path, sealed: Path, tmp_path: Path, key: SecretKey, key_file: Path, tool: Callable[..., str]
) -> None:
    new = SecretKey.generate()
    (sealed / "stray").write_bytes(b"stray")
    # As an interrupted run leaves it.
    polyseal.rekey_file(sealed / "one.polyseal", key=key, to={"key": new}, remove_others=True)
    for _ in range(2):
        polyseal.rekey_tree(sealed, key=key, to={"key": new}, remove_others=True)
        assert (sealed / "stray").read_bytes() == b"stray"
    with pytest.raises(polyseal.NoMatchingKey):
        polyseal.verify_tree(sealed, key=key)
    (sealed / "stray").unlink()
    polyseal.verify_tree(sealed, key=new)
    # Back by the tool, and both.
    (tmp_path / "new").write_text(new.to_key_file())
    (tmp_path / "new").chmod(0o600)
    tool("rekey", "-k", tmp_path / "new", "--to-key", key_file, "--recursive", sealed)
    for _ in range(2):
        polyseal.rekey_tree(sealed, key=key, to={"key": new})
        for each in (key, new):
            polyseal.verify_tree(sealed, key=each)
    stanzas = polyseal.inspect(sealed / "one.polyseal").stanzas
    assert len(stanzas) == 2
    polyseal.decrypt_tree(sealed, tmp_path / "out", key=new)
    assert listing(tmp_path / "out") == listing(tree)


def test_what_does_not_belong_is_not_rekeyed_and_the_manifest_comes_last(sealed: Path, key: SecretKey) -> None:
    new = SecretKey.generate()
    (sealed / "one.polyseal").rename(sealed / "a/two.polyseal")
    arguments: dict[str, Any] = dict(key=key, to={"key": new}, remove_others=True)
    found = failures(lambda: polyseal.rekey_tree(sealed, **arguments))
    assert [*found] == ["a/two.polyseal", "one.polyseal"]
    assert polyseal.open(sealed / "a.txt.polyseal", key=new).size == 1
    assert polyseal.open(sealed / "a/two.polyseal", key=key).size == 3
    # The old key still opens the manifest, so that the run can be finished.
    (sealed / "a/two.polyseal").rename(sealed / "one.polyseal")
    assert [*failures(lambda: polyseal.rekey_tree(sealed, **arguments))] == ["a/two.polyseal"]
    assert polyseal.open(sealed / "one.polyseal", key=new).size == 3
