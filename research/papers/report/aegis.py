"""Parallel lanes of AEGIS: tables 1 and 2, the claims of section 7, and strategies without vector AES."""

import published
from report.charts import Line, chart
from report.page import figures, size, times

BULK = 65536            # "large inputs"
GCM_BULK = 16384
FAMILIES = tuple((family, one, two, published.value(f"aegis.threshold.{family}x"))
                 for family, one, two in (("128", "aegis-128l", "aegis-128x2"), ("256", "aegis-256", "aegis-256x2")))
CPUS = (("i9-13900k", "Intel Core i9-13900K", "table 1"), ("epyc-7543", "AMD EPYC 7543", "table 2"))
COLOURS = {"vaes512": "blue", "vaes256": "green", "aesni": "orange", "soft": "grey"}


def add(report, measured, stored):
    sealing = {b: measured.contest("aegis", "sealing", b, "seal") for b in measured.backends}
    short = {b: measured.contest("aegis", "short", b, "seal") for b in measured.backends}
    vector = [b for b in measured.with_aes() if b.startswith("vaes")]
    speeds(report, sealing, vector)
    bulk_claims(report, sealing, vector)
    thresholds(report, short)
    strategies(report, measured, sealing)


def gcm(contests, backend, library="openssl"):
    contest = contests[backend].get(GCM_BULK)
    name = f"aes-128-gcm {library}"
    return (contest, name) if contest and name in contest.rounds else (None, None)


def speeds(report, sealing, vector):
    report.heading("Tables 1 and 2: throughput on long messages")
    backends = [b for b in sealing if b != "soft" and BULK in sealing[b]]
    names = [("AEGIS-128X, degree 2", "aegis-128x2", "aegis-128x2"), ("AEGIS-128L", "aegis-128l", "aegis-128l"),
             ("AES-128-GCM of OpenSSL", "aes-128-gcm openssl", "aes-128-gcm")]
    rows = []
    for label, ours, theirs in names:
        row = [label] + [f"{published.value(f'aegis.{cpu}.{theirs}'):,}" for cpu, *_ in CPUS]
        rows.append(row + [figures(sealing[b][BULK].mib_per_second(ours), 4) for b in backends])
    for label, slow, fast, theirs in (("128X2 / 128L", "aegis-128l", "aegis-128x2", "aegis-128l"),
                                      ("128X2 / AES-128-GCM", "aes-128-gcm openssl", "aegis-128x2", "aes-128-gcm")):
        row = [label] + [times(published.value(f"aegis.{cpu}.aegis-128x2") / published.value(f"aegis.{cpu}.{theirs}"))
                         for cpu, *_ in CPUS]
        rows.append(row + [times(sealing[b][BULK].ratio(slow, fast)) for b in backends])
    report.table("MiB/s on one core, 64 KiB a message", ["", *(cpu for _, cpu, _ in CPUS), *backends], rows,
                 "Each back end of ours is one set of instructions; OpenSSL is held to the same. The paper's CPUs have vector AES "
                 "of 256 bits and no AVX-512, without which OpenSSL's AES-GCM does not use it: the column vaes256 is theirs.",
                 groups=[("the paper, by CPU", 2), ("ours, by back end", len(backends))])


def bulk_claims(report, sealing, vector):
    for family, one, two, _ in FAMILIES:
        gains = [(b, sealing[b][BULK].ratio(one, two)) for b in vector if BULK in sealing[b]]
        if not gains:
            continue
        found = ", ".join(f"{gain:.2f} ({b})" for b, gain in gains)
        if family == "128":
            report.judge("twice-128", max(gain for _, gain in gains), found)
        else:
            report.found("twice-256", found)
    if vector:
        best = vector[0]
        contest, name = gcm(sealing, best)
        if contest:
            ratio = contest.ratio(name, "aegis-128x2")
            held = paper_like(sealing)
            report.judge("over-gcm", ratio,
                         f"{ratio:.2f} ({best}, 16 KiB)" + (f"; {held:.2f} with OpenSSL held to AES-NI" if held else ""))
    for backend, contests in sealing.items():
        if BULK not in contests or backend not in ("aesni", "soft"):
            continue
        gains = [contests[BULK].ratio(one, two) for _, one, two, _ in FAMILIES]
        shorts = [contests[16].ratio(one, two) for _, one, two, _ in FAMILIES if 16 in contests]
        ours = f"64 KiB: {gains[0]:.2f} and {gains[1]:.2f}"
        if shorts:
            ours += f"; 16 B: {shorts[0]:.2f} and {shorts[1]:.2f}"
        if backend == "aesni":
            report.judge("vector-registers", max(gains), ours)
        else:
            report.judge("no-vector-registers", max(gains), ours)


def paper_like(sealing):
    """128X2 with vector AES of 256 bits against OpenSSL's AES-128-GCM without it, as in the paper. Of two runs."""
    if "vaes256" not in sealing or "aesni" not in sealing or GCM_BULK not in sealing["vaes256"]:
        return None
    contest, name = gcm(sealing, "aesni")
    return contest.ns(name) / sealing["vaes256"][GCM_BULK].ns("aegis-128x2") if contest else None


def thresholds(report, short):
    report.heading("Section 7: from which length on lanes help")
    most, found = [], []
    for family, one, two, rate in FAMILIES:
        lines = []
        for backend in ("vaes512", "vaes256", "aesni"):
            contests = short.get(backend, {})
            points = [(bytes_, contests[bytes_].ratio(one, two)) for bytes_ in sorted(contests)]
            lines.append(Line(backend, points, COLOURS[backend]))
        best = next((line for line in lines if line.points), None)
        if best is None:
            continue
        report.chart(f"AEGIS-{family}X of degree 2: how much faster than AEGIS-{family + ('L' if family == '128' else '')}, "
                     "0 to 64 bytes, sealing",
                     chart(lines, "bytes of message", "time of one lane / time of two", limits=[(1, "as fast")],
                           xticks=[(at, str(at)) for at in range(0, 65, 8)], notes=[(rate, f"r = {rate} bytes")]),
                     "Above the dashed line two lanes are faster. The paper: no gain up to the rate r.",
                     data={line.name: line.points for line in lines})
        within = [gain for at, gain in best.points if 0 < at <= rate]
        beyond = [gain for at, gain in best.points if at > rate]
        most.append(max(within))
        found.append(f"{family}X: {min(within):.2f} to {max(within):.2f} up to r, {min(beyond):.2f} to {max(beyond):.2f} from there to "
                     f"64 B ({best.name})")
    if most:
        report.judge("threshold-of-messages", most, "; ".join(found), note="")


def strategies(report, measured, sealing):
    """The records hold each suite twice: all lanes at once, then lane by lane, both under one name."""
    suites = ["aegis-128x2", "aegis-128x4", "aegis-128x-v1:degree=8", "aegis-256x2", "aegis-256x4"]
    names = ["128X2", "128X4", "128X8", "256X2", "256X4"]
    for backend in ("aesni", "vaes256"):
        contests = measured.contest("aegis", "strategies", backend, "seal")
        rows = [[size(at), *(times(contest.ratio(f"{s}, all at once", f"{s}, lane by lane")) for s in suites)]
                for at, contest in sorted(contests.items()) if at >= 4096]
        if not rows:
            continue
        if backend == "aesni":
            report.heading("Section 6: lane by lane, where there is no vector AES")
            contest = contests.get(BULK)
            if contest:
                gains = [contest.ratio(f"{s}, all at once", f"{s}, lane by lane") for s in (suites[1], suites[4])]
                report.judge("lane-by-lane", gains, f"{gains[0]:.2f} (128X4), {gains[1]:.2f} (256X4), 64 KiB")
        report.table(f"Lane by lane: how much faster than all lanes at once, {backend}", ["message", *names], rows,
                     "At degrees whose states fit the registers there is nothing to relieve.")
