# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The driver in Python, on a model of the registers that computes no keys."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent / "driver"))

from omd_link_driver import A, ConfirmationError, Link, LinkError, NoStore, NoStoreWarning, RefusedError, registers as reg  # noqa: E402

KEY = bytes(range(32))


class Store:
    def __init__(self, *numbers):
        self.numbers = list(numbers)

    def take(self):
        return self.numbers.pop(0)


class Model:
    """Suite 1. `silent`: refusals do not come back, as over most mapped memory. A confirmation of zeros is right."""

    def __init__(self, silent=False):
        self.silent, self.words, self.master, self.lacks = silent, {}, [], 0
        self.derived = self.enabled = False

    def read(self, offset):
        if offset == reg.STATUS:
            return (reg.STATUS_HAS_MASTER * (len(self.master) == 8) | reg.STATUS_DERIVED * self.derived
                    | reg.STATUS_ENABLED * self.enabled | self.lacks)
        return {reg.MAGIC: 0x4F4D444C, reg.VERSION: 0x0202, reg.CAPABILITIES: 1 | 32 << 8}.get(offset, 0)

    def write(self, offset, word):
        confirms = reg.PEER_CONFIRMATION <= offset < reg.PEER_CONFIRMATION + 16 or (offset, word) == (reg.CONTROL, reg.CONTROL_ENABLE)
        if offset == reg.CONTROL and word in (reg.CONTROL_STOP, reg.CONTROL_ZEROISE):
            self.derived = self.enabled = False
        elif confirms != self.derived or self.enabled:
            if not self.silent:
                raise RefusedError(f"{offset:03x}")
        elif offset == reg.CONTROL:
            right = not any(self.words.get(reg.PEER_CONFIRMATION + i) for i in range(0, 16, 4))
            self.derived, self.enabled = not confirms or right, confirms and right
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
    link.offer(A, Store(1))
    link.derive(bytes(24))
    before = list(model.master)
    with pytest.raises(RefusedError):
        link.set_master_key(KEY[::-1])
    assert model.master == before
    link.stop()
    link.set_master_key(KEY[::-1])
    assert model.master[0] == int.from_bytes(KEY[::-1][:4], "little")


@pytest.mark.parametrize("silent", [False, True])
def test_a_step_that_the_device_refuses_does_not_pass_for_the_one_before(silent):
    link = Link(Model(silent))
    link.set_master_key(KEY)
    with pytest.raises(RefusedError, match="no keys that wait"):
        link.enable(bytes(16))
    link.offer(A, Store(1))
    link.derive(bytes(24))
    with pytest.raises(LinkError, match="no new offer"):
        link.derive(bytes(23) + b"\1")
    link.enable(bytes(16))
    with pytest.raises(RefusedError, match="no keys that wait"):
        link.enable(b"\1" * 16)
    for end in (link.stop, link.zeroise):
        link.offer(A, Store(1))
        end()
        with pytest.raises(LinkError, match="no new offer"):
            link.derive(bytes(24))
    link.offer(A, Store(1))
    link.derive(bytes(24))
    with pytest.raises(ConfirmationError):
        link.enable(b"\1" * 16)


def test_the_epoch_is_in_the_identifier_and_its_absence_is_told():
    model = Model()
    link = Link(model)
    link.set_master_key(KEY)
    with pytest.raises(ValueError):
        link.derive(bytes(16))                            # of version 1
    with pytest.raises(LinkError):
        link.derive(bytes(24))                            # no offer
    store, drawn = Store(5, 2**64 - 1), set()
    for number in (5, 2**64 - 1):
        identifier = link.offer(A, store)
        assert identifier[16:] == number.to_bytes(8, "big")
        written = b"".join(model.words[reg.OWN_IDENTIFIER + i].to_bytes(4, "little") for i in range(0, 24, 4))
        assert written == identifier
        drawn.add(identifier[:16])
    with pytest.warns(NoStoreWarning):
        identifier = link.offer(A, NoStore())
    assert identifier[16:] == bytes(8)
    with pytest.raises(RefusedError):
        link.derive(identifier[:16] + bytes(7) + b"\1")
    assert len(drawn | {identifier[:16]}) == 3
    for number in (0, -1, 2**64):                         # a store must not say that it is none
        with pytest.raises(ValueError):
            link.offer(A, Store(number))
    model.derived, model.lacks = True, reg.STATUS_NO_OWN_EPOCH
    assert "no_own_epoch" in link.status() and "no_peer_epoch" not in link.status()
    model.lacks = reg.STATUS_NO_PEER_EPOCH
    assert "no_peer_epoch" in link.status() and "no_own_epoch" not in link.status()
