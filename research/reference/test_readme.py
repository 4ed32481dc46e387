"""The examples of README.md run, one after the other."""

import re
from pathlib import Path


def test_the_examples_run():
    page = Path(__file__).with_name("README.md").read_text()
    blocks = re.findall(r"^```python\n(.*?)^```$", page, re.M | re.S)
    assert len(blocks) == 2
    exec("\n".join(blocks), {})
