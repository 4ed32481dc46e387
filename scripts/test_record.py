"""scripts/record: what the commands of a page print stands below them, and none of them fails."""

import os
import subprocess
from pathlib import Path

import pytest

PAGE = """# Page

```console
$ polyseal > seen
$ cat seen; echo wrong >&2
```

```sh
$ not run
```
"""


def record(tmp_path, page):
    (tmp_path / "page.md").write_text(page)
    (tmp_path / "polyseal").write_text("#!/bin/sh\necho by the tool\n")
    (tmp_path / "polyseal").chmod(0o700)
    return subprocess.run([Path(__file__).with_name("record"), tmp_path / "page.md"], capture_output=True, text=True,
                          env=os.environ | {"POLYSEAL_TOOL": str(tmp_path / "polyseal")})


def test_what_commands_print_stands_below_them(tmp_path):
    command = "$ cat seen; echo wrong >&2\n"
    assert record(tmp_path, PAGE).stdout == PAGE.replace(command, command + "by the tool\nwrong\n")


@pytest.mark.parametrize("command", ["false", "no-such-program"])
def test_a_command_that_fails_is_an_error(tmp_path, command):
    assert record(tmp_path, PAGE.replace("cat seen; echo wrong >&2", command)).returncode != 0
