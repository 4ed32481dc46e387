"""The reference of the Python package has every public name, each with a signature and what it is."""

import importlib.util
import re
from importlib.machinery import SourceFileLoader
from pathlib import Path

SCRIPT = Path(__file__).parent / "python-reference"
loader = SourceFileLoader("python_reference", str(SCRIPT))
reference = importlib.util.module_from_spec(importlib.util.spec_from_loader("python_reference", loader))
loader.exec_module(reference)
PAGE = "\n\n".join(part for part in reference.page() if part)


def test_every_public_name_is_there():
    headings = re.findall(r"^### `(\w+)`$", PAGE, re.M)
    names = {name for module in reference.MODULES for name in reference.public(module)}
    assert set(headings) == {name for name in names if not name.isupper() and name != "__version__"}
    assert len(headings) > 100


def test_each_has_a_signature_and_a_sentence():
    sections = re.split(r"^### `(\w+)`$", PAGE.split("\n## Types")[0], flags=re.M)
    for name, section in zip(sections[1::2], sections[2::2], strict=True):
        section = re.split(r"^## ", section, flags=re.M)[0]
        code, *rest = re.split(r"^```(?:python)?$", section, flags=re.M)[1:]
        assert name in code, name
        assert re.search(r"^[A-Z*`].*\w", "".join(rest[::2]), re.M), f"{name} says nothing"


def test_the_keywords_for_keys_are_named():
    """In place of ``**key_args``, which says nothing."""
    assert "key_args" not in PAGE and "**key_set" not in PAGE
    encrypt = PAGE.split("### `encrypt_file`")[1].split("###")[0]
    assert "\n    key: Key | Sequence[Key] | None = None,\n" in encrypt and "Raises `FileExistsError`" in encrypt
    assert "StreamSealer(\n    *,\n" in PAGE


def test_an_overloaded_function_has_each_form():
    opened = PAGE.split("### `open`")[1].split("###")[0]
    assert opened.count("\n) -> Encrypted") == 2


def test_documentation_is_markdown():
    assert "``x" not in PAGE.replace("```", "") and ">>> " in PAGE
    assert reference.text("A ``word``.\n\n>>> f()\n1\n\nkey\n    A key.") == (
        "A `word`.\n\n```python\n>>> f()\n1\n```\n\n\n**key**: A key."
    )
