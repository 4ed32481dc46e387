"""The reference of the link: its vectors, both ways, and each reason to drop a packet."""

import json
import random
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))

import omd  # noqa: E402
import omd_link  # noqa: E402
import omd_link_vectors  # noqa: E402
from omd_link import A, B, OVERHEAD, SUITES, Refused, Side, Window  # noqa: E402

R_A, R_B = bytes(range(16)), bytes(range(16, 32))
ID_A, ID_B = omd_link.identifier(R_A, 3), omd_link.identifier(R_B, 0x0102030405060708)


def master(suite):
    return bytes(range(omd.algorithm(suite.family).n))


def pair(number=1, **options):
    suite = SUITES[number]
    return omd_link.session(suite, master(suite), ID_A, ID_B, **options)


def test_the_vectors_are_what_is_written():
    assert omd_link_vectors.PATH.read_text() == omd_link_vectors.document()


def test_the_packets_of_the_vectors_are_omds():
    """By omd.py alone, from the keys that the vectors name: a change of nonce or associated data shows."""
    for group in json.loads(omd_link_vectors.PATH.read_text())["suites"]:
        suite = SUITES[group["suite"]]
        cipher = omd.algorithm(suite.family)
        ids = bytes.fromhex(group["idA"] + group["idB"])
        AD = b"omd-link\x02" + bytes([suite.number]) + ids
        assert AD.hex() == group["associatedData"]
        for test in group["packets"]:
            packet, session = bytes.fromhex(test["packet"]), bytes.fromhex(group["session"])
            key = bytes.fromhex(group["keyBA" if test["direction"] else "keyAB"])
            N = bytes([test["direction"]]) + bytes(suite.NONCE - 13) + session + test["counter"].to_bytes(8, "big")
            assert packet[:14].hex() == group["destination"] + group["source"] + "88b5"
            assert packet[14:30] == bytes([2, suite.number, test["direction"], 0]) + session + N[-8:]
            assert cipher.Decrypt(packet[30:-32], packet[-32:], AD, key, N).hex() == test["frame"]


@pytest.mark.parametrize("number", SUITES)
def test_both_ways(number):
    a, b = pair(number)
    for length in (14, 60, 200):
        assert b.open(a.seal(bytes(length))) == bytes(length)
        assert a.open(b.seal(bytes(length))) == bytes(length)
    assert a.counts == b.counts == {"sealed": 3, "opened": 3}


def test_every_byte_is_authenticated_but_the_outer_addresses():
    a, b = pair()
    packet = a.seal(b"x" * 40)
    for at in range(len(packet)):
        altered = bytearray(packet)
        altered[at] ^= 1
        opened = b.open(bytes(altered))
        assert (opened is None) == (at >= 12), at
        if at < 12:
            b.window = Window()
    assert set(b.counts) == {"opened", "type", "version", "suite", "direction", "reserved", "session", "tag"}


def test_frames_and_packets_of_wrong_lengths():
    a, b = pair(max_frame=100)
    assert a.seal(bytes(13)) is None and a.seal(bytes(101)) is None
    assert a.counts == {"plain_short": 1, "plain_oversize": 1} and a.counter == 0
    assert len(a.seal(bytes(14))) == 14 + OVERHEAD and len(a.seal(bytes(100))) == 100 + OVERHEAD
    assert b.open(bytes(13 + OVERHEAD)) is None and b.open(bytes(101 + OVERHEAD)) is None
    assert b.counts == {"short": 1, "oversize": 1}


def test_the_window():
    a, b = pair()
    packets = [a.seal(bytes(14)) for _ in range(300)]
    assert b.open(packets[129]) is not None
    assert b.open(packets[1]) is None and b.counts["too_old"] == 1
    assert b.open(packets[2]) is not None and b.open(packets[2]) is None and b.counts["replayed"] == 1
    forged = packets[299][:-1] + bytes([packets[299][-1] ^ 1])
    assert b.open(forged) is None and b.counts["tag"] == 1
    assert b.open(packets[3]) is not None                 # what is forged does not move it
    assert b.open(packets[299]) is not None and b.open(packets[129]) is None and b.counts["too_old"] == 2


def test_the_window_against_a_list_of_all():
    r = random.Random(5)
    window, opened = Window(16), []
    for _ in range(3000):
        counter = max(0, (max(opened) if opened else 0) + r.randrange(-25, 9))
        expected = ("too_old" if opened and counter <= max(opened) - 16 else
                    "replayed" if counter in opened else None)
        assert window.refuses(counter) == expected
        if expected is None:
            window.take(counter)
            opened.append(counter)


def test_without_a_session():
    suite = SUITES[1]
    a, b = pair()
    packet = a.seal(bytes(20))
    a.stop()
    b.stop()
    assert a.seal(bytes(20)) is None and b.open(packet) is None
    assert a.counts == {"sealed": 1, "plain_no_session": 1} and b.counts == {"no_session": 1}
    c = Side(suite, A, master(suite))
    c.derive(ID_A, ID_B)                                  # derived, and not confirmed
    assert c.seal(bytes(20)) is None and c.open(packet) is None


def test_confirmations():
    suite = SUITES[1]
    for other in ("master", "role", "identifier", "echo"):
        MK = master(suite)
        a = Side(suite, A, MK)
        b = Side(suite, A if other == "role" else B, MK[::-1] if other == "master" else MK)
        of_a = a.derive(ID_A, ID_B)
        of_b = b.derive(ID_B, ID_A[::-1] if other == "identifier" else ID_A)
        with pytest.raises(Refused):
            a.enable(of_a if other == "echo" else of_b)
        assert a.keys is None and not a.enabled
    for same in (ID_A, omd_link.identifier(R_A, 4)):
        with pytest.raises(Refused):
            a.derive(ID_A, same)


def test_a_new_identifier_of_either_side_is_a_new_session():
    suite = SUITES[2]
    seen = set()
    for ids in ((ID_A, ID_B), (ID_B, ID_A), (ID_A, bytes(24)), (bytes(24), ID_B)):
        keys = omd_link.Keys(suite, master(suite), *ids)
        seen |= {keys.key[A], keys.key[B], keys.session, *keys.confirmation.values()}
    assert len(seen) == 4 * 5


@pytest.mark.parametrize("number", SUITES)
@pytest.mark.parametrize("role", [A, B])
def test_a_side_that_repeats_all_of_its_randomness(number, role):
    """And to which all that the other side said is replayed: with a new epoch its keys are new, and nothing is confirmed."""
    suite = SUITES[number]
    frame = bytes(60)
    own, other = (R_A, ID_B) if role == A else (R_B, ID_A)

    def begin(epoch):
        side = Side(suite, role, master(suite))
        side.derive(omd_link.identifier(own, epoch), other)
        return side

    first, again, repeats = begin(1), begin(2), begin(1)
    recorded = first.keys.confirmation[1 - role]
    first.enable(recorded)
    packet = first.seal(frame)

    keys, old = again.keys, first.keys
    assert not {keys.key[A], keys.key[B], *keys.confirmation.values()} & {old.key[A], old.key[B], *old.confirmation.values()}
    with pytest.raises(Refused):
        again.enable(recorded)
    # Also if it sealed all the same: neither the key stream nor what is sealed with it.
    again = begin(2)
    again.enable(again.keys.confirmation[1 - role])
    C = again.seal(frame)[30:-32]
    assert all(C[i:i + 8] != packet[30 + i:38 + i] for i in range(0, len(frame), 8))

    # Without a new epoch it is as it was: the limit that the documents state.
    repeats.enable(recorded)
    assert repeats.seal(frame) == packet


def test_each_byte_of_both_identifiers_is_in_the_keys():
    suite = SUITES[1]
    seen = set()
    for place in range(48):
        ids = bytearray(ID_A + ID_B)
        ids[place] ^= 0x80
        keys = omd_link.Keys(suite, master(suite), bytes(ids[:24]), bytes(ids[24:]))
        seen |= {keys.key[A], keys.key[B], keys.AD, *keys.confirmation.values()}
    assert len(seen) == 48 * 5


def test_the_last_counter_is_not_used():
    a, _ = pair(last=2)
    assert [a.seal(bytes(14)) is None for _ in range(4)] == [False, False, True, True]
    assert a.counts == {"sealed": 2, "plain_no_session": 2}
