"""The stubs say what the module is: every name, and every signature. And the examples run."""

from __future__ import annotations

import ast
import doctest
import importlib
import inspect
import pkgutil
import pydoc
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polyseal
import pytest
import stubs
from polyseal import _polyseal, hazmat, jobs, kms
from polyseal._key_set import key_set

PACKAGE = Path(polyseal.__file__).parent
ROOT = Path(__file__).parents[3]
MODULES = ["polyseal", *(f"polyseal.{m.name}" for m in pkgutil.iter_modules([str(PACKAGE)]))]


def signature(function: ast.FunctionDef) -> str:
    """The parameters of a function in a stub, with defaults and without types, and each keyword of ``KeySetArgs``."""
    kwarg = function.args.kwarg
    if kwarg is not None and ast.unparse(kwarg.annotation or kwarg) == "Unpack[KeySetArgs]":
        keys = ast.parse(f"def f({real(key_set)}): ...").body[0].args  # type: ignore[attr-defined]
        function.args.kwonlyargs += keys.kwonlyargs
        function.args.kw_defaults += keys.kw_defaults
        function.args.kwarg = None
    for argument in ast.walk(function.args):
        if isinstance(argument, ast.arg):
            argument.annotation = None
    return ast.unparse(function.args)


def real(function: object) -> str:
    """The same of a function that is there."""
    found = inspect.signature(function)  # type: ignore[arg-type]
    bare = [each.replace(annotation=inspect.Parameter.empty) for each in found.parameters.values()]
    text = str(found.replace(parameters=bare, return_annotation=inspect.Signature.empty))
    return ast.unparse(ast.parse(f"def f{text}: ...").body[0].args)  # type: ignore[attr-defined]


def compare(kind: type, stubbed: ast.ClassDef) -> None:
    in_stub = set()
    for item in stubbed.body:
        if isinstance(item, ast.AnnAssign):
            assert isinstance(item.target, ast.Name)
            in_stub.add(item.target.id)
            continue
        if isinstance(item, ast.Expr):
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


def test_the_stubs_have_the_documentation_of_what_is_there() -> None:
    """Otherwise: ``python tests/stubs.py``."""
    assert (PACKAGE / "_polyseal.pyi").read_text() == stubs.extension()
    assert (PACKAGE / "algorithms.pyi").read_text() == stubs.algorithms()
    # A stub that has lost it gets it again.
    bare = "class SecretKey:\n    @staticmethod\n    def generate(length: int = 32) -> SecretKey: ...\n"
    full = stubs.documented(bare, _polyseal)
    assert full.count('"""A fresh random key') == 1 and stubs.documented(full, _polyseal) == full


PUBLIC = [getattr(module, name) for module in (polyseal, jobs, kms, hazmat) for name in module.__all__]
CALLED = [each for each in PUBLIC if callable(each) and not (isinstance(each, type) and issubclass(each, (Exception, dict)))]


def calls(called: Any) -> Iterator[tuple[str, Any]]:
    """It, and its methods if it is a class."""
    yield called.__qualname__, called
    if isinstance(called, type):
        for name in vars(called):
            if not name.startswith("_") and callable(getattr(called, name)):
                yield f"{called.__qualname__}.{name}", getattr(called, name)


@pytest.mark.parametrize("called", CALLED, ids=lambda called: f"{called.__module__}.{called.__qualname__}")
def test_help_names_every_parameter(called: Any) -> None:
    for name, each in calls(called):
        if name in ("Aead", "Mac", "Plan"):
            # Nobody makes these so.
            continue
        parameters = inspect.signature(each).parameters.values()
        assert not any(one.kind is one.VAR_KEYWORD for one in parameters), f"{name}{inspect.signature(each)}"
        assert inspect.getdoc(each), f"{name} has no documentation"


def test_help_says_what_a_key_is() -> None:
    shown = pydoc.plain(pydoc.render_doc(polyseal.encrypt_file))
    for keyword in ("key", "identity", "recipients", "passphrase", "context"):
        assert f" {keyword}: " in shown, shown
    assert "Raises" in shown and "**" not in shown


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


@pytest.mark.parametrize("page", ["README.md", "docs/python.md", "docs/models.md", "crates/polyseal-py/README.md"])
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
