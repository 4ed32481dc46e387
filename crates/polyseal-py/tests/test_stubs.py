"""The stubs say what the module is: every name, and every signature. And the examples run."""

from __future__ import annotations

import ast
import doctest
import importlib
import inspect
import pkgutil
import shutil
import subprocess
import sys
from pathlib import Path

import polyseal
import pytest
from algorithm_stubs import stub
from polyseal import _polyseal

PACKAGE = Path(polyseal.__file__).parent
ROOT = Path(__file__).parents[3]
MODULES = ["polyseal", *(f"polyseal.{m.name}" for m in pkgutil.iter_modules([str(PACKAGE)]))]


def signature(function: ast.FunctionDef) -> str:
    """The parameters of a function in a stub, with defaults and without types."""
    for argument in ast.walk(function.args):
        if isinstance(argument, ast.arg):
            argument.annotation = None
    return ast.unparse(function.args)


def real(function: object) -> str:
    """The same of a function that is there."""
    found = inspect.signature(function)  # type: ignore[arg-type]
    text = str(found)
    return ast.unparse(ast.parse(f"def f{text}: ...").body[0].args)  # type: ignore[attr-defined]


def compare(kind: type, stubbed: ast.ClassDef) -> None:
    in_stub = set()
    for item in stubbed.body:
        if isinstance(item, ast.AnnAssign):
            assert isinstance(item.target, ast.Name)
            in_stub.add(item.target.id)
            continue
        assert isinstance(item, ast.FunctionDef)
        in_stub.add(item.name)
        decorators = [d.id for d in item.decorator_list if isinstance(d, ast.Name)]
        there = inspect.getattr_static(kind, item.name)
        if "property" in decorators:
            assert inspect.isgetsetdescriptor(there), f"{kind}.{item.name}"
            continue
        if item.name.startswith("__"):
            if item.name != "__new__":
                continue
            expected = signature(item).removeprefix("cls").removeprefix(", ")
            assert real(kind) == expected, f"{kind}: {real(kind)}"
            continue
        expected = signature(item)
        if "classmethod" in decorators:
            expected = expected.removeprefix("cls").removeprefix(", ")
        actual = real(getattr(kind, item.name))
        actual = actual.replace("self, /", "self").replace(", /", "")
        assert actual == expected, f"{kind}.{item.name}: {actual}"
        assert getattr(kind, item.name).__doc__, f"{kind}.{item.name} has no documentation"
    public = {name for name in vars(kind) if not name.startswith("_")}
    bases = {"algorithm", "key_bytes", "nonce_bytes", "tag_bytes"}
    assert public - bases == {n for n in in_stub if not n.startswith("_")} - bases, kind


def test_the_stub_of_the_extension_module_is_the_module() -> None:
    tree = ast.parse((PACKAGE / "_polyseal.pyi").read_text())
    classes = {n.name: n for n in tree.body if isinstance(n, ast.ClassDef)}
    functions = {n.name: n for n in tree.body if isinstance(n, ast.FunctionDef)}
    made = {c.__name__ for c in polyseal.ALGORITHMS.values()}
    there = {name for name in dir(_polyseal) if not name.startswith("_")} - made
    assert there == classes.keys() | functions.keys() | {"ALGORITHMS"}
    for name, stubbed in classes.items():
        compare(getattr(_polyseal, name), stubbed)
    for name, function in functions.items():
        assert real(getattr(_polyseal, name)) == signature(function), name


def test_the_stub_of_the_algorithms_is_the_registry() -> None:
    assert (PACKAGE / "algorithms.pyi").read_text() == stub()


def test_every_public_name_is_there_and_documented() -> None:
    assert len(set(polyseal.__all__)) == len(polyseal.__all__)
    for name in polyseal.__all__:
        found = getattr(polyseal, name)
        assert name in ("ALGORITHMS", "__version__") or found.__doc__, name
    for name in ("_polyseal", "algorithms", "errors", "files", "keys"):
        assert (PACKAGE / "py.typed").exists() and hasattr(polyseal, name)


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_in_the_documentation_run(name: str) -> None:
    module = importlib.import_module(name)
    failed = doctest.testmod(module, optionflags=doctest.ELLIPSIS).failed
    assert failed == 0


@pytest.mark.parametrize("kind", [_polyseal.SecretKey, _polyseal.StreamSealer, _polyseal.Aead])
def test_the_examples_of_native_classes_run(kind: type) -> None:
    parser, runner = doctest.DocTestParser(), doctest.DocTestRunner()
    example = parser.get_doctest(kind.__doc__ or "", dict(vars(polyseal)), kind.__name__, None, None)
    runner.run(example)
    assert runner.failures == 0


@pytest.mark.parametrize("page", ["README.md", "docs/python.md", "crates/polyseal-py/README.md"])
def test_the_examples_of_the_pages_run(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All blocks of a page, one after the other, in an empty directory."""
    monkeypatch.chdir(tmp_path)
    text = (ROOT / page).read_text()
    blocks = [block.split("```")[0] for block in text.split("```python\n")[1:]]
    assert blocks
    exec(compile("\n".join(blocks), page, "exec"), {"__name__": "page"})


def test_types_are_right(tmp_path: Path) -> None:
    """`mypy --strict` over the package, its stubs and these tests."""
    tests, package = Path(__file__).parent, tmp_path / "polyseal"
    # mypy takes what is among installed packages for somebody else's.
    shutil.copytree(PACKAGE, package, ignore=shutil.ignore_patterns("*.so", "__pycache__"))
    settings = tests.parent / "pyproject.toml"
    mypy = [sys.executable, "-m", "mypy", "--strict", "--cache-dir=/dev/null", f"--config-file={settings}"]
    done = subprocess.run([*mypy, str(package), str(tests)], capture_output=True, text=True, cwd=tests)
    assert done.returncode == 0, done.stdout
