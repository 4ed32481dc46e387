"""Whole trees: as the tool makes them, and nothing outside of them is touched."""

from __future__ import annotations

import dataclasses
import errno
import json
import os
import pickle
import shutil
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable
from pathlib import Path, PurePosixPath
from typing import Any

import polyseal
import pytest
from conftest import VECTORS
from polyseal import SecretKey, TreeError, TreeMismatch
from polyseal._polyseal import Directory

MANIFEST = ".polyseal-manifest.polyseal"
#: The context of a manifest, of a tree without a context.
BOUND = b"polyseal-manifest/3"


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
    """The files that failed, and why."""
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
    assert told[-1] == polyseal.TreeProgress(5, 5, 300_011, 300_011)
    assert names(tmp_path / "s") == sorted(
        [MANIFEST, "a", "a/b", "a/b/three.polyseal", "a/two.polyseal", "a.txt.polyseal", "empty", "one.polyseal"]
        + ["a/\udcff.polyseal"]
    )
    for name in (MANIFEST, "one.polyseal"):
        assert polyseal.inspect(tmp_path / "s" / name).suite == "kc-xaes-256-gcm"
    told.clear()
    # Verifying makes no link.
    verified = polyseal.verify_tree(tmp_path / "s", **arguments)
    assert verified == polyseal.TreeSummary(files=5, directories=3, links=0, size=300_011)
    assert polyseal.decrypt_tree(tmp_path / "s", tmp_path / "out", **arguments) == summary
    assert told.count(polyseal.TreeProgress(5, 5, 300_011, 300_011)) >= 2
    assert all(each.bytes <= each.of_bytes <= 300_011 and each.files <= each.of_files for each in told)
    assert listing(tmp_path / "out") == listing(tree)
    with pytest.raises(polyseal.ContextMismatch):
        polyseal.verify_tree(tmp_path / "s", key=key)
    with pytest.raises(polyseal.NoMatchingKey):
        polyseal.verify_tree(tmp_path / "s", key=SecretKey.generate())


@pytest.mark.parametrize("variable", ["POLYSEAL_TEST_NAMED_OUTPUT", "POLYSEAL_TEST_BY_COMPONENTS"])
def test_a_system_without_unnamed_files_or_paths_beneath_a_handle(
    tree: Path, tmp_path: Path, key: SecretKey, variable: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As the development profile can be told to be."""
    monkeypatch.setenv(variable, "1")
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
    """Deeper than a path may be long."""
    depth = 60
    tree = tmp_path / "d"
    tree.mkdir()
    deep = f"{'deep' * 20}/" * depth + "file"
    Directory(tree).new_file(deep, False).commit()
    try:
        summary = polyseal.encrypt_tree(tree, tmp_path / "s", key=key)
        assert (summary.directories, summary.files) == (depth, 1)
        assert polyseal.decrypt_tree(tmp_path / "s", tmp_path / "out", key=key) == summary
        os.close(Directory(tmp_path / "out").file(deep))
    finally:
        # Python's own removal of trees does not go so deep.
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
    # The plaintexts of the two manifests differ in nothing but what stands for the encrypted files.
    entries = []
    for root in (sealed, tmp_path / "of-tool"):
        found = polyseal.open(root / MANIFEST, key=key, context=BOUND).read()
        for path in root.rglob("*.polyseal"):
            if path.name != MANIFEST:
                before, _, behind = found.partition(bytes.fromhex(polyseal.inspect(path).file_salt))
                found = before + b"salt" + behind[80:]
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
    assert str(error).startswith(f"2 of 9 paths failed: {sealed}/one.polyseal: it is missing; {sealed}/stray: ")
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
        manifest = VECTORS / "manifest" / test["file"]
        if test["version"] > 1:
            context = f"polyseal-manifest/{test['version']}"
            polyseal.encrypt_file(manifest, root / MANIFEST, key=key, context=context)
        else:
            polyseal.encrypt_file(manifest, root / MANIFEST, key=key)
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
    assert "no regular file" in found["one.polyseal"]
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
    directory = Directory(tmp_path)
    os.close(directory.file("file"))
    for name in ("link", "fifo", ".", "around/file", "..", "a/../b", "/etc", "a//b", "./a", "a/", ""):
        with pytest.raises(OSError):
            directory.file(name)
    for name in ("around/new", "file/new", "../new", "a/../new", "/tmp/new", "a//new", "./new", "new/", ""):
        with pytest.raises((OSError, ValueError)):
            directory.new_file(name, True).commit()
    assert sorted(os.listdir(tmp_path)) == ["around", "fifo", "file", "link"]
    with pytest.raises(ValueError, match="regular"):
        directory.new_file("link", True)
    # A link there is not followed, and stays.
    directory.new_file("x/new", True).commit()
    assert (tmp_path / "x").stat().st_mode & 0o777 == 0o700


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
    (tmp_path / "everybodys").mkdir()
    (tmp_path / "everybodys").chmod(0o777)
    with pytest.raises(PermissionError, match="others may write"):
        polyseal.decrypt_tree(sealed, tmp_path / "everybodys", key=key)
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
    # Names that could not be told apart are refused before anything is done.
    (tree / ".polyseal-manifest").write_bytes(b"a name that is taken")
    with pytest.raises(ValueError, match="a name that only the encrypted tree has"):
        polyseal.encrypt_tree(tree, tmp_path / "s", key=key)
    assert not (tmp_path / "s").exists()
    (tree / ".polyseal-manifest").unlink()
    found = failures(lambda: polyseal.encrypt_tree(tree, tmp_path / "s", key=key))
    assert found.keys() == {"a/fifo"}
    found = failures(lambda: polyseal.verify_tree(tmp_path / "s", key=key))
    assert found.keys() == {"a/fifo"} and "the tree does not have it" in found["a/fifo"]
    out = {"fifo", "b"}
    summary = polyseal.encrypt_tree(tree, tmp_path / "s2", key=key, exclude=lambda path: path.name in out)
    assert summary.files == 4 and not (tmp_path / "s2/a/b").exists()
    # A part of a sealed tree.
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
    # In a thread of another language, too.
    def out(path: PurePosixPath) -> bool:
        if path.name == "three":
            raise LookupError("enough")
        return False

    for jobs in (1, 3):
        with pytest.raises(LookupError, match="enough"):
            polyseal.encrypt_tree(tree, tmp_path / "s3", key=key, exclude=out, jobs=jobs)
        with pytest.raises(LookupError, match="enough"):
            polyseal.decrypt_tree(sealed, tmp_path / "out", key=key, exclude=out, jobs=jobs, overwrite=True)
        with pytest.raises(LookupError, match="enough"):
            polyseal.verify_tree(sealed, key=key, exclude=out, jobs=jobs)
    assert not (tmp_path / "s3").exists()
    assert not [name for name in names(tmp_path) if name.endswith(".tmp")]


def test_permissions_are_those_that_the_umask_leaves(tmp_path: Path, key: SecretKey) -> None:
    tree = tmp_path / "d"
    tree.mkdir()
    modes = {"public": 0o644, "shared": 0o666, "program": 0o755, "private": 0o600}
    for name, mode in modes.items():
        (tree / name).write_bytes(b"message")
        (tree / name).chmod(mode)
    polyseal.encrypt_tree(tree, tmp_path / "s", key=key)

    def found(place: Path) -> dict[str, int]:
        return {path.name: path.stat().st_mode & 0o777 for path in place.iterdir()}

    # A process has one umask.
    program = "import os, polyseal, sys; os.umask(0o027); polyseal.decrypt_tree(*sys.argv[1:3], key=bytes.fromhex(sys.argv[3]))"
    arguments = [str(tmp_path / "s"), str(tmp_path / "masked"), key.reveal().hex()]
    subprocess.run([sys.executable, "-c", program, *arguments], check=True)
    assert found(tmp_path / "masked") == {"public": 0o640, "shared": 0o640, "program": 0o750, "private": 0o600}
    polyseal.decrypt_tree(tmp_path / "s", tmp_path / "kept", key=key, preserve_permissions=True)
    assert found(tmp_path / "kept") == modes
    # Whoever can write to the directory must not read what is put there.
    (tmp_path / "everybodys").mkdir()
    (tmp_path / "everybodys").chmod(0o777)
    polyseal.decrypt_tree(tmp_path / "s", tmp_path / "everybodys", key=key, overwrite=True, preserve_permissions=True)
    assert found(tmp_path / "everybodys") == {name: mode & 0o700 for name, mode in modes.items()}


def test_a_manifest_that_binds_no_contents_is_taken_only_by_whoever_asks_for_it(
    tmp_path: Path, key: SecretKey
) -> None:
    """Version 1 of the manifest, as old trees have it, and the upgrade; and other contents than are bound."""
    (tmp_path / "d").mkdir()
    (tmp_path / "d/f").write_bytes(b"message")
    sealed = tmp_path / "s"
    polyseal.encrypt_tree(tmp_path / "d", sealed, key=key)
    with polyseal.open(sealed / MANIFEST, key=key, context=BOUND) as file:
        bound = file.read()
    # Without number, state, commitment and stamp.
    (tmp_path / "unbound").write_bytes(bound[:18] + b"\1\0" + bound[124:128] + bound[130:184] + bound[264:273])
    polyseal.encrypt_file(tmp_path / "unbound", sealed / MANIFEST, key=key, overwrite=True)
    for allowed in (False, True):
        calls: list[Callable[[], polyseal.TreeSummary]] = [
            lambda: polyseal.verify_tree(sealed, key=key, allow_unbound_contents=allowed),
            lambda: polyseal.decrypt_tree(sealed, tmp_path / "out", key=key, allow_unbound_contents=allowed),
            lambda: polyseal.rekey_tree(
                sealed, key=key, to={"key": key}, keep=False, allow_unbound_contents=allowed
            ),
        ]
        for call in calls:
            if allowed:
                assert call().files == 1
                continue
            with pytest.raises(polyseal.ManifestError, match="does not bind the contents"):
                call()
    assert polyseal.bind_tree(sealed, key=key, to={"key": key}).files == 1
    assert polyseal.verify_tree(sealed, key=key).files == 1
    # A manifest for other contents of the same file.
    altered = bound[:247] + bytes([bound[247] ^ 1]) + bound[248:]
    (tmp_path / "altered").write_bytes(altered)
    polyseal.encrypt_file(tmp_path / "altered", sealed / MANIFEST, key=key, context=BOUND, overwrite=True)
    with pytest.raises(TreeError) as raised:
        polyseal.verify_tree(sealed, key=key)
    [(_, why)] = raised.value.failures
    assert isinstance(why, TreeMismatch) and why.reason == "contents"


def test_names_cannot_forge_messages(sealed: Path, tmp_path: Path, key: SecretKey) -> None:
    """Whoever can write to a tree chooses names that a terminal or a log would take for more than names."""
    forged = "x\x1b]0;title\x07\npolyseal: all files are whole\x9b31m\u202e"
    (sealed / forged).write_bytes(b"")
    (sealed / "a" / f"{forged}.polyseal").write_bytes(b"")
    with pytest.raises(TreeError) as raised:
        polyseal.verify_tree(sealed, key=key)
    texts = [str(raised.value), *(str(each.error) for each in raised.value.failures)]
    own = TreeError("1 of 1 paths failed", [polyseal.TreeFailure(Path(forged), ValueError(forged))])
    texts.append(str(own))
    path = tmp_path / forged
    path.write_bytes(b"no file of ours")
    calls: list[Callable[[], object]] = [
        lambda: polyseal.open(path, key=key),
        lambda: polyseal.open(tmp_path / f"no {forged}", key=key),
        lambda: polyseal.encrypt_file(path, path, key=key),
        lambda: polyseal.rekey_file(path, key=key, to={"key": key}, keep=True),
        lambda: polyseal.encrypt_tree(path, tmp_path / "s2", key=key),
        lambda: polyseal.verify_tree(tmp_path / forged, key=key),
    ]
    for call in calls:
        with pytest.raises((polyseal.PolysealError, OSError, ValueError)) as refused:
            call()
        texts.append(str(refused.value))
    assert all("all files are whole" in text for text in texts)
    assert not [text for text in texts if any(each in text for each in "\x1b\n\x9b\u202e\x07")]
    assert str(raised.value.failures[0].path).endswith(forged + ".polyseal")


def test_ctrl_c_ends_a_tree_and_leaves_no_part_of_a_file(tmp_path: Path) -> None:
    (tmp_path / "d").mkdir()
    with (tmp_path / "d/large").open("wb") as file:
        file.truncate(4 << 30)
    program = textwrap.dedent(
        """
        import os, signal, sys, polyseal
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
            print("interrupted", os.path.lexists(place + "/s"))
        """
    )
    done = subprocess.run([sys.executable, "-c", program, str(tmp_path)], capture_output=True, text=True, timeout=120)
    # The folder was made for nothing, and is gone.
    assert done.stdout == "interrupted False\n", done.stdout + done.stderr


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
    polyseal.rekey_file(sealed / "one.polyseal", key=key, to={"key": new}, keep=False)
    for _ in range(2):
        polyseal.rekey_tree(sealed, key=key, to={"key": new}, keep=False)
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
        polyseal.rekey_tree(sealed, key=key, to={"key": new}, keep=True)
        for each in (key, new):
            polyseal.verify_tree(sealed, key=each)
    stanzas = polyseal.inspect(sealed / "one.polyseal").stanzas
    assert len(stanzas) == 2
    polyseal.decrypt_tree(sealed, tmp_path / "out", key=new)
    assert listing(tmp_path / "out") == listing(tree)


def test_what_does_not_belong_is_not_rekeyed_and_keeps_nobody_in(sealed: Path, key: SecretKey) -> None:
    new = SecretKey.generate()
    (sealed / "one.polyseal").rename(sealed / "a/two.polyseal")
    arguments: dict[str, Any] = dict(key=key, to={"key": new}, keep=False)
    found = failures(lambda: polyseal.rekey_tree(sealed, **arguments))
    assert [*found] == ["a/two.polyseal", "one.polyseal"]
    assert polyseal.open(sealed / "a.txt.polyseal", key=new).size == 1
    assert polyseal.open(sealed / "a/two.polyseal", key=key).size == 3
    # Whoever took it away does not keep the old key in the manifest.
    with pytest.raises(polyseal.NoMatchingKey):
        polyseal.open(sealed / MANIFEST, key=key, context=BOUND)
    # Once it is back, the run can be finished.
    (sealed / "a/two.polyseal").rename(sealed / "one.polyseal")
    assert [*failures(lambda: polyseal.rekey_tree(sealed, **arguments))] == ["a/two.polyseal"]
    assert polyseal.open(sealed / "one.polyseal", key=new).size == 3


def test_the_manifest_of_a_tree_comes_last(sealed: Path, key: SecretKey) -> None:
    """A file that does not open keeps no old key in it, as anyone who can write there could wish. The run is repeated."""
    new, other = SecretKey.generate(), SecretKey.generate()
    polyseal.rekey_file(sealed / "one.polyseal", key=key, to={"key": other}, keep=False)
    arguments: dict[str, Any] = dict(to={"key": new}, keep=False)
    assert [*failures(lambda: polyseal.rekey_tree(sealed, key=key, **arguments))] == ["one.polyseal"]
    assert polyseal.open(sealed / MANIFEST, key=new, context=BOUND).size > 0
    polyseal.rekey_tree(sealed, key=[key, other], **arguments)
    polyseal.verify_tree(sealed, key=new)
    with pytest.raises(polyseal.NoMatchingKey):
        polyseal.open(sealed / MANIFEST, key=key, context=BOUND)


def test_a_tree_with_a_context_is_rekeyed_and_rekeyed_again(tree: Path, tmp_path: Path, key: SecretKey) -> None:
    new = SecretKey.generate()
    polyseal.encrypt_tree(tree, tmp_path / "s", key=key, context="album")
    for _ in range(2):
        polyseal.rekey_tree(tmp_path / "s", key=key, context="album", to={"key": new}, keep=False)
    polyseal.verify_tree(tmp_path / "s", key=new, context="album")


IDENTITY = b"AGE-SECRET-KEY-1GFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPQ4EGAEX\n"
RECIPIENT = "age1zvkyg2lqzraa2lnjvqej32nkuu0ues2s82hzrye869xeexvn73equnujwj"


def settle() -> None:
    """Waits until another change would be seen: a file that has just been written is encrypted again next time."""
    time.sleep(0.12)


@pytest.fixture
def settled(tree: Path) -> Path:
    """The tree, after that."""
    settle()
    return tree


def stored(root: Path) -> dict[str, bytes]:
    """The encrypted files but the manifest."""
    return {path.name: path.read_bytes() for path in root.rglob("*.polyseal") if path.name != MANIFEST}


def test_an_update_encrypts_what_has_changed_and_deletes_what_is_gone(
    settled: Path, tmp_path: Path, key: SecretKey, key_file: Path, tool: Callable[..., str]
) -> None:
    tree, sealed = settled, tmp_path / "s"
    arguments: dict[str, Any] = dict(key=key, update=True)
    first = polyseal.encrypt_tree(tree, sealed, **arguments)
    assert first == polyseal.TreeSummary(files=5, directories=3, links=1, size=300_011)
    before = stored(sealed)
    (tree / "one").unlink()
    (tree / "a.txt").write_bytes(b"changed")
    (tree / "a/new").write_bytes(b"new")
    settle()
    told: list[polyseal.TreeProgress] = []
    second = polyseal.encrypt_tree(tree, sealed, progress=told.append, **arguments)
    assert second == polyseal.TreeSummary(files=2, directories=3, links=1, size=10, unchanged=3, deleted=1)
    assert told[-1] == polyseal.TreeProgress(5, 5, 300_017, 300_017)
    after = stored(sealed)
    assert after.keys() == before.keys() - {"one.polyseal"} | {"new.polyseal"}
    assert {name for name in before if after.get(name) == before[name]} == {
        "three.polyseal",
        "two.polyseal",
        "\udcff.polyseal",
    }
    assert polyseal.verify_tree(sealed, key=key).files == 5
    polyseal.decrypt_tree(sealed, tmp_path / "out", key=key)
    assert listing(tmp_path / "out") == listing(tree)
    entries = polyseal.list_tree(sealed, key=key)
    assert entries.number == 2
    found = {str(each.path): each for each in entries}
    assert [*found] == ["a", "a/b", "a/b/three", "a/link", "a/new", "a/two", "a/\udcff", "a.txt", "empty", "one"]
    three = polyseal.TreeEntry(PurePosixPath("a/b/three"), "file", "unchanged", None, 0o644, 0, 300_000)
    three = dataclasses.replace(three, modified_ns=(tree / "a/b/three").stat().st_mtime_ns)
    assert found["a/b/three"] == three
    assert (found["a/new"].state, found["one"].state) == ("new", "deleted")
    assert (found["a/link"].state, found["a/link"].kind, found["a/link"].size) == ("new", "link", None)
    assert found["empty"].kind == "directory" and found["empty"].modified_ns == 981_173_106_789_000_000
    assert next(entries, None) is None
    # The tool goes on, and nothing has changed.
    tool("encrypt", "-k", key_file, "--recursive", "--update", "-o", sealed, tree)
    assert stored(sealed) == after
    assert polyseal.encrypt_tree(tree, sealed, **arguments).files == 0
    assert polyseal.list_tree(sealed, key=key).number >= 2


def test_what_an_update_does_only_if_it_is_told_to(tree: Path, sealed: Path, tmp_path: Path, key: SecretKey) -> None:
    before = stored(sealed)
    os.utime(tree / "a.txt")
    (tree / "one").unlink()
    arguments: dict[str, Any] = dict(key=key, update=True)
    summary = polyseal.encrypt_tree(tree, sealed, checksum=True, keep_deleted=True, **arguments)
    assert (summary.files, summary.unchanged, summary.deleted) == (0, 4, 1) and stored(sealed) == before
    assert polyseal.decrypt_tree(sealed, tmp_path / "out", key=key).deleted == 1
    assert listing(tmp_path / "out") == listing(tree)
    assert [str(each.path) for each in polyseal.list_tree(sealed, key=key) if each.state == "deleted"] == ["one"]
    assert polyseal.decrypt_tree(sealed, tmp_path / "all", key=key, deleted=True).deleted == 0
    assert len((tmp_path / "all/one").read_bytes()) == 3
    # A source that is not mounted.
    (tmp_path / "nothing").mkdir()
    with pytest.raises(ValueError, match="has no files"):
        polyseal.encrypt_tree(tmp_path / "nothing", sealed, **arguments)
    assert stored(sealed) == before
    summary = polyseal.encrypt_tree(tmp_path / "nothing", sealed, allow_empty=True, **arguments)
    assert stored(sealed) == {} and polyseal.verify_tree(sealed, key=key) == polyseal.TreeSummary(directories=3)
    options: list[dict[str, Any]] = [
        *({"state": tmp_path / "state"}, {"keep_deleted": True}, {"checksum": True}, {"allow_empty": True}),
        {"update": True, "overwrite": True},
    ]
    for each in options:
        with pytest.raises(ValueError, match="update"):
            polyseal.encrypt_tree(tree, tmp_path / "s2", key=key, **each)
    assert not (tmp_path / "s2").exists()


def test_recipients_alone_update_by_a_state(
    settled: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree = settled
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "states"))
    for state in (tmp_path / "state", None):
        sealed = tmp_path / f"s{state is None}"
        arguments: dict[str, Any] = dict(recipients=RECIPIENT, update=True, state=state)
        assert polyseal.encrypt_tree(tree, sealed, **arguments).files == 5
        settle()
        (tree / "a.txt").write_bytes(os.urandom(9))
        summary = polyseal.encrypt_tree(tree, sealed, **arguments)
        assert (summary.files, summary.unchanged) == (1, 4)
        path = state or next((tmp_path / "states/polyseal").iterdir())
        assert path.stat().st_mode & 0o777 == 0o600
        polyseal.verify_tree(sealed, identity=IDENTITY)
        with pytest.raises(ValueError, match="nothing was given that opens"):
            polyseal.encrypt_tree(tree, sealed, checksum=True, **arguments)
        path.unlink()
        with pytest.warns(UserWarning, match="encrypted anew: there is no state of it"):
            assert polyseal.encrypt_tree(tree, sealed, **arguments).files == 5
        assert polyseal.verify_tree(sealed, identity=IDENTITY).files == 5


def test_what_could_not_be_taken_is_named_until_it_is(
    tree: Path, sealed: Path, tmp_path: Path, key: SecretKey
) -> None:
    os.mkfifo(tree / "fifo")
    assert [*failures(lambda: polyseal.encrypt_tree(tree, sealed, key=key, update=True))] == ["fifo"]
    calls: list[Callable[[], object]] = [
        lambda: polyseal.verify_tree(sealed, key=key),
        lambda: polyseal.decrypt_tree(sealed, tmp_path / "out", key=key),
    ]
    for call in calls:
        with pytest.raises(TreeError) as raised:
            call()
        [(path, error)] = raised.value.failures
        assert isinstance(error, polyseal.IncompleteTree) and path == Path("fifo")
        assert "the tree does not have it: it is neither" in str(error)
    assert listing(tmp_path / "out") == [each for each in listing(tree) if each[0] != "fifo"]
    [entry] = (each for each in polyseal.list_tree(sealed, key=key) if each.state == "failed")
    reason = "it is neither a file nor a directory nor a link"
    assert entry == polyseal.TreeEntry(PurePosixPath("fifo"), "absent", "failed", reason, 0, 0, None)
    (tree / "fifo").unlink()
    (tree / "fifo").write_bytes(b"mended")
    polyseal.encrypt_tree(tree, sealed, key=key, update=True)
    assert polyseal.verify_tree(sealed, key=key).files == 6


def test_an_interrupted_update_is_told_and_finished(settled: Path, tmp_path: Path, key: SecretKey) -> None:
    tree, sealed, old = settled, tmp_path / "s", tmp_path / "old"
    polyseal.encrypt_tree(tree, sealed, key=key)
    shutil.copytree(sealed, old)
    (tree / "one").write_bytes(b"changed")
    settle()
    polyseal.encrypt_tree(tree, sealed, key=key, update=True)
    # The coming manifest is there, and the new file has not got its name yet.
    coming = old / ".polyseal-update"
    coming.mkdir(mode=0o700)
    salt = polyseal.inspect(sealed / "one.polyseal").file_salt
    shutil.copy(sealed / "one.polyseal", coming / f"{salt}.polyseal")
    shutil.copy(sealed / MANIFEST, coming / "manifest.polyseal")
    with pytest.raises(TreeError) as raised:
        polyseal.decrypt_tree(old, tmp_path / "out", key=key)
    [(path, error)] = raised.value.failures
    assert isinstance(error, polyseal.IncompleteTree) and "interrupted" in str(error) and path == Path()
    assert listing(tmp_path / "out") == listing(tree)
    summary = polyseal.encrypt_tree(tree, old, key=key, update=True)
    assert (summary.files, summary.unchanged) == (0, 5) and not coming.exists()
    assert stored(old) == stored(sealed)
    polyseal.verify_tree(old, key=key)


def test_some_paths_of_a_tree(tree: Path, sealed: Path, tmp_path: Path, key: SecretKey) -> None:
    (sealed / "a.txt.polyseal").write_bytes(b"altered")
    (sealed / "stray").write_bytes(b"stray")
    assert polyseal.verify_tree(sealed, key=key, paths="one") == polyseal.TreeSummary(files=1, size=3)
    polyseal.decrypt_tree(sealed, tmp_path / "one", key=key, paths=["a/b/three"])
    assert names(tmp_path / "one") == ["a", "a/b", "a/b/three"]
    assert (tmp_path / "one/a/b/three").read_bytes() == (tree / "a/b/three").read_bytes()
    polyseal.decrypt_tree(sealed, tmp_path / "some", key=key, paths=[PurePosixPath("empty"), "a/t*"])
    assert names(tmp_path / "some") == ["a", "a/two", "empty"]
    assert [str(each.path) for each in polyseal.list_tree(sealed, key=key, paths=iter(["a/b", "o*"]))] == [
        *("a/b", "a/b/three", "one")
    ]
    assert polyseal.decrypt_tree(sealed, tmp_path / "none", key=key, paths=[]).files == 0
    # An altered one, and none.
    assert [*failures(lambda: polyseal.verify_tree(sealed, key=key, paths=["a.txt", "nothing"]))] == ["a.txt.polyseal"]
    calls: list[Callable[[], object]] = [
        lambda: polyseal.verify_tree(sealed, key=key, paths=["one", "nothing"]),
        lambda: polyseal.decrypt_tree(sealed, tmp_path / "two", key=key, paths=["one", "nothing"]),
        lambda: [*polyseal.list_tree(sealed, key=key, paths=["one", "nothing"])],
    ]
    for call in calls:
        with pytest.raises(ValueError, match="nothing that is called .*nothing"):
            call()
    assert names(tmp_path / "two") == ["one"]
    with pytest.raises(TypeError, match="paths are text"):
        polyseal.verify_tree(sealed, key=key, paths=b"one")  # type: ignore[arg-type]


def test_a_run_is_resumed(tree: Path, sealed: Path, tmp_path: Path, key: SecretKey) -> None:
    out = tmp_path / "out"
    polyseal.decrypt_tree(sealed, out, key=key)
    (out / "one").unlink()
    (out / "a.txt").write_bytes(b"?")
    with pytest.raises(FileExistsError):
        polyseal.decrypt_tree(sealed, out, key=key)
    kept = (out / "a/b/three").stat().st_ino
    summary = polyseal.decrypt_tree(sealed, out, key=key, resume=True)
    assert (summary.files, summary.unchanged, summary.size) == (2, 3, 4)
    assert listing(out) == listing(tree) and (out / "a/b/three").stat().st_ino == kept


def test_an_older_tree_is_noticed_by_its_number(tree: Path, sealed: Path, tmp_path: Path, key: SecretKey) -> None:
    old = tmp_path / "old"
    shutil.copytree(sealed, old)
    (tree / "one").write_bytes(b"changed")
    polyseal.encrypt_tree(tree, sealed, key=key, update=True)
    number = polyseal.list_tree(sealed, key=key, at_least=2).number
    assert number == 2 and polyseal.verify_tree(sealed, key=key, at_least=number).files == 5
    calls: list[Callable[[], object]] = [
        lambda: polyseal.verify_tree(old, key=key, at_least=number),
        lambda: polyseal.decrypt_tree(old, tmp_path / "out", key=key, at_least=number),
        lambda: polyseal.list_tree(old, key=key, at_least=number),
    ]
    for call in calls:
        with pytest.raises(TreeMismatch, match="older: its manifest is number 1") as raised:
            call()
        assert raised.value.reason == "other"
    assert not (tmp_path / "out").exists()
