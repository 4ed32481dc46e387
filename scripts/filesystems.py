"""Whole jobs of the tool on file systems that are not ext4: `make test-all ONLY=filesystems`, as root.

Each is made in a file or a folder, mounted, and worked on. What holds on it is told by a table, that of docs/files.md,
and compared with EXPECTED: a difference is a failure. Where /dev/fuse or a file system's driver is missing, that is said.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import time
import unicodedata
from pathlib import Path

TOOL = Path(sys.argv[1]).resolve()

# How each is mounted: {m} the mount's folder, {b} a folder behind it, {i} an image of 64 MiB. Made by the first lines.
MOUNTS = {
    "tmpfs": ["mount -t tmpfs none {m}"],
    "overlayfs": ["mkdir -p {b}/low/folder {b}/up && echo old >{b}/low/folder/lower",
                  "mount -t tmpfs none {b}/up && mkdir {b}/up/u {b}/up/w",
                  "mount -t overlay -o lowerdir={b}/low,upperdir={b}/up/u,workdir={b}/up/w none {m}"],
    "ext4, casefold": ["mkfs.ext4 -q -O casefold {i}", "mount -o loop {i} {m}", "chattr +F {m}"],
    "vfat": ["mkfs.vfat {i}", "mount -o loop {i} {m}"],
    "exfat-fuse": ["mkfs.exfat {i}", "mount.exfat-fuse $(losetup --show -f {i}) {m}"],
    "lowntfs-3g, ignore_case": ["mkntfs -q -F {i}", "lowntfs-3g -o ignore_case {i} {m}"],
    "bindfs": ["bindfs {b} {m}"],
    "bindfs, chmod denied": ["bindfs --chmod-deny {b} {m}"],
    "bindfs, another owner": ["bindfs -u 12345 -g 12345 {b} {m}"],
    "rclone": ["rclone --config /dev/null mount --daemon --vfs-cache-mode writes :local:{b} {m}"],
}
# If two names differ in case alone, both are kept, or one is refused by name and nothing is lost.
EXPECTED = {name: "kept" for name in MOUNTS} | {
    "ext4, casefold": "refused", "vfat": "refused", "exfat-fuse": "refused", "lowntfs-3g, ignore_case": "refused",
}


class Failed(Exception):
    """An expectation that does not hold."""


def polyseal(*arguments, code=0):
    done = subprocess.run([TOOL, *map(str, arguments)], capture_output=True, text=True, errors="replace")
    codes = code if isinstance(code, tuple) else (code,)
    if done.returncode not in codes:
        raise Failed(f"{' '.join(map(str, arguments))}: {done.returncode}, not {code}: {done.stderr.strip()}")
    return done


def expect(holds, what):
    if not holds:
        raise Failed(what)


def one_file(here, key, there):
    """A file is made, refused where one stands, replaced with -f, and opened."""
    (here / "m").write_text("hello")
    polyseal("encrypt", "-k", key, "-o", there / "c", here / "m")
    polyseal("encrypt", "-k", key, "-o", there / "c", here / "m", code=2)
    polyseal("decrypt", "-k", key, "-o", there / "d", there / "c")
    expect((there / "d").read_text() == "hello", "another text")
    polyseal("decrypt", "-k", key, "-f", "-o", there / "d", there / "c")
    polyseal("keygen", "-o", there / "key")
    polyseal("rekey", "-k", key, "--to-key", there / "key", there / "c")
    polyseal("rekey", "--in-place", "-k", there / "key", "--to-key", key, there / "c")
    polyseal("verify", "-k", key, there / "c")


def tree(here, key, there):
    """A tree goes there and comes back."""
    source = here / "tree"
    (source / "sub").mkdir(parents=True)
    (source / "one").write_text("one")
    (source / "sub" / "two").write_text("two")
    polyseal("encrypt", "-k", key, "--recursive", "-o", there / "sealed", source)
    polyseal("verify", "-k", key, "--recursive", there / "sealed")
    polyseal("decrypt", "-k", key, "--recursive", "-o", there / "back", there / "sealed")
    polyseal("decrypt", "-k", key, "--recursive", "-f", "-o", there / "back", there / "sealed")
    found = {str(path.relative_to(there / "back")): path.read_text() for path in (there / "back").rglob("*") if path.is_file()}
    expect(found == {"one": "one", "sub/two": "two"}, f"{found}")


def lower(here, key, there):
    """A file in a layer below is read, and replaced above."""
    if not (there / "lower").exists():
        return
    polyseal("encrypt", "-k", key, "-o", there / "lower.polyseal", there / "lower")
    polyseal("decrypt", "-k", key, "-f", "-o", there / "lower", there / "lower.polyseal")
    expect((there / "lower").read_text() == "old\n", "another text")


# Names that some file systems take for one: of files, and of the folders that they are in.
TWINS = [
    ("Readme", "README"),
    (unicodedata.normalize("NFC", "é"), unicodedata.normalize("NFD", "é")),
    ("sub/a", "SUB/a"),
]


def texts(folder):
    return sorted(path.read_text() for path in folder.rglob("*") if path.is_file()) if folder.exists() else []


def twins(here, key, there):
    """Whether two files whose names may be one are both kept, or one is refused and nothing is lost."""
    said = set()

    def judge(what, done, contents, pair):
        if done.returncode == 0:
            expect(contents == sorted(pair), f"{what} {pair}: {contents}, and exit code 0")
            said.add("kept")
        else:
            expect("-f" not in done.stderr, f"{what} {pair} advises -f: {done.stderr}")
            expect(len(contents) == 1 and contents[0] in pair, f"{what} {pair}: {contents}")
            said.add("refused")

    for number, pair in enumerate(TWINS):
        source, sealed = here / f"twins{number}", here / f"sealed{number}"
        for name in pair:
            (source / name).parent.mkdir(parents=True, exist_ok=True)
            (source / name).write_text(name)
        polyseal("encrypt", "-k", key, "--recursive", "-o", sealed, source)
        for force in ([], ["-f"]):
            to = there / f"to{number}{len(force)}"
            to.mkdir()
            codes = (0, 1, 2, 3)
            done = polyseal("decrypt", "-k", key, "--recursive", *force, "-o", to / "tree", sealed, code=codes)
            judge("decrypt", done, texts(to / "tree"), pair)
            done = polyseal("encrypt", "-k", key, "--recursive", *force, "-o", to / "sealed", source, code=codes)
            opened = here / f"opened{number}{len(force)}"
            opened.mkdir()
            # Each opens by itself: a driver may list other names than it was given.
            sealed_files = (path for path in (to / "sealed").rglob("*.polyseal") if "manifest" not in path.name)
            for at, file in enumerate(sealed_files):
                polyseal("decrypt", "-k", key, "-o", opened / str(at), file)
            judge("encrypt", done, texts(opened), pair)
            if "/" not in pair[0]:
                (to / "many").mkdir()
                files = [source / name for name in pair]
                done = polyseal("encrypt", "-k", key, *force, "-o", to / "many", *files, code=codes)
                each = here / f"each{number}{len(force)}"
                each.mkdir()
                polyseal("decrypt", "-k", key, "-o", each, *(to / "many").iterdir(), code=codes)
                judge("many files", done, texts(each), pair)
    return "refused" if "refused" in said else "kept"


def updates(here, key, there):
    """Nights of a backup; in the last ones names may be one there, and nothing else is lost."""
    source, sealed = here / "nights", there / "nights"
    source.mkdir()

    def night(files, code=0):
        for name, text in files.items():
            (source / name).parent.mkdir(parents=True, exist_ok=True)
            (source / name).write_text(text)
        polyseal("encrypt", "-k", key, "--recursive", "--update", "-o", sealed, source, code=code)

    for number, files in enumerate([{"one": "1", "two": "2"}, {"two": "changed"}]):
        night(files)
        back = here / f"night{number}"
        polyseal("decrypt", "-k", key, "--recursive", "-o", back, sealed)
        expect({path.name: path.read_text() for path in back.iterdir()} == files, f"night {number}")
        (source / "one").unlink(missing_ok=True)
    for number, pair in enumerate(TWINS):
        night({name: name for name in pair}, code=(0, 1, 2))
        opened = here / f"nights{number}"
        opened.mkdir()
        # Each by itself: a driver may list other names than it was given.
        for at, file in enumerate(path for path in sealed.rglob("*.polyseal") if "manifest" not in path.name):
            polyseal("decrypt", "-k", key, "-o", opened / str(at), file)
        found = texts(opened)
        expect("changed" in found, f"{pair}: the other file is lost: {found}")
        expect(set(pair) & set(found), f"{pair}: neither is there: {found}")


def left(there):
    names = [path.name for path in there.rglob("*") if path.suffix == ".tmp" or "backup" in path.name]
    expect(not names, f"left behind: {names}")


def work(name, commands, root):
    mount, behind, image = root / "m", root / "b", root / "i"
    mount.mkdir()
    behind.mkdir()
    with image.open("wb") as file:
        file.truncate(64 << 20)
    for command in commands:
        shell = command.format(m=mount, b=behind, i=image)
        done = subprocess.run(shell, shell=True, capture_output=True, text=True)
        if done.returncode != 0:
            return f"not here: {shell.split()[0]}: {(done.stderr or done.stdout).strip().splitlines()[-1:]}"
    for _ in range(50):
        if os.path.ismount(mount):
            break
        time.sleep(0.1)
    here = root / "here"
    here.mkdir()
    key = here / "k"
    polyseal("keygen", "-o", key)
    there = mount / "folder"
    there.mkdir(exist_ok=True)
    try:
        lower(here, key, there)
        one_file(here, key, there)
        tree(here, key, there)
        updates(here, key, there)
        kept = twins(here, key, there)
        left(there)
        expect(kept == EXPECTED[name], f"twins are {kept}, not {EXPECTED[name]}")
        return f"whole, twins {kept}"
    except Failed as failed:
        return f"FAILED: {failed}"
    finally:
        for mounted in (mount, behind / "up"):
            subprocess.run(["umount", "-l", mounted], capture_output=True)
        for device in subprocess.run(["losetup", "-n", "-O", "NAME", "-j", image], capture_output=True, text=True).stdout.split():
            subprocess.run(["losetup", "-d", device], capture_output=True)


def main():
    asked = sys.argv[2:] or MOUNTS
    results = {}
    for name in asked:
        root = Path(tempfile.mkdtemp())
        try:
            results[name] = work(name, MOUNTS[name], root)
        finally:
            subprocess.run(["umount", "-l", root / "m"], capture_output=True)
            shutil.rmtree(root, ignore_errors=True)
        print(f"| {name} | {results[name]} |", flush=True)
    sys.exit(any(result.startswith("FAILED") for result in results.values()))


main()
