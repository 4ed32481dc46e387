"""Runs the commands of docs/install.md, each section in a system of its own in which only what it asks for is installed.

    scripts/python scripts/release/install.py [--files FOLDER] [SECTION…]

The files are those of target/release-VERSION, or else of target/dist, target/wheels/shipped and target/c-library. Needs
root, for the roots, and mmdebstrap, podman and bsdtar. In the roots there is no network. After the commands that remove,
a root must have the files that it had before.
"""

import argparse
import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "install.md"
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")).resolve()

# The section that is done on the machine itself, without a root.
HERE = None
# The packages of Debian that the root of each section has beside the essential ones.
RUST = ["gcc", "libc6-dev"]
C = ["cmake", "gcc", "libc6-dev", "make", "pkg-config"]
SECTIONS = {
    "Check what you downloaded": ["minisign"],
    "Tarball": [],
    "Debian package": [],
    "Python": ["python3-venv"],
    "From source": RUST,
    "C library": C,
    "C library without apt": C,
    "Container": HERE,
    "Windows": HERE,
}
# How cargo optimises here, because what is tested is the commands.
QUICK = {f"CARGO_PROFILE_{profile}_{key}": value for profile in ["RELEASE", "LIBRARY"]
         for key, value in [("LTO", "off"), ("OPT_LEVEL", "1"), ("CODEGEN_UNITS", "16")]}
# A program in C finds the library.
LINKED = """
cd /download
tar -xzf polyseal-*-source.tar.gz
cd polyseal-*/crates/polyseal-c/examples
cc seal.c $(pkg-config --cflags --libs polyseal) -o seal
./seal >/dev/null
cmake -S cmake -B build >/dev/null
cmake --build build >/dev/null
build/seal >/dev/null
build/seal-static >/dev/null
"""
# The tool does its work.
TOOL = """
polyseal selftest >/dev/null
printf 'attack at dawn' >message
polyseal keygen -o key
polyseal encrypt -k key -o sealed message
test "$(polyseal decrypt -k key sealed)" = 'attack at dawn'
"""
# The commands that show that what a section installs works.
WORKS = {"Tarball": TOOL, "Debian package": TOOL, "From source": TOOL, "C library": LINKED,
         "C library without apt": LINKED}
# Sections that are named and not run.
NOT_RUN = {"Once it is published"}
VERSION = r"(\d+\.\d+\.\d+(?:-rc\.\d+)?)"
# Files that package managers, compilers and Python keep for themselves.
KEPT = re.compile(r"/(var|tmp|download|opt/cargo|home/\.cache)(/|$)|.*/__pycache__(/|$)|/etc/ld\.so\.cache$")
PATHS = ["/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin", "/opt/cargo/bin"]


def blocks(page):
    """{section: its commands, as (language, text) of each block}; blocks before the first section are of ''."""
    found, section = {}, ""
    for match in re.finditer(r"^## (?P<section>[^\n]+)$|^```(?P<language>\w+)\n(?P<text>.*?)^```$", page, re.M | re.S):
        if match["section"]:
            section = match["section"]
            found.setdefault(section, [])
        else:
            found.setdefault(section, []).append((match["language"], match["text"]))
    return found


def sections(page):
    """The blocks of the sections that are run. A section that nobody says how to run is an error, and so is one that
    has nothing to run."""
    found = blocks(page)
    if found.keys() != SECTIONS.keys() | NOT_RUN:
        raise SystemExit(f"{PAGE.name} and {Path(__file__).name} differ in sections: "
                         f"{sorted(found.keys() ^ (SECTIONS.keys() | NOT_RUN))}")
    for section, its in found.items():
        if bool(its) == (section in NOT_RUN) or {language for language, _ in its} - {"sh", "bat"}:
            raise SystemExit(f"{section}: no commands, or some that are not run")
    return {section: found[section] for section in SECTIONS}


def version():
    text = (ROOT / "Cargo.toml").read_text()
    return re.search(r'^\[workspace\.package\].*?^version = "(.+?)"', text, re.M | re.S)[1]


def named(page):
    """The versions in the names of files of ours that the page has."""
    return set(re.findall(r"polyseal[-_](?:dev_|c-)?" + VERSION, page)) | set(re.findall("release-" + VERSION, page))


def run(*command, **more):
    return subprocess.run([str(part) for part in command], check=True, **more)


def gathered(folder, place):
    """The files of a release in `place`, signed as a release is if they are not yet."""
    place.mkdir()
    release = folder or TARGET / f"release-{version()}"
    if folder or release.is_dir():
        sources = [release]
    else:
        sources = [TARGET / "dist", TARGET / "wheels" / "shipped", TARGET / "c-library"]
    for source in sources:
        for path in source.iterdir():
            if path.is_file():
                shutil.copy2(path, place)
    if len(sources) > 1:
        names = sorted(path.name for path in place.iterdir() if path.name != "SHA256SUMS")
        with open(place / "SHA256SUMS", "w") as sums:
            run("sha256sum", "--", *names, cwd=place, stdout=sums)
    if not (place / "SHA256SUMS.minisig").exists():
        print("install: the files are not signed; signs them with a key for this test")
        with tempfile.TemporaryDirectory() as secret:
            key = Path(secret) / "key"
            run("minisign", "-GW", "-p", place / "polyseal.pub", "-s", key, stdout=subprocess.DEVNULL)
            run("minisign", "-Sm", "SHA256SUMS", "-s", key, cwd=place, stdout=subprocess.DEVNULL)
    return place


def fresh(packages, place):
    """A root of the host's Debian with the packages. What has been made once is kept in target/roots."""
    kept = TARGET / "roots" / ("-".join(["minbase", *packages]) + ".tar")
    if not kept.exists():
        kept.parent.mkdir(parents=True, exist_ok=True)
        release = dict(line.split("=", 1) for line in Path("/etc/os-release").read_text().splitlines() if "=" in line)
        unfinished = kept.with_suffix(".unfinished.tar")
        run("mmdebstrap", "--quiet", "--variant=minbase", f"--include={','.join(['apt', *packages])}",
            release["VERSION_CODENAME"].strip('"'), unfinished)
        unfinished.rename(kept)
    place.mkdir()
    run("tar", "-xf", kept, "-C", place)


def inside(place, script, binds, variables):
    """Runs the script in the root, in /download, without network. The mounts end with it. What asks, gets a yes."""
    mounts = []
    for source, target in {"/dev": "/dev", **binds}.items():
        (place / target.lstrip("/")).mkdir(parents=True, exist_ok=True)
        mounts.append(f"mount --rbind '{source}' '{place}{target}'")
    variables = {"HOME": "/home", "LC_ALL": "C.UTF-8", "PATH": ":".join(PATHS), **variables}
    mounts += [f"mount -t proc proc '{place}/proc'", f"cd '{place}/download'", f"exec chroot '{place}' sh -euxc \"$0\""]
    run("unshare", "--mount", "--net", "sh", "-euc", "\n".join(mounts), f"cd /download\n{script}", env=variables, input=b"y\n")


def files(place):
    """The files in the root, without folders and without those that its programs keep for themselves."""
    found = (path for path in place.rglob("*") if path.is_symlink() or not path.is_dir())
    return {name for name in ("/" + str(path.relative_to(place)) for path in found) if not KEPT.match(name)}


def with_rust():
    """(binds, variables) for a root that is to have this machine's Rust, and what cargo has downloaded."""
    sysroot = subprocess.check_output(["rustc", "--print", "sysroot"], cwd=ROOT, text=True).strip()
    registry = Path(os.environ.get("CARGO_HOME", Path.home() / ".cargo")) / "registry"
    run("cargo", "fetch", "--quiet", "--locked", cwd=ROOT)
    return ({sysroot: "/opt/rust", str(registry): "/opt/cargo/registry"},
            {"PATH": ":".join(["/opt/rust/bin", *PATHS]), "CARGO_HOME": "/opt/cargo", "CARGO_NET_OFFLINE": "true", **QUICK})


def in_a_root(section, found, downloads, place):
    commands = [text for _, text in found]
    remove = commands.pop() if len(commands) > 1 else ""
    packages = SECTIONS[section]
    fresh(packages, place)
    shutil.copytree(downloads, place / "download")
    rust = with_rust() if packages == RUST else ({}, {})
    before = files(place)
    inside(place, "".join([*commands, WORKS.get(section, "")]), *rust)
    if remove:
        inside(place, f"{remove}if command -v polyseal; then exit 1; fi", *rust)
        if left := files(place) - before:
            raise SystemExit(f"{section}: removed, it leaves {sorted(left)[:9]}")


def check_refuses(place):
    """The checks find a damaged file, and forged checksums."""
    file = next(place.glob("download/*.tar.gz"))
    file.write_bytes(file.read_bytes()[:-1] + b"?")
    inside(place, "if sha256sum --check --ignore-missing --quiet SHA256SUMS; then exit 1; fi\n"
                  "sha256sum -- *.tar.gz >SHA256SUMS\nsha256sum --check --quiet SHA256SUMS\n"
                  "if minisign -Vm SHA256SUMS -p polyseal.pub; then exit 1; fi", {}, {})


def in_podman(found, downloads, place):
    """With a store of images of its own. In the container there is no network, and limits are those of this machine."""
    shutil.copytree(downloads, place / "download")
    (place / "containers.conf").write_text(
        '[containers]\nnetns = "none"\ndefault_ulimits = ["nofile=1024:1024", "nproc=1024:1024"]\n'
        '[engine]\nruntime = "runc"\n')
    (place / "storage.conf").write_text(
        f'[storage]\ndriver = "vfs"\ngraphroot = "{place}/graph"\nrunroot = "{place}/run"\n')
    environment = {**os.environ, "CONTAINERS_CONF": str(place / "containers.conf"),
                   "CONTAINERS_STORAGE_CONF": str(place / "storage.conf")}
    for _, text in found:
        run("sh", "-euxc", text, cwd=place / "download", env=environment)
    if not (place / "download" / "backup.key").exists():
        raise SystemExit("Container: it has written no key")


def in_wine(found, downloads, place):
    """Windows' `tar` is bsdtar, which Wine does not have. Everything else is run by Wine's command prompt."""
    shutil.copytree(downloads, place / "download")
    environment = {**os.environ, "WINEPREFIX": str(place / "wine"), "WINEDEBUG": "-all"}
    try:
        for line in "".join(text for _, text in found).splitlines():
            if line.startswith("tar "):
                run("bsdtar", *line.split()[1:], cwd=place / "download")
            else:
                run(str(ROOT / "scripts" / "wine"), "cmd", "/c", line, cwd=place / "download", env=environment, stdin=subprocess.DEVNULL)
    finally:
        # It writes its folder once more when it ends.
        subprocess.run(["wineserver", "--kill"], env=environment)
        subprocess.run(["wineserver", "--wait"], env=environment)


def main():
    parser = argparse.ArgumentParser(description="runs the commands of docs/install.md")
    parser.add_argument("--files", type=Path)
    parser.add_argument("sections", nargs="*", metavar="SECTION")
    arguments = parser.parse_args()
    found = sections(PAGE.read_text())
    # Where no folder above is closed to others: apt reads packages as a user of its own.
    with tempfile.TemporaryDirectory(prefix="polyseal-install.", dir="/var/tmp") as scratch:
        scratch = Path(scratch)
        scratch.chmod(0o755)
        downloads = gathered(arguments.files, scratch / "files")
        for section in arguments.sections or found:
            if section == "Windows" and not list(downloads.glob("*windows.zip")):
                print("install: Windows: SKIPPED, there is no zip")
                continue
            place = scratch / re.sub(r"\W", "-", section)
            if section == "Container":
                place.mkdir()
                in_podman(found[section], downloads, place)
            elif section == "Windows":
                place.mkdir()
                in_wine(found[section], downloads, place)
            else:
                in_a_root(section, found[section], downloads, place)
                if section == "Check what you downloaded":
                    check_refuses(place)
            shutil.rmtree(place)
            print(f"install: {section}: as the page says", flush=True)


if __name__ == "__main__":
    main()
