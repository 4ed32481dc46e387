"""recipes.py fills the templates of contrib."""

import pytest

import recipes

VALUES = {"version": "1.2.3", "python_version": "1.2.3", "repository": "https://example.org/a/b",
          "sha256": "0" * 64, "sha512": "1" * 128}


@pytest.mark.parametrize("template", recipes.templates(), ids=lambda path: path.name)
def test_a_recipe_names_the_release(template):
    text = recipes.filled(template.read_text(), VALUES)
    assert VALUES["repository"] in text
    if template.parent.name == "packaging" and template.suffixes[-2] != ".json":
        assert f"{VALUES['repository']}/releases/download/v1.2.3/polyseal-1.2.3-source.tar.gz" in text
        assert VALUES["sha256"] in text or VALUES["sha512"] in text
    assert "@" not in text.replace("between @.", "")


def test_what_has_no_value_is_an_error():
    with pytest.raises(KeyError):
        recipes.filled("@size@", VALUES)
