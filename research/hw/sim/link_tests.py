# SPDX-License-Identifier: Apache-2.0 OR MIT
"""The configurations of tb_omd_link."""

from link import FAULTS, Run, Wrong, reference, regs


def bad_input(hash="sha256", width=64):
    """One link: every bad frame and packet, each followed by a good one."""
    run = Run(hash, width, max_frame=200, seed=1)
    r = run.random
    n, tag = run.n, 32
    peer = reference.Side(run.suite, 1, run.MK, **run.options)
    run.wait(300)
    run.addresses()

    # No session.
    run.begin()
    for length in (14, 60):
        run.offer(0, run.frame(length))
    run.play(run.frame(76))
    run.play(run.frame(120))
    run.run()

    run.master(0)
    ids = run.session()
    peer.enable(_confirmation(peer, ids))

    def good():
        run.offer(0, run.frame(r.choice((14, 31, 32, 33, 64, 65))))
        run.play(peer.seal(run.frame(r.choice((14, 31, 32, 33, 64, 65)))))

    # Streams: holes, errors, lengths.
    run.begin()
    for fault in FAULTS:
        run.offer(0, run.frame(max(40, 2 * run.W + 8)), fault)
        run.play(peer.seal(run.frame(20)), fault)
        good()
    for length in (0, 1, 8, 13, 201, 208, 209, 500):
        run.offer(0, run.frame(length))
        run.play(run.frame(length + 62))
        good()
    for length in (*range(14, 23), 200, n, 2 * n, 2 * n + 1):
        run.offer(0, run.frame(length))
        run.play(peer.seal(run.frame(length)))
    for length in (0, 1, 30, 61, 62):
        run.play(run.frame(length))
    good()
    run.run()

    # Headers, tags, replays.
    run.begin()

    def spoilt(place, bit=0, packet=None):
        packet = bytearray(packet or peer.seal(run.frame(50)))
        packet[place] ^= 1 << bit
        run.play(bytes(packet))
        good()

    for place in (12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 29, 30, 31, 60, 79, -1, -32, -33):
        spoilt(place, r.randrange(8))
    for place in (0, 5, 6, 11):                              # addresses are not looked at
        packet = bytearray(peer.seal(run.frame(33)))
        packet[place] ^= 0x80
        run.play(bytes(packet))
    packet = peer.seal(run.frame(70))
    run.play(packet[:-1])
    run.play(packet[:-8])
    run.play(packet + b"\0")
    run.play(packet)
    run.play(packet)
    good()
    run.play(run.frame(100))
    wrong = packet[:-1] + bytes([packet[-1] ^ 1])
    run.play(wrong)                                       # replayed, and a wrong tag, too
    fresh = peer.seal(run.frame(64))
    run.play(fresh)
    run.play(fresh[:-1] + bytes([fresh[-1] ^ 1]))         # while the first is under way
    run.play(fresh)
    # The window: jumps, its edges, what falls out of it.
    base = peer.counter
    for step in (130, 3, 2, 131, 130, 4, 3, 258, 131, 130, 1000, 1000, 873, 872, 999, 2**32 + 5, 2**32 - 122, 2**32 - 123,
                 2**63, 2**64 - 2 - base, 2**64 - 2 - base, 2**64 - 129 - base, 2**64 - 130 - base):
        peer.counter = base + step
        run.play(peer.seal(run.frame(r.choice((14, 40, 64)))))
        if step == 1000:
            peer.counter = base + 1001
            forged = bytearray(peer.seal(run.frame(40)))
            forged[22] ^= 0x10                            # a counter far above: must not move the window
            run.play(bytes(forged))
    run.offer(0, run.frame(20))
    run.run()
    run.read(0, regs.IRQ_STATUS, regs.IRQ_STATUS_DERIVED | regs.IRQ_STATUS_ERASED | regs.IRQ_STATUS_FORGED)
    return run


def _confirmation(peer, ids):
    peer.derive(ids[1], ids[0])
    return peer.keys.confirmation[0]


def channel(hash="sha256", width=64, packets=50, seed=1, noise=0, lengths=None, max_frame=600):
    """Two links, both directions at once, two sessions."""
    run = Run(hash, width, max_frame=max_frame, channel=True, seed=seed)
    r = run.random
    run.wait(900)                                         # erasing the buffer of long frames takes 302 cycles
    run.addresses()
    for side in (0, 1):
        run.master(side)
    for count in (packets - packets // 4, packets // 4):
        ids = run.session()
        run.begin()
        for side in (0, 1):
            for _ in range(count):
                run.offer(side, run.frame(lengths(r)))
        run.run()
        run.command("stop")
        run.do(lambda: [side.stop() for side in run.sides])
        run.quiet(900)
    return run


def peer_of(run, ids, last=None):
    """The other side, which makes packets; and the keys."""
    peer = reference.Side(run.suite, 1, run.MK, **run.options)
    peer.enable(_confirmation(peer, ids))
    return peer


def changes(hash="sha256", width=64):
    """One link: a session stopped, zeroised or reset in the midst of frames, and another begun while they go on."""
    run = Run(hash, width, max_frame=200, seed=5)
    r = run.random
    run.wait(300)
    run.addresses()
    run.master(0)
    lengths = (14, 40, 64, 200)
    for way in ("stop", "zeroise"):
        ids, later = run.identifiers(), run.identifiers()
        run.derive(ids)
        run.enable(ids)
        peers = [peer_of(run, ids), peer_of(run, later)]
        run.begin()
        before = run.beats_in[0]
        for i in range(20):
            # The fourth has come in, and most of it is yet to be sealed.
            run.offer(0, run.frame(200 if i == 3 else r.choice(lengths)))
            run.play(peers[i >= 10].seal(run.frame(200 if i in (3, 4, 5) else r.choice(lengths))))
            if i == 3:
                met = run.beats_in[0] - before
        keys = [peer.keys for peer in peers]
        run.do(lambda keys=keys: setattr(run, "sessions", keys))
        run.start()
        run.add(f"n 0 {met}")
        run.wait(r.randrange(60, 200))
        run.command(way)
        run.wait(350)
        if way == "zeroise":
            run.master(0)
        run.derive(later)
        run.enable(later)
        run.quiet()
        run.judge("change", counts=False)
        run.adopt()
        run.command("stop")
        run.wait(350)
    # Counts of all sessions, one after the other, and exactly.
    ids = run.session()
    peer = peer_of(run, ids)
    run.begin()
    for i in range(4):
        run.offer(0, run.frame(r.choice(lengths)))
        run.play(peer.seal(run.frame(r.choice(lengths))))
    run.run()
    return run


def resets(hash="sha256", width=64):
    """One link: each of its resets in the midst of frames; then all is as at first."""
    run = Run(hash, width, max_frame=200, seed=6)
    r = run.random
    for which in (0, 1, 2):
        run.wait(400)
        run.do(lambda: setattr(run.sides[0], "counts", {}))
        run.read(0, regs.STATUS, 0)
        run.read(0, regs.IRQ_STATUS, regs.IRQ_STATUS_ERASED)
        run.begin()
        run.offer(0, run.frame(60))
        run.play(run.frame(120))
        run.run()
        run.addresses()
        run.master(0)
        ids = run.session()
        peer = peer_of(run, ids)
        run.begin()
        for _ in range(3):
            run.offer(0, run.frame(r.choice((14, 40, 64))))
            run.play(peer.seal(run.frame(r.choice((14, 40, 64)))))
        run.run()
        run.begin()
        for _ in range(8):
            run.offer(0, run.frame(r.choice((100, 200))))
            run.play(peer.seal(run.frame(r.choice((100, 200)))))
        run.do(lambda keys=peer.keys: setattr(run, "sessions", [keys]))
        run.start()
        run.add("n 0 30")
        run.wait(r.randrange(1, 60))
        run.begin()
        run.start()                                       # the sources break off, too
        run.add(f"z 0 {which} {r.choice((3, 30, 300))}")
        broken = run.phase - 1
        run.do(lambda broken=broken: run.compare(broken, "change"))
        run.do(run.sides[0].stop)
    return run


def overflow(hash="sha256", width=64):
    """One link: nobody takes what comes out, and frames and packets go on coming."""
    run = Run(hash, width, max_frame=200, seed=7)
    r = run.random
    run.wait(300)
    run.addresses()
    run.master(0)
    ids = run.session()
    peer = peer_of(run, ids)
    for _ in range(2):
        run.begin()
        for _ in range(20):
            run.offer(0, run.frame(r.choice((14, 64, 100, 200))))
            run.play(peer.seal(run.frame(r.choice((14, 64, 100, 200)))))
        run.add("c 0 1")
        run.start()
        run.wait(r.randrange(4000, 5000))
        run.add("c 0 0")
        run.quiet()
        run.judge("overflow")
        run.begin()
        for _ in range(3):
            run.offer(0, run.frame(60))
            run.play(peer.seal(run.frame(60)))
        run.run()
    return run


def last(hash="sha256", width=64):
    """One link, whose counters end at 5; and frames may be empty."""
    run = Run(hash, width, min_frame=0, max_frame=200, last=5, seed=8)
    run.wait(300)
    run.addresses()
    run.master(0)
    run.write(0, regs.REKEY_LIMIT, 3)
    run.write(0, regs.REKEY_LIMIT + 4, 0)
    for _ in range(2):
        ids = run.session()
        peer = peer_of(run, ids)
        run.write(0, regs.IRQ_STATUS, 0x3F)
        run.read(0, regs.COUNTER, 0)
        for length, status, irq in (
                ((0, 1), 0, 0), ((33,), regs.STATUS_REKEY_DUE, regs.IRQ_STATUS_REKEY_DUE),
                ((40, 0, 50, 60), regs.STATUS_REKEY_DUE | regs.STATUS_EXHAUSTED,
                 regs.IRQ_STATUS_REKEY_DUE | regs.IRQ_STATUS_EXHAUSTED)):
            run.begin()
            for i in length:
                run.offer(0, run.frame(i))
                if peer.counter < 5:
                    run.play(peer.seal(run.frame(i)))
            run.run()
            run.read(0, regs.STATUS, status | regs.STATUS_HAS_MASTER | regs.STATUS_DERIVED | regs.STATUS_ENABLED)
            run.read(0, regs.IRQ_STATUS, irq)
            run.read(0, regs.COUNTER, lambda: run.sides[0].counter)
        run.command("stop")
        run.wait(350)
        run.do(run.sides[0].stop)
    return run


def repeats(hash="sha256", width=64):
    """One link that repeats all of its randomness, and to which all that the other side said is replayed: with a new epoch nothing is sealed.

    Nor would the key stream be the same if the other side were there: one more session, which it confirms, shows that.
    """
    run = Run(hash, width, max_frame=200, seed=10)
    run.wait(300)
    run.addresses()
    run.master(0)
    drawn, other = run.random.randbytes(16), run.identifiers()[1]
    frame = run.frame(100)

    def packet():
        run.begin()
        run.offer(0, frame)
        run.run()

    recorded = run.session_of([reference.identifier(drawn, 1), other]).confirmation[1]
    packet()
    run.command("stop")
    run.wait(350)
    run.do(run.sides[0].stop)
    again = [reference.identifier(drawn, 2), other]
    run.derive(again)
    run.confirm(0, recorded)
    run.wait(350)
    run.read(0, regs.STATUS, regs.STATUS_HAS_MASTER)
    packet()
    run.session_of(again)
    packet()

    def compare():
        first, second = (packet[reference.HEADER:-32] for _, packet in run.lines("packets0"))
        if any(first[i:i + 8] == second[i:i + 8] for i in range(0, len(frame) - 7, 8)):
            raise Wrong("the key stream repeats")

    run.do(compare)
    return run


def timing(hash="sha256", width=64):
    """One link, twice the same lengths with other keys and data: the same cycles to the end of each."""
    run = Run(hash, width, max_frame=200, seed=9)
    run.wait(300)
    run.master(0)
    lengths = (14, 64, 64, 31, 100, 200, 64)
    phases = []
    for turn in range(3):
        run.addresses()
        ids = run.session()
        peer = peer_of(run, ids)
        run.begin()
        for i, length in enumerate(lengths):
            run.offer(0, run.frame(length))
            packet = peer.seal(run.frame(length))
            if i == 3:                                    # a wrong tag, at another byte each time
                packet = bytearray(packet)
                packet[-1 - 11 * turn] ^= 1 << turn
            run.play(bytes(packet))
        # Once more while the first is under way; and so that its tag is wrong, too.
        run.play(packet)
        run.play(packet[:-1] + bytes([packet[-1] ^ 1]))
        phases.append(run.phase)
        run.run()
        run.command("stop")
        run.wait(350)
        run.do(run.sides[0].stop)

    def compare():
        for name, cycles in (("packets0", 4 * 65 + 1), ("frames0", 4 * 65 + 2)):
            times = []
            for phase in phases:
                path = f"{run.output_path}/{name}.txt"
                rows = [line.split(" ") for line in open(path).read().split("\n")[:-1]]
                of = [(int(b), int(e)) for p, b, e, _ in rows if int(p) == phase]
                times.append([(b - of[0][0], e - of[0][0]) for b, e in of])
            if len(times[0]) < 6 or any(t != times[0] for t in times):
                raise Wrong(f"{name}: times depend on data: {times}")
            of_64 = times[0][2][1] - times[0][1][1]        # the core alone is waited for
            if of_64 != 10 * cycles:
                raise Wrong(f"{name}: a frame of 64 bytes behind another takes {of_64 // 10} cycles, not {cycles}")

    run.do(compare)
    return run


DEFAULTS = {"G_WIDTH": 64, "G_MIN_FRAME": 14, "G_MAX_FRAME": 600, "G_WINDOW": 128, "G_FIFO_BYTES": 2048,
            "G_FIFO_PACKETS": 16, "G_LAST": 0, "G_CHANNEL": False, "G_NOISE": 0, "G_STALL": 0, "G_SEED": 0,
            "G_PTXT_PS": 10000, "G_CORE_PS": 10000, "G_CTXT_PS": 10000, "G_MICROSECONDS": 2000}


def configurations(long):
    """(name, run, generics)"""
    def config(name, run, hash="sha256", **generics):
        return name, run, DEFAULTS | generics | {"G_HASH": hash, "G_CHANNEL": run.channel}

    yield config("bad", bad_input(), G_MAX_FRAME=200, G_STALL=20, G_CTXT_PS=47000, G_PTXT_PS=93000)
    yield config("channel", channel(packets=50 if long else 24, noise=10, lengths=lambda r: r.choice((14, 20, 40, 60, 64, 65, 100))), G_NOISE=10,
                 G_STALL=10, G_PTXT_PS=83000, G_CTXT_PS=71000)
    yield config("changes", changes(), G_MAX_FRAME=200, G_STALL=10, G_CTXT_PS=61000, G_PTXT_PS=83000)
    yield config("resets", resets(), G_MAX_FRAME=200, G_STALL=10, G_CTXT_PS=23000, G_PTXT_PS=37000)
    yield config("overflow", overflow(), G_MAX_FRAME=200, G_FIFO_BYTES=512)
    yield config("last", last(), G_MAX_FRAME=200, G_MIN_FRAME=0, G_LAST=5, G_STALL=20, G_CTXT_PS=31000, G_PTXT_PS=7000)
    yield config("repeats", repeats(), G_MAX_FRAME=200)
    yield config("timing", timing(), G_MAX_FRAME=200)
    # Every hash and every width of the streams.
    if long:
        for hash, widths in (("sha256", (32, 128, 256)), ("sha512", (64, 512)), ("blake2b", (32, 64, 128, 256, 512))):
            for width in widths:
                yield config(f"bad.{hash}.{width}", bad_input(hash, width), hash, G_WIDTH=width, G_MAX_FRAME=200, G_STALL=20,
                             G_CTXT_PS=47000 * width // 64, G_PTXT_PS=93000 * width // 64, G_MICROSECONDS=20000)
        # Other clocks, other hashes, much noise.
        for seed in range(2):
            yield config(f"channel.sha256.{seed}", channel(seed=10 + seed, packets=80, lengths=lambda r: r.choice((14, 63, 64, 300, 600))),
                         G_NOISE=25, G_STALL=10 * (seed + 1), G_SEED=seed, G_CTXT_PS=(90000, 130000)[seed],
                         G_PTXT_PS=(100000, 170000)[seed], G_MICROSECONDS=40000)
        for hash in ("sha512", "blake2b"):
            yield config(f"channel.{hash}", channel(hash, seed=20, lengths=lambda r: r.choice((14, 64, 65, 127, 128, 129, 600))), hash,
                         G_NOISE=15, G_STALL=20, G_CTXT_PS=110000, G_PTXT_PS=130000, G_MICROSECONDS=40000)
