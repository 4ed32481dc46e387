"""Fills the recipes of contrib/packaging and contrib/oss-fuzz for a release: `scripts/python scripts/release/recipes.py`. They go to target/recipes.

Version and address are those of Cargo.toml, where scripts/release/repository.py has put the address. The checksum is that of the
sources, in target/release-VERSION or target/dist.

    scripts/python --in scripts/release scripts/release/recipes.py check

tries them as far as that can be had here. The formula is run with a stand-in for Homebrew (formula.rb beside it), the
flake is evaluated with one for nixpkgs, and conda's package is built with this machine's compilers and tested. The C
library is built by Conan, and by vcpkg's portfile with a stand-in for vcpkg (portfile-test.cmake); a program uses it.
"""

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
from pathlib import Path

import install
import repository

ROOT = Path(__file__).resolve().parents[2]
PACKAGING = ROOT / "contrib" / "packaging"
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")).resolve()
OUT = TARGET / "recipes"
# The address in a recipe where there is none yet.
NOWHERE = "https://example.org/polyseal/polyseal"


def templates():
    return sorted((ROOT / "contrib").glob("*/*.in"))


def filled(text, values):
    """The template with @name@ replaced by its value."""
    return re.sub(r"@(\w+)@", lambda found: values[found[1]], text)


def sources(version):
    """The tarball of the sources."""
    for folder in [TARGET / f"release-{version}", TARGET / "dist"]:
        if (path := folder / f"polyseal-{version}-source.tar.gz").exists():
            return path
    raise SystemExit("there are no sources: `make dist` makes them")


def digests(contents):
    return {name: hashlib.new(name, contents).hexdigest() for name in ["sha256", "sha512"]}


def fill(address):
    """Writes the recipes, and gives the tarball that they are for."""
    version = tomllib.loads((ROOT / "Cargo.toml").read_text())["workspace"]["package"]["version"]
    tarball = sources(version)
    # Conda's versions are Python's.
    values = {"version": version, "python_version": version.replace("-rc.", "rc"), "repository": address,
              **digests(tarball.read_bytes())}
    OUT.mkdir(parents=True, exist_ok=True)
    for template in templates():
        (OUT / template.stem).write_text(filled(template.read_text(), values))
    return tarball, values


def run(*command, **more):
    return subprocess.run([str(part) for part in command], check=True, **more)


def check_formula(tree, values):
    run("ruby", "-wc", OUT / "polyseal.rb", stdout=subprocess.DEVNULL)
    run("ruby", PACKAGING / "formula.rb", OUT / "polyseal.rb", values["version"], values["sha256"], cwd=tree)


def check_flake(values, scratch):
    """With a stand-in for nixpkgs that gives back what it is called with."""
    # Alone, because a flake in a repository is what is committed there.
    flake = scratch / "flake"
    flake.mkdir()
    for name in ["flake.nix", "Cargo.toml", "Cargo.lock"]:
        shutil.copy(ROOT / name, flake)
    (scratch / "nixpkgs").mkdir()
    (scratch / "nixpkgs" / "flake.nix").write_text("""{
      outputs = { self }: rec {
        lib.genAttrs = names: make:
          builtins.listToAttrs (map (name: { inherit name; value = make name; }) names);
        lib.licenses = { asl20 = "asl20"; mit = "mit"; };
        legacyPackages = lib.genAttrs [ "x86_64-linux" "aarch64-linux" "x86_64-darwin" "aarch64-darwin" ] (system: {
          inherit lib;
          installShellFiles = "installShellFiles";
          rustPlatform.buildRustPackage = given: given // { crates = (builtins.fromTOML
            (builtins.readFile given.cargoLock.lockFile)).package; };
        });
      };
    }""")
    nix = ["nix", "--extra-experimental-features", "nix-command flakes", "--offline", "--store", scratch / "store"]
    # An evaluated string is one line: the version, how many crates are locked, what runs.
    shown = subprocess.check_output(
        [*nix, "eval", "--raw", "--no-write-lock-file", "--override-input", "nixpkgs", f"path:{scratch / 'nixpkgs'}",
         f"path:{flake}#packages.x86_64-linux.default", "--apply",
         'p: "${p.version} ${toString (builtins.length p.crates > 100)} ${p.meta.mainProgram}"'], text=True)
    if shown != f"{values['version']} 1 polyseal":
        raise SystemExit(f"flake.nix gives {shown}")


def check_conda(tarball, scratch):
    """The package, but with this machine's cargo and C compiler in place of conda's, and the tarball that is here."""
    from rattler_build import EnvironmentIsolation, Stage0Recipe, ToolConfiguration

    text = (OUT / "recipe.yaml").read_text()
    text, urls = re.subn(r"^  url: .*$", f"  url: file://{tarball}", text, flags=re.M)
    text, compilers = re.subn(r"^requirements:\n(  .*\n)+\n", "", text, flags=re.M)
    assert (urls, compilers) == (1, 1)
    (scratch / "recipe.yaml").write_text(text)
    recipe = Stage0Recipe.from_file(scratch / "recipe.yaml")
    built = recipe.run_build(tool_config=ToolConfiguration(test_strategy="native"), output_dir=scratch / "conda",
                             channels=[], env_isolation=EnvironmentIsolation.NONE)
    print("recipes: conda:", *[package.name for one in built for package in one.packages])


def uses(prefix, place, *options):
    """A program finds the library by CMake, and runs."""
    place.mkdir()
    example = (ROOT / "crates/polyseal-c/examples/seal.c").as_posix()
    (place / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.16)\nproject(user C)\nfind_package(polyseal 0.1 REQUIRED)\n"
        f"add_executable(seal {example})\ntarget_link_libraries(seal PRIVATE polyseal::polyseal)\n")
    run("cmake", "-S", place, "-B", place / "build", f"-DCMAKE_PREFIX_PATH={prefix}", *options, stdout=subprocess.DEVNULL)
    run("cmake", "--build", place / "build", stdout=subprocess.DEVNULL)
    run(place / "build" / "seal", stdout=subprocess.DEVNULL)


def check_vcpkg(tarball, scratch):
    """The port, of which vcpkg itself would refuse what has no name, version or licence, or a field that it does not know."""
    port = json.loads((OUT / "vcpkg.json").read_text())
    assert port.keys() == {"name", "version-semver", "description", "homepage", "license", "supports", "dependencies"}
    for linked in ["dynamic", "static"]:
        prefix = scratch / f"vcpkg-{linked}"
        run("cmake", f"-DPORT={OUT}", f"-DARCHIVE_HERE={tarball}", f"-DINTO={prefix}", f"-DVCPKG_LIBRARY_LINKAGE={linked}",
            f"-DOPTIONS=-DPOLYSEAL_TARGET={scratch / 'vcpkg'}", "-P", PACKAGING / "portfile-test.cmake")
        uses(prefix, scratch / f"uses-vcpkg-{linked}")
        assert (prefix / "lib/libpolyseal.a").exists() == (linked == "static")


def check_conan(tarball, values, scratch):
    text, urls = re.subn(r'"https://.*-source.tar.gz"', f'"file://{tarball}"', (OUT / "conanfile.py").read_text())
    assert urls == 1
    (scratch / "conanfile.py").write_text(text)
    variables = {**os.environ, "CONAN_HOME": str(scratch / "conan")}
    conan = [sys.executable, "-m", "conans.conan"]
    run(*conan, "profile", "detect", env=variables)
    run(*conan, "create", scratch / "conanfile.py", env=variables)
    run(*conan, "install", f"--requires=polyseal/{values['version']}", "-g", "CMakeDeps", "-g", "CMakeToolchain",
        f"--output-folder={scratch / 'generated'}", env=variables)
    uses("", scratch / "uses-conan", f"-DCMAKE_TOOLCHAIN_FILE={scratch / 'generated/conan_toolchain.cmake'}",
         "-DCMAKE_BUILD_TYPE=Release")


def main():
    if sys.argv[1:] not in ([], ["check"]):
        raise SystemExit(__doc__)
    address = repository.address()
    if not sys.argv[1:]:
        if not address:
            raise SystemExit("Cargo.toml has no address of a repository: scripts/release/repository.py puts it there")
        fill(address)
        print(*sorted(OUT.iterdir()), sep="\n")
        return
    tarball, values = fill(address or NOWHERE)
    with tempfile.TemporaryDirectory() as scratch:
        scratch = Path(scratch)
        with tarfile.open(tarball) as archive:
            archive.extractall(scratch, filter="data")
        check_formula(scratch / f"polyseal-{values['version']}", values)
        print("recipes: Homebrew: the formula is as its stand-in asks", flush=True)
        check_flake(values, scratch)
        print("recipes: Nix: the flake is evaluated", flush=True)
        os.environ |= install.QUICK
        check_vcpkg(tarball, scratch)
        print("recipes: vcpkg: the port is built and used", flush=True)
        check_conan(tarball, values, scratch)
        print("recipes: Conan: the package is built and used", flush=True)
        check_conda(tarball, scratch)
        print("recipes: conda: the package is built and tested", flush=True)


if __name__ == "__main__":
    main()
