# SPDX-License-Identifier: Apache-2.0 OR MIT
"""omd_link.core, for FuseSoC, lists every source, each after those that it uses."""

import re
from pathlib import Path

HW = Path(__file__).resolve().parent


def test_every_source_is_listed_after_what_it_uses():
    listed = re.findall(r"^ +- (rtl/\S+\.vhd)$", (HW / "omd_link.core").read_text(), re.M)
    assert sorted(listed) == sorted(str(path.relative_to(HW)) for path in (HW / "rtl").rglob("*.vhd"))
    units = {Path(name).stem: at for at, name in enumerate(listed)}
    for at, name in enumerate(listed):
        used = set(re.findall(r"\bwork\.(\w+)", (HW / name).read_text())) - {Path(name).stem}
        assert all(units[unit] < at for unit in used), name
