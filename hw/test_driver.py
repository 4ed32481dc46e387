# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The driver in Python, on a model of the registers that computes no keys."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent / "driver"))

from omd_link_driver import A, Link, RefusedError, registers as reg  # noqa: E402

KEY = bytes(range(32))


class Model:
    """Of suite 1. `silent`: refusals do not come back, as over most mapped memory."""

    def __init__(self, silent=False):
        self.silent, self.words, self.master, self.derived = silent, {}, [], False

    def read(self, offset):
        if offset == reg.STATUS:
            return reg.STATUS_HAS_MASTER * (len(self.master) == 8) | reg.STATUS_DERIVED * self.derived
        return {reg.MAGIC: 0x4F4D444C, reg.VERSION: 0x0101, reg.CAPABILITIES: 1 | 32 << 8}.get(offset, 0)

    def write(self, offset, word):
        if offset == reg.CONTROL:
            self.derived = word == reg.CONTROL_DERIVE
        elif self.derived:
            if not self.silent:
                raise RefusedError(f"{offset:03x}")
        elif reg.MASTER_KEY <= offset < reg.MASTER_KEY + 32:
            if offset == reg.MASTER_KEY:
                self.master = []
            self.master.append(word)
        else:
            self.words[offset] = word


@pytest.mark.parametrize("silent", [False, True])
def test_a_master_key_that_is_refused_is_an_error(silent):
    model = Model(silent)
    link = Link(model)
    link.set_master_key(KEY)
    link.offer(A)
    link.derive(bytes(16))
    before = list(model.master)
    with pytest.raises(RefusedError):
        link.set_master_key(KEY[::-1])
    assert model.master == before
    link.stop()
    link.set_master_key(KEY[::-1])
    assert model.master[0] == int.from_bytes(KEY[::-1][:4], "little")
