# SPDX-License-Identifier: Apache-2.0 OR MIT
"""omd_link at work, simulated: `make -C research hw-demo`.

The frames of frames.pcap go through a sealer, a channel and an opener, each side in three clocks of its own. Written to
target/hw/demo: plain.pcap, wire.pcap, opened.pcap. The Rust driver starts the session. Every packet is compared with the
reference's; `polyseal aead` opens one that was captured, and seals one that the hardware opens. Then somebody on the channel
alters, cuts, repeats and forges packets. Whatever is not as it should be ends this with an error.
"""

import subprocess
import sys
import time
from pathlib import Path
from unittest import mock

import pcap
from simulation import A_PACKETS, A_PLAIN, B_PACKETS, B_PLAIN, ROOT, Simulation

import omd_link as reference  # noqa: E402  (the path is simulation's)
from omd_link_driver import ConfirmationError, Link  # noqa: E402
from omd_link_driver.epochs import EpochFile  # noqa: E402

BUILD = ROOT / "target" / "hw" / "demo"
SUITE = reference.SUITES[1]
MASTER_KEY = bytes(range(32))                             # of a demonstration


def check(holds, what):
    if not holds:
        raise SystemExit(f"FAILED: {what}")


def through(s, port_in, frames, port_out):
    """Plays frames one after another and gives, with times in microseconds, what comes out."""
    come = []
    for frame in frames:
        s.play(port_in, frame)
        came = s.settle(port_out, 1)
        check(len(came) == 1, f"{len(came)} frames instead of one")
        come.append((s.now() // 1000, came[0]))
    return come


def polyseal(program, *arguments, data):
    done = subprocess.run([program, "aead", *arguments], input=data, capture_output=True)
    check(done.returncode == 0, f"polyseal aead: {done.stderr.decode()}")
    return done.stdout


def rises(link, before, **more):
    """That counters have risen by this and by nothing else."""
    now = link.counters()
    risen = {name: now[name] - before[name] for name in now if now[name] != before[name]}
    check(risen == more, f"the counters have risen by {risen} instead of {more}")


def attacks(packet, other):
    """The changes that an attacker can make to a packet on its way, with the reason that the opener counts."""
    names = {12: "type", 13: "type", 14: "version", 15: "suite", 16: "direction", 17: "reserved"}
    names |= dict.fromkeys(range(18, 22), "session")
    for place in range(12, len(packet)):
        altered = bytearray(packet)
        altered[place] ^= 1 << place % 8
        yield f"a bit of byte {place}", bytes(altered), names.get(place, "tag")
    yield "another counter", packet[:22] + (1000).to_bytes(8, "big") + packet[30:], "tag"
    yield "without its last byte", packet[:-1], "tag"
    yield "with one more byte", packet + b"\0", "tag"
    yield "with nearly nothing of its message", packet[:44] + packet[-32:], "tag"
    yield "with the tag of another", packet[:-32] + other[-32:], "tag"
    yield "cut to a header", packet[:30], "short"
    yield "cut to an address", packet[:6], "short"
    yield "of bytes 0", bytes(len(packet)), "type"
    yield "too long", packet[:30] + bytes(9633), "oversize"
    yield "another that was opened", other, "replayed"


def main():
    program, session = sys.argv[1:]
    began = time.monotonic()
    BUILD.mkdir(parents=True, exist_ok=True)
    key = BUILD / "master.key"
    key.write_bytes(MASTER_KEY)
    stores = [BUILD / "epochs.a", BUILD / "epochs.b"]
    plain = pcap.read(Path(__file__).with_name("frames.pcap"))
    pcap.write(BUILD / "plain.pcap", plain)
    frames = [frame for _, frame in plain]

    with Simulation(BUILD / "ghdl") as s:
        for path in stores:
            EpochFile.reset(path, 0)
        id_a, id_b = map(bytes.fromhex, s.hand_over(session, key, *stores).split())
        a, b = Link(s.bus(0)), Link(s.bus(1))
        check({"derived", "enabled"} <= a.status() & b.status(), "a session on both sides")
        check(not {"no_own_epoch", "no_peer_epoch"} & (a.status() | b.status()), "epochs on both sides")
        check([EpochFile(path).given for path in stores] == [1, 1], "the Rust driver has taken one epoch of each store")
        keys = reference.Keys(SUITE, MASTER_KEY, id_a, id_b)
        print(f"session {keys.session.hex()}, started by the Rust driver")

        wire = through(s, A_PLAIN, frames, A_PACKETS)
        pcap.write(BUILD / "wire.pcap", wire)
        packets = [packet for _, packet in wire]
        model, _ = reference.session(SUITE, MASTER_KEY, id_a, id_b, destination=bytes.fromhex("02000000000b"),
                                     source=bytes.fromhex("02000000000a"))
        check(packets == [model.seal(frame) for frame in frames], "the packets are the reference's")
        opened = through(s, B_PACKETS, packets, B_PLAIN)
        pcap.write(BUILD / "opened.pcap", opened)
        check([frame for _, frame in opened] == frames, "what is opened is what was sealed")
        rises(a, dict.fromkeys(a.counters(), 0), sealed=len(frames))
        rises(b, dict.fromkeys(b.counters(), 0), opened=len(frames))
        print(f"{len(frames)} frames of {min(map(len, frames))} to {max(map(len, frames))} bytes sealed, sent and opened: "
              "plain.pcap and opened.pcap have the same frames")

        # The tool, with the session's keys, which the reference computes of the master key.
        suite = ["-s", SUITE.registry, "--key-file", str(key), "--ad", keys.AD.hex()]
        key.write_bytes(keys.key[reference.A])
        N = reference.nonce(SUITE, reference.A, keys.session, 1)
        message = polyseal(program, "open", *suite, "--nonce", N.hex(), data=packets[1][reference.HEADER:])
        check(message == frames[1], "the tool opens a captured packet")
        print("polyseal aead open opened packet 1 of wire.pcap")
        key.write_bytes(keys.key[reference.B])
        N = reference.nonce(SUITE, reference.B, keys.session, 0)
        sealed = polyseal(program, "seal", *suite, "--nonce", N.hex(), data=frames[2])
        head = bytes(12) + reference.TYPE + bytes([reference.VERSION, SUITE.number, reference.B, 0]) + keys.session + bytes(8)
        check([frame for _, frame in through(s, A_PACKETS, [head + sealed], A_PLAIN)] == [frames[2]],
              "the hardware opens what the tool sealed")
        key.write_bytes(MASTER_KEY)
        print("the hardware opened a packet that polyseal aead seal made")

        # Somebody on the channel, who holds a packet back.
        refused = {}

        def refuse(link, port_in, port_out, what, packet, reason):
            before = link.counters()
            s.play(port_in, packet)
            s.run(9000 if len(packet) > 1000 else 900)
            check(s.come(port_out) == [], f"nothing comes out: {what}")
            rises(link, before, **{reason: 1})
            refused[reason] = refused.get(reason, 0) + 1

        held_back = through(s, A_PLAIN, [frames[0]], A_PACKETS)[0][1]
        for number, attack in enumerate(attacks(held_back, packets[1])):
            refuse(b, B_PACKETS, B_PLAIN, *attack)
            if number % 40 == 0:
                packet = through(s, A_PLAIN, [frames[1]], A_PACKETS)[0][1]
                check(through(s, B_PACKETS, [packet], B_PLAIN)[0][1] == frames[1], f"a good packet after: {attack[0]}")
        check(through(s, B_PACKETS, [held_back], B_PLAIN)[0][1] == frames[0], "the packet that was held back")
        refuse(b, B_PACKETS, B_PLAIN, "the same once more", held_back, "replayed")
        refuse(a, A_PACKETS, A_PLAIN, "its own packet, sent back", held_back, "direction")
        print(f"{sum(refused.values())} attacks on the channel, all refused and counted: "
              + ", ".join(f"{name} {count}" for name, count in sorted(refused.items())))

        # Without a session there is no traffic.
        a.zeroise()
        b.stop()
        before = a.counters(), b.counters()
        s.play(A_PLAIN, frames[0])
        s.play(B_PACKETS, packets[0])
        s.run(900)
        check(s.come(A_PACKETS) + s.come(B_PLAIN) == [], "nothing passes without a session")
        rises(a, before[0], plain_no_session=1)
        rises(b, before[1], no_session=1)
        print("after an erasure nothing passes")

        # A repeats all of its randomness, and all that B said is replayed to it.
        a.set_master_key(MASTER_KEY)
        with mock.patch("secrets.token_bytes", return_value=id_a[:16]):
            check(a.offer(reference.A, EpochFile(stores[0]))[:16] == id_a[:16], "the same randomness")
        a.derive(id_b)
        try:
            a.enable(keys.confirmation[reference.B])
            check(False, "B's confirmation, replayed, is refused")
        except ConfirmationError:
            print("a side that repeated its randomness has other keys, and refused what was replayed to it")
        for side, link in (("A", a), ("B", b)):
            print(f"counters of {side}: " + ", ".join(f"{name} {count}" for name, count in link.counters().items() if count))
        print(f"{s.now() / 1e6:.1f} ms of the hardware's time in {time.monotonic() - began:.0f} s; the captures are in {BUILD.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
