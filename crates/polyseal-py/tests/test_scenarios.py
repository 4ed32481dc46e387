"""The scenarios of files, the same through every door: the crate, the tool, this package and C.

The table is ``crates/polyseal-local/tests/scenarios.toml``, which says what its words mean.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import stat
import struct
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, ClassVar

import pytest

ROOT = Path(__file__).parents[3]
TABLE = tomllib.loads((ROOT / "crates/polyseal-local/tests/scenarios.toml").read_text())["scenario"]
DOORS = ("rust", "tool", "python", "c")
ALICE = 1001
KEYS = ("k", "n", "x")

#: How each door says that something was not done. All else is a refusal.
NO_KEY = ("NoMatchingKey", "WrongPassphrase")
CONTENT = (
    # The crate's problems, and those of the file format in them.
    *("Missing", "Added", "OtherFile", "NoManifest", "Manifest", "NotAPolysealFile", "Corrupt", "Truncated"),
    *("CutShort", "Extended", "HeaderNotAuthentic", "UnsupportedVersion"),
    # The package's errors, and what the door of C says.
    *("HeaderError", "CorruptSegment", "TreeMismatch", "ManifestError", "Content"),
)


class Room:
    """A folder in which a scenario takes place."""

    def __init__(self, path: Path, tool: Path) -> None:
        self.path, self.tool = path, tool
        self.undo: list[Callable[[], object]] = []

    def at(self, name: str) -> Path:
        return self.path / name

    def run(self, *arguments: str) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run([self.tool, *arguments], cwd=self.path, capture_output=True, stdin=subprocess.DEVNULL)

    def must(self, *arguments: str) -> bytes:
        done = self.run(*arguments)
        assert done.returncode == 0, done.stderr
        return done.stdout

    # Entries that can be there before.

    def file(self, name: str, text: str = "") -> None:
        self.at(name).write_text(text)

    def zeros(self, name: str, size: str) -> None:
        self.at(name).write_bytes(os.urandom(int(size)))

    def dir(self, name: str) -> None:
        self.at(name).mkdir(mode=0o755)

    def link(self, name: str, target: str) -> None:
        self.at(name).symlink_to(target)

    def fifo(self, name: str) -> None:
        os.mkfifo(self.at(name))

    def seal(self, name: str, text: str, keys: str) -> None:
        self.file(f"{name}.plain", text)
        self.must("encrypt", *_each("-k", keys), "-o", name, f"{name}.plain")
        self.remove(f"{name}.plain")

    def tree(self, name: str) -> None:
        self.dir(name)
        self.dir(f"{name}/sub")
        self.file(f"{name}/one", "one")
        self.file(f"{name}/sub/two", "two")

    def sealed(self, name: str, plain: str, keys: str) -> None:
        made = not self.at(plain).exists()
        if made:
            self.tree(plain)
        self.must("encrypt", *_each("-k", keys), "--recursive", "-o", name, plain)
        if made:
            self.remove(plain)

    def mode(self, name: str, mode: str) -> None:
        self.at(name).chmod(int(mode, 8))

    def owner(self, name: str, user: str, group: str) -> None:
        os.chown(self.at(name), int(user), int(group))

    def acl(self, name: str, user: str) -> None:
        """Lets the user read and write, too, and enter a directory."""
        rights = 7 if self.at(name).is_dir() else 6
        nobody = 0xFFFFFFFF
        entries = [(1, rights, nobody), (2, rights, int(user)), (4, 4, nobody), (0x10, rights, nobody), (0x20, 0, nobody)]
        value = struct.pack("<I", 2) + b"".join(struct.pack("<HHI", *entry) for entry in entries)
        try:
            os.setxattr(self.at(name), "system.posix_acl_access", value)
        except OSError:
            _cannot("a file system with access control lists is needed")

    def copy(self, *names: str) -> None:
        subprocess.run(["cp", "-r", *names], cwd=self.path, check=True)

    def remove(self, name: str) -> None:
        path = self.at(name)
        shutil.rmtree(path) if path.is_dir() else path.unlink()

    def rename(self, name: str, to: str) -> None:
        self.at(name).rename(self.at(to))

    def alter(self, name: str, at: str) -> None:
        content = bytearray(self.at(name).read_bytes())
        content[int(at)] ^= 1
        self.at(name).write_bytes(content)

    def flip(self, name: str) -> None:
        self.alter(name, "-1")

    def backup(self, name: str) -> None:
        """The copy of a rekey in place that was interrupted before it had written anything."""
        old = self.at(name).read_bytes()
        header = int.from_bytes(old[16:24], "little")
        self.copy(name, "again")
        self.must("rekey", "-k", "k", "--to-key", "x", "again")
        new = self.at("again").read_bytes()
        self.remove("again")
        self.at(f"{name}.header-backup").write_bytes(old[:header] + new[:header])

    def lock(self, name: str) -> None:
        fd = os.open(self.at(name), os.O_RDONLY)
        fcntl.flock(fd, fcntl.LOCK_EX)
        self.undo.append(lambda: os.close(fd))

    def full(self, name: str) -> None:
        """A folder on a small disk."""
        self.dir(name)
        mount = ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(self.at(name))]
        if subprocess.run(mount, capture_output=True).returncode:
            _cannot("a file system cannot be mounted")
        self.undo.append(lambda: subprocess.run(["umount", "-l", str(self.at(name))], check=True))

    # Checks of the state after.

    def is_(self, name: str, text: str = "") -> None:
        assert self.at(name).read_text() == text

    def opens(self, name: str, key: str, text: str = "") -> None:
        opened = self.must("decrypt", "-k", key, *_bound(name), name)
        assert text == "?" or opened == text.encode()

    def closed(self, name: str, key: str) -> None:
        assert self.run("decrypt", "-k", key, *_bound(name), name).returncode == 4

    def absent(self, name: str) -> None:
        assert not os.path.lexists(self.at(name))

    def mode_is(self, name: str, mode: str) -> None:
        assert f"{stat.S_IMODE(self.at(name).stat().st_mode):04o}" == mode

    def owner_is(self, name: str, user: str, group: str) -> None:
        there = self.at(name).stat()
        assert (there.st_uid, there.st_gid) == (int(user), int(group))

    def link_is(self, name: str, target: str) -> None:
        assert os.readlink(self.at(name)) == target

    def same(self, one: str, other: str) -> None:
        assert self.at(one).samefile(self.at(other))

    def whole(self, name: str, key: str) -> None:
        self.must("verify", "-k", key, "--recursive", name)

    def names(self, *names: str) -> None:
        assert sorted(set(os.listdir(self.path)) - set(KEYS)) == sorted(names)

    AFTER: ClassVar[dict[str, Callable[..., None]]] = {"is": is_, "mode": mode_is, "owner": owner_is, "link": link_is}


def _bound(name: str) -> list[str]:
    """The arguments that bind a manifest to a context of its own."""
    return ["--context", "polyseal-manifest/3"] if name.endswith(".polyseal-manifest.polyseal") else []


def _each(option: str, keys: str) -> list[str]:
    return [word for key in keys.split(",") for word in (option, key)]


def _cannot(what: str) -> None:
    assert "CI" not in os.environ, what
    pytest.skip(what)


def _built(name: str, *build: str) -> Path:
    path = ROOT / "target/debug" / name
    if not path.exists():
        subprocess.run(["cargo", "build", "--locked", "--quiet", *build], cwd=ROOT, check=True)
    return path


@pytest.fixture(scope="session")
def doors(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program of each door, where every user may run it."""
    place = tmp_path_factory.mktemp("doors")
    tool = Path(os.environ.get("POLYSEAL_TOOL", ROOT / "target/debug/polyseal"))
    shutil.copy(tool, place / "tool")
    shutil.copy(_built("examples/files", "-p", "polyseal-local", "--example", "files"), place / "rust")
    shutil.copy(_built("deps/libpolyseal_c.so", "-p", "polyseal-c"), place / "c")
    for path in (place, *place.parents):
        if path.stat().st_uid == os.geteuid():
            path.chmod(path.stat().st_mode | 0o055)
        if path.name.startswith("pytest-of"):
            break
    return place


@pytest.fixture
def room(tmp_path: Path, doors: Path) -> Iterator[Room]:
    tmp_path.chmod(0o755)
    room = Room(tmp_path / "room", doors / "tool")
    room.path.mkdir(mode=0o755)
    for key in KEYS:
        room.must("keygen", "-o", key)
        room.mode(key, "644")
    yield room
    for undo in reversed(room.undo):
        undo()


def _command(door: str, doors: Path, run: dict[str, Any], user: int, mask: str) -> list[str]:
    given = {name: str(value).lower() if isinstance(value, bool) else value for name, value in run.items()}
    operation = given.pop("operation")
    if door in ("python", "c"):
        words = [f"{name}={value}" for name, value in given.items()]
        return [sys.executable, str(Path(__file__).parent / "doors.py"), door, str(user), mask, operation, *words]
    if door == "rust":
        return [str(doors / "rust"), operation, *(f"{name}={value}" for name, value in given.items())]
    command = [str(doors / "tool"), operation.removesuffix("_tree"), *_each("-k", given["key"])]
    command += ["--to-key", given["to"]] if "to" in given else []
    command += ["--recursive"] if operation.endswith("_tree") else []
    command += ["-o", given["output"]] if "output" in given else []
    options = {"overwrite": "-f", "keep": "--keep", "new_key": "--new-key", "preserve_permissions": "--preserve-permissions"}
    command += [option for name, option in options.items() if given.get(name) == "true"]
    return [*command, given["input"]]


def _outcome(door: str, done: subprocess.CompletedProcess[str]) -> str:
    if door == "tool":
        return {0: "ok", 3: "content", 4: "no_key", 6: "content"}.get(done.returncode, "refused")
    assert done.returncode == 0, done.stderr
    words = done.stdout.replace("(", " ").replace("{", " ").split()
    if words == ["ok"]:
        return "ok"
    if any(word in NO_KEY for word in words):
        return "no_key"
    return "content" if any(word in CONTENT for word in words) else "refused"


def _has(door: str, scenario: dict[str, Any]) -> bool:
    run = scenario["run"]
    if door == "c":
        return not run["operation"].endswith("_tree")
    # The package gives a file its recipients where it is.
    return door != "python" or run["operation"] != "rekey" or "output" not in run


CASES = [(scenario, door) for scenario in TABLE for door in DOORS if _has(door, scenario)]


@pytest.mark.parametrize(("scenario", "door"), CASES, ids=[f"{s['name']} ({d})" for s, d in CASES])
def test_scenario(scenario: dict[str, Any], door: str, room: Room, doors: Path) -> None:
    user = ALICE if scenario.get("as") == "alice" else 0
    if os.geteuid() != 0:
        _cannot("to be several users takes root")
    # Entries are the user's, unless they are said to be another's.
    os.chown(room.path, user, user)
    for line in scenario["before"]:
        word, *rest = line.split(" ")
        getattr(room, word)(*rest)
        made = rest[-1:] if word in ("copy", "rename") else rest[:1]
        names = [] if word in ("owner", "mode", "acl", "lock") else made
        for path in (path for name in names for path in [room.at(name), *room.at(name).rglob("*")] if os.path.lexists(path)):
            if path.lstat().st_uid == 0:
                os.chown(path, user, user, follow_symlinks=False)
    mask = scenario.get("umask", "022")
    become = {} if door in ("python", "c") else {"user": user, "group": user, "extra_groups": [], "umask": int(mask, 8)}
    done = subprocess.run(
        _command(door, doors, scenario["run"], user, mask),
        cwd=room.path,
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        env={**os.environ, "POLYSEAL_C": str(doors / "c")},
        **become,  # type: ignore[call-overload]
    )
    assert _outcome(door, done) == scenario["outcome"], done.stdout + done.stderr
    for line in scenario.get("after", []):
        word, *rest = line.split(" ")
        check = Room.AFTER[word] if word in Room.AFTER else getattr(Room, word)
        check(room, *rest)


def test_the_table_is_whole() -> None:
    """Every scenario has a name of its own, and says words that mean something."""
    names = [scenario["name"] for scenario in TABLE]
    assert len(names) == len(set(names)) > 60
    assert {scenario["outcome"] for scenario in TABLE} == {"ok", "refused", "no_key", "content"}
