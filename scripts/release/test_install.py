"""install.py reads the commands of docs/install.md."""

import pytest

import install

PAGE = """# Page

```sh
not in a section
```

## One

Text.

```sh
a
b
```

To remove it:

```bat
c
```

## Two
"""


def test_blocks_belong_to_their_section():
    assert install.blocks(PAGE) == {"": [("sh", "not in a section\n")], "One": [("sh", "a\nb\n"), ("bat", "c\n")],
                                    "Two": []}


def test_the_page_has_what_is_run():
    found = install.sections(install.PAGE.read_text())
    assert list(found) == list(install.SECTIONS)
    assert all(found.values())


@pytest.mark.parametrize("change", [("## Tarball", "## Tar"), ("```sh\nsha256sum", "```text\nsha256sum"),
                                    ("## Windows", "## New\n\n## Windows")])
def test_what_would_not_be_run_is_an_error(change):
    with pytest.raises(SystemExit):
        install.sections(install.PAGE.read_text().replace(*change))


def test_the_page_names_files_of_this_version():
    assert install.named(install.PAGE.read_text()) == {install.version()}


def test_what_programs_keep_is_not_left_behind(tmp_path):
    for name in ["var/log/apt", "usr/lib/python3/__pycache__/a.pyc", "usr/local/bin/tool", "opt/cargo/bin/tool"]:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    assert install.files(tmp_path) == {"/usr/local/bin/tool"}


def test_the_page_may_name_a_candidate():
    page = install.PAGE.read_text().replace(install.version(), "1.2.3-rc.1")
    assert install.named(page) == {"1.2.3-rc.1"}
