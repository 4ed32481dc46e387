"""An artifact is data: `scripts/release/run approve` takes what the tag's message approves, and nothing else."""

import hashlib
import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
RELEASE = ROOT / "scripts" / "release"
FILES = {"polyseal-1.2.3.tar.gz": b"sources", "polyseal-1.2.3-py3-none-any.whl": b"wheel", "NOTES.md": b"notes"}


def git(repository, *arguments):
    who = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
    subprocess.run(["git", *who, *arguments], cwd=repository, check=True, capture_output=True)


@pytest.fixture
def checkout(tmp_path):
    """A repository with the script, the artifact of a build in it, and the tag that approves that."""
    (tmp_path / "scripts" / "release").mkdir(parents=True)
    shutil.copy(RELEASE / "run", tmp_path / "scripts" / "release")
    folder = tmp_path / "artifact" / "release-1.2.3"
    folder.mkdir(parents=True)
    sums = ""
    for name, contents in FILES.items():
        (folder / name).write_bytes(contents)
        sums += f"{hashlib.sha256(contents).hexdigest()}  {name}\n"
    (folder / "SHA256SUMS").write_text(sums)
    git(tmp_path, "init", "--quiet")
    git(tmp_path, "add", "scripts")
    git(tmp_path, "commit", "--quiet", "-m", "one")
    approve(tmp_path, hashlib.sha256(sums.encode()).hexdigest())
    return tmp_path


def approve(checkout, digest):
    git(checkout, "tag", "--force", "-a", "v1.2.3", "-m", "Polyseal 1.2.3", "-m", f"SHA256SUMS {digest}  -")


def taken(checkout, *others):
    """The files that are approved; what is said if none are."""
    command = ["bash", checkout / "scripts" / "release" / "run", "approve", "1.2.3", "artifact", *others]
    done = subprocess.run(command, capture_output=True, text=True)
    approved = checkout / "target" / "approved"
    if done.returncode != 0:
        assert not approved.exists()
        return done.stderr
    return sorted(path.name for path in approved.iterdir())


ALL = sorted([*FILES, "SHA256SUMS"])


def test_what_was_approved_is_taken_and_nothing_beside_it(checkout):
    artifact = checkout / "artifact"
    (artifact / "venvs" / "publish" / "bin").mkdir(parents=True)
    (artifact / "release-6.6.6").mkdir()
    (artifact / "release-1.2.3" / "polyseal-6.6.6.whl").write_bytes(b"another")
    (checkout / "target" / "approved").mkdir(parents=True)
    (checkout / "target" / "approved" / "polyseal-0.0.0.whl").write_bytes(b"of an earlier one")
    assert taken(checkout) == ALL


def sums_of_another(folder):
    wheel = b"another wheel"
    (folder / "polyseal-1.2.3-py3-none-any.whl").write_bytes(wheel)
    sums = folder / "SHA256SUMS"
    old = hashlib.sha256(FILES["polyseal-1.2.3-py3-none-any.whl"]).hexdigest()
    sums.write_text(sums.read_text().replace(old, hashlib.sha256(wheel).hexdigest()))


def another_wheel(folder):
    (folder / "polyseal-1.2.3-py3-none-any.whl").write_bytes(b"another wheel")


def a_link(folder):
    (folder / "NOTES.md").rename(folder.parent / "elsewhere")
    (folder / "NOTES.md").symlink_to("../elsewhere")


def a_folder_that_is_a_link(folder):
    folder.rename(folder.parent / "elsewhere")
    folder.symlink_to("elsewhere")


def no_sums(folder):
    (folder / "SHA256SUMS").unlink()


@pytest.mark.parametrize(
    "change, said",
    [
        (sums_of_another, "is not what v1.2.3 approves"),
        (another_wheel, "is not what its SHA256SUMS says"),
        (a_link, "NOTES.md is no file"),
        (a_folder_that_is_a_link, "is no file"),
        (no_sums, "is no file"),
    ],
)
def test_what_was_not_approved_is_not_taken(checkout, change, said):
    change(checkout / "artifact" / "release-1.2.3")
    assert said in taken(checkout)


@pytest.mark.parametrize("name", ["../polyseal-1.2.3.tar.gz", "/etc/hostname", "-rf", ".hidden", "a b"])
def test_a_name_is_the_name_of_a_file_there(checkout, name):
    sums = f"{hashlib.sha256(b'').hexdigest()}  {name}\n"
    (checkout / "artifact" / "release-1.2.3" / "SHA256SUMS").write_text(sums)
    approve(checkout, hashlib.sha256(sums.encode()).hexdigest())
    assert "has the name" in taken(checkout)


def test_the_tag_is_of_the_commit_and_says_what_it_approves(checkout):
    git(checkout, "commit", "--quiet", "--allow-empty", "-m", "two")
    assert "is not what is checked out" in taken(checkout)
    git(checkout, "tag", "--force", "-a", "v1.2.3", "-m", "no hash")
    assert "has no line" in taken(checkout)
    git(checkout, "tag", "--force", "v1.2.3")
    assert not (checkout / "target" / "approved").exists()
    assert isinstance(taken(checkout), str)


def shell(command):
    return subprocess.run(["bash", "-euc", command], cwd=ROOT, check=True, capture_output=True, text=True).stdout


def debian_version(version):
    return shell(f". scripts/release/shipped; version={version}; debian_version").strip()


def test_a_candidate_is_before_its_version_in_debian():
    assert debian_version("1.2.3") == "1.2.3"
    assert debian_version("1.2.3-rc.1") == "1.2.3~rc.1"
    if shutil.which("dpkg"):
        order = [debian_version(version) for version in ["1.2.2", "1.2.3-rc.2", "1.2.3-rc.10", "1.2.3", "1.2.4-rc.1"]]
        for earlier, later in zip(order, order[1:]):
            subprocess.run(["dpkg", "--compare-versions", earlier, "lt", later], check=True)


@pytest.mark.parametrize("version, python, tag", [("1.2.3", "1.2.3", "latest"), ("1.2.3-rc.1", "1.2.3rc1", "next")])
def test_a_candidate_has_each_registrys_form(version, python, tag):
    """PyPI's files have PEP 440's version; npm gives a candidate only to who asks for `next`."""
    def commands(target):
        return shell(f"make --no-print-directory --dry-run -C scripts/release {target} VERSION={version}")

    assert f"/polyseal-{python}.tar.gz" in commands("publish-python")
    packages = re.findall(r"npm publish --access public --tag (\S+) \S*/(\S+)", commands("publish-npm"))
    assert packages == [(tag, f"polyseal-{version}.tgz"), (tag, f"polyseal-core-{version}.tgz")]


@pytest.mark.parametrize("version", ["1.2", "1.2.3-rc1", "1.2.3-beta.1", "1.2.3+a"])
def test_a_version_that_a_registry_would_not_order_is_refused(checkout, version):
    (checkout / "scripts" / "release" / "shipped").write_text(f"version={version}\n")
    git(checkout, "add", "scripts")
    git(checkout, "commit", "--quiet", "-m", "two")
    command = ["bash", checkout / "scripts" / "release" / "run", version]
    (checkout / ".git" / "info" / "exclude").write_text("artifact\n")
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode != 0
    assert f"{version} is neither 1.2.3 nor 1.2.3-rc.1" in done.stderr


def test_a_job_that_may_publish_takes_an_artifact_by_its_approval():
    """A folder of an artifact is named by its download and as FROM; what is published is in target/approved."""
    jobs = (ROOT / ".github/workflows/release.yml").read_text().split("\njobs:\n")[1]
    jobs = re.split(r"^  (?=[a-z-]+:$)", jobs, flags=re.M)[1:]
    assert len(jobs) == 9
    for job in jobs:
        downloads = re.findall(r"download-artifact@.*\n +with:\n +name: (?:release|macos)\n +path: (.*)", job)
        if not downloads:
            assert not re.search("target/(release|macos)", job) or "contents: read" in job
            continue
        assert downloads == ["artifact"]
        lines = [line for line in job.splitlines() if "artifact" in line and "uses:" not in line]
        others = [line.strip() for line in lines if "path: artifact" not in line and "FROM=artifact" not in line]
        assert not others, others
        published = re.findall(r"target/\S+", job)
        assert all(path.startswith("target/approved/") for path in published), published
    makefile = (RELEASE / "Makefile").read_text()
    for target in ["sign", "publish-python", "publish-npm", "publish-container"]:
        assert re.search(rf"^{target}: approve\b", makefile, re.M)
    assert re.search(r"^publish-macos:.*\n\t\./run approve \S+ \S+ macos \$\(APPROVED_MACOS\)$", makefile, re.M)


BUILDS = {"dist": "dist/a.zip dist/a.deb dist/SHA256SUMS", "wheel": "wheels/shipped/a.whl wheels/shipped/a.tar.gz",
          "c-library": "c-library/c.tar.gz c-library/c.deb c-library/build.log", "npm": "release-1.2.3-rc.1/a.tgz",
          "sbom": "release-1.2.3-rc.1/a.cdx.json"}


def test_what_is_built_is_published_and_no_log_beside_it(tmp_path):
    release = tmp_path / "scripts" / "release"
    release.mkdir(parents=True)
    shutil.copy(RELEASE / "run", release)
    for name, files in BUILDS.items():
        (release / name).write_text(f"#!/bin/sh\ncd target\nfor f in {files}; do mkdir -p $(dirname $f); touch $f; done\n")
        (release / name).chmod(0o755)
    (release / "shipped").write_text("version=1.2.3-rc.1\n")
    (tmp_path / "CHANGELOG.md").write_text("# Changelog\n\n## 1.2.3-rc.1, 2027-01-31\n\nNotes.\n")
    for package in ["js", "js/core", "js/page"]:
        (tmp_path / package).mkdir()
        (tmp_path / package / "package.json").write_text('{\n  "version": "1.2.3-rc.1",\n}\n')
    (tmp_path / ".gitignore").write_text("/target\n")
    git(tmp_path, "init", "--quiet")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "--quiet", "-m", "one")
    subprocess.run(["bash", release / "run", "1.2.3-rc.1"], check=True, capture_output=True)
    published = {path.name for path in (tmp_path / "target" / "release-1.2.3-rc.1").iterdir()}
    built = {Path(name).name for files in BUILDS.values() for name in files.split()}
    assert published == built - {"build.log"} | {"NOTES.md", "SHA256SUMS"}


def test_wheels_for_macos_are_approved_by_a_hash_that_no_tag_has(checkout):
    sums = (checkout / "artifact/release-1.2.3").rename(checkout / "artifact/macos-1.2.3") / "SHA256SUMS"
    digest = hashlib.sha256(sums.read_bytes()).hexdigest()
    assert taken(checkout, "macos", digest) == ALL
    for wrong in ("", "x", digest[:-1], digest.upper()):
        assert "APPROVED_MACOS is no hash" in taken(checkout, "macos", wrong)
    assert "APPROVED_MACOS is no hash" in taken(checkout, "macos")
    assert "is not what APPROVED_MACOS approves" in taken(checkout, "macos", digest[::-1])
    assert "is no file" in taken(checkout)
    git(checkout, "commit", "--quiet", "--allow-empty", "-m", "two")
    assert "is not what is checked out" in taken(checkout, "macos", digest)
