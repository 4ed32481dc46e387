"""The configurations of tb_omd_link."""

from link import FAULTS, Run, reference, regs


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
        run.offer(0, run.frame(40), fault)
        run.play(peer.seal(run.frame(20)), fault)
        good()
    for length in (0, 1, 8, 13, 201, 208, 209, 500):
        run.offer(0, run.frame(length))
        run.play(run.frame(length + 62))
        good()
    for length in (14, 15, 16, 200, n, 2 * n, 2 * n + 1):
        run.offer(0, run.frame(length))
        run.play(peer.seal(run.frame(length)))
    for length in (0, 1, 30, 61, 62):
        run.play(run.frame(length))
    good()
    run.run()

    # Headers, tags, replays.
    run.begin()

    def spoilt(at, bit=0, packet=None):
        packet = bytearray(packet or peer.seal(run.frame(50)))
        packet[at] ^= 1 << bit
        run.play(bytes(packet))
        good()

    for at in (12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 29, 30, 31, 60, 79, -1, -32, -33):
        spoilt(at, r.randrange(8))
    for at in (0, 5, 6, 11):                              # addresses are not looked at
        packet = bytearray(peer.seal(run.frame(33)))
        packet[at] ^= 0x80
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
    run.wait(300)
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
        run.quiet(400)
    return run


DEFAULTS = {"G_WIDTH": 64, "G_MIN_FRAME": 14, "G_MAX_FRAME": 600, "G_WINDOW": 128, "G_FIFO_BYTES": 2048,
            "G_FIFO_PACKETS": 16, "G_LAST": 0, "G_CHANNEL": False, "G_NOISE": 0, "G_STALL": 0, "G_SEED": 0,
            "G_PTXT_PS": 10000, "G_CORE_PS": 10000, "G_CTXT_PS": 10000, "G_MICROSECONDS": 2000}


def configurations(long):
    """(name, run, generics)"""
    def config(name, run, hash="sha256", **generics):
        return name, run, DEFAULTS | generics | {"G_HASH": hash, "G_CHANNEL": run.channel}

    yield config("bad", bad_input(), G_MAX_FRAME=200, G_STALL=20, G_CTXT_PS=14000, G_PTXT_PS=23000)
    yield config("channel", channel(noise=10, lengths=lambda r: r.choice((14, 20, 40, 60, 64, 65, 100))), G_NOISE=10,
                 G_STALL=10, G_PTXT_PS=23000, G_CTXT_PS=17000)
