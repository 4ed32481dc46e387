"""Flex: figure 1, figure 3 on each back end, where CTX overtakes OCH, CIV and ROBUST beside their peers, configurations."""

from math import inf

import published
from report.boxes import Box, diagram
from report.charts import Line, chart
from report.page import size, times

# How far the left half of figure 3 reaches, and where the right one begins.
MEDIUM, LARGE = 2048, 4096
COLOURS = {"flex-och": "blue", "flex-civ": "blue", "flex-robust": "blue", "flex-robust-ae": "sky", "ocb3": "green", "hctr2": "green",
           "aes-256-gcm": "orange", "ctx-aes-256-gcm": "red", "aez": "red", "aes-256-gcm-siv": "pink"}
TITLES = {"flex-och": "OCH", "flex-civ": "CIV", "flex-robust": "ROBUST", "flex-robust-ae": "ROBUST-AE",
          "aes-256-gcm": "GCM", "ctx-aes-256-gcm": "CTX", "ocb3": "OCB3", "hctr2": "HCTR2", "aez": "AEZ", "aes-256-gcm-siv": "GCM-SIV"}
LIBRARIES = ("boringssl", "openssl", "aws-lc")


def add(report, measured, stored):
    construction(report)
    backends = measured.with_aes()
    for backend in backends:
        figure_3(report, measured, backend)
    overtaking(report, measured, backends)
    peers(report, measured)
    configurations(report)


def construction(report):
    report.heading("Figure 1, drawn: OCH")
    boxes = {"n": Box("N ‖ M", 0, 0), "sum": Box("first n − τ bits of P1 ⊕ … ⊕ P5", 1.5, 3, width=216), "tag": Box("E~ tag", 3.6, 3, "call"),
             "t": Box("T: τ bits", 5.2, 3)}
    for at in range(1, 6):
        boxes[f"p{at}"] = Box(f"P{at}", at, 0)
        boxes[f"e{at}"] = Box(f"E~ {at}", at, 1, "call")
        boxes[f"c{at}"] = Box(f"C{at}", at, 2)
    arrows = [("n", "p1"), ("sum", "tag"), ("tag", "t")]
    arrows += [arrow for at in range(1, 6) for arrow in ((f"p{at}", f"e{at}"), (f"e{at}", f"c{at}"))]
    report.drawing("Figure 1: OCH of whole blocks, n ≥ 2τ, five of them", diagram(boxes, arrows),
                   "The nonce is in P1 and thereby hidden. E~ i is the tweakable permutation with the tweak of block i. Beside the "
                   "checksum the tag's input holds τ zero bits.")


def line(contests, name, title, colour, style="-"):
    points = [(at, contest.cycles_per_byte(name)) for at, contest in sorted(contests.items()) if name in contest.cycles]
    return Line(title, points, colour, style, "o")


def lines_of(contests, ours, ids):
    """Ours, and of each library's implementations of an algorithm: ring's, as in the paper, and the fastest on long messages."""
    longest = contests[max(contests)]
    suite = ours[0]
    lines = [line(contests, suite, f"{TITLES[suite]}, ours", "blue")]
    for id in ids:
        there = longest.named(id)
        ring = f"{id} ring"
        if ring in there:
            lines.append(line(contests, ring, f"{TITLES[id]}, ring", COLOURS[id], ":"))
        best = longest.fastest([name for name in there if name != ring])
        if best:
            lines.append(line(contests, best, f"{TITLES[id]}, {best.removeprefix(id + ' ')}", COLOURS[id]))
        if id in longest.rounds and id in ours:
            lines.append(line(contests, id, f"{TITLES[id]}, ours", COLOURS[id], "--"))
    return lines


def halves(lines):
    for within in (lambda at: at <= MEDIUM, lambda at: at >= LARGE):
        yield [Line(l.name, [p for p in l.points if within(p[0])], l.colour, l.style, "o") for l in lines]


def ticks(lines):
    return [(at, size(at)) for at in sorted({at for line in lines for at, _ in line.points})]


def figure_3(report, measured, backend):
    contests = measured.contest("flex", "OCH", backend, "seal")
    if not contests:
        return
    report.heading(f"Figure 3 on {backend}" + (", the instructions of the paper's CPU" if backend == "aesni" else ""))
    lines = lines_of(contests, ("flex-och", "aes-256-gcm", "ctx-aes-256-gcm"), ("aes-256-gcm", "ocb3", "ctx-aes-256-gcm"))
    limit = limits(measured, backend, 1)
    for half, lines, log in zip(("left: medium-size messages", "right: large messages"), halves(lines), (False, True)):
        lines = [line for line in lines if line.points]
        if lines:
            report.chart(f"Figure 3, {half}, {backend}: cycles a byte, lower is better",
                         chart(lines, "length of the message", "cycles a byte", xlog=log, xticks=ticks(lines), limits=limit),
                         "16 bytes of associated data, as in the paper. " + held(measured, backend),
                         data={line.name: line.points for line in lines})


def held(measured, backend):
    if backend == measured.backends[0]:
        return "Libraries choose their own instructions here."
    return "Libraries are held to these instructions; those that cannot be, such as ring, are left out."


def limits(measured, backend, passes):
    cycles = measured.aes_round.get(backend)
    return [(passes * 60 / 64 * cycles, "limit of the AES rounds")] if cycles else ()


def overtaking(report, measured, backends):
    rows = []
    for backend in backends:
        contests = measured.contest("flex", "OCH", backend, "seal")
        if not contests:
            continue
        longest = contests[max(contests)]
        for name in [n for n in longest.named("ctx-aes-256-gcm")] + ["ctx-aes-256-gcm"]:
            if name not in longest.rounds:
                continue
            ahead = [(at, contest.ratio(name, "flex-och")) for at, contest in sorted(contests.items())]
            behind = [at for at, ratio in ahead if ratio > 1]
            after = [at for at, _ in ahead if at > max(behind, default=0)]
            who = name.removeprefix("ctx-aes-256-gcm").strip() or "ours"
            at_1k = dict(ahead).get(1024)
            rows.append([f"{backend}, CTX of {who}", size(after[0]) if after else "never", times(at_1k),
                         times(dict(ahead).get(16384)), times(ahead[-1][1])])
    if not rows:
        return
    report.heading("Where CTX overtakes OCH")
    report.table("CTX's time divided by OCH's, sealing; below 1 CTX is faster",
                 ["", "CTX is ahead from", "1 KiB", "16 KiB", size(max(longest_sizes(measured, backends)))], rows,
                 "CTX is AES-256-GCM with HMAC-SHA256. Below 8 KiB sizes are those of the paper; \"from\" holds for all longer ones.")
    against_ctx(report, backends[0], measured.contest("flex", "OCH", backends[0], "seal"))


def against_ctx(report, backend, contests):
    """Every CTX there, also over our own AES-GCM."""
    def ratios(low, high):
        return [contest.ratio(name, "flex-och") for at, contest in contests.items() if low <= at <= high
                for name in (*contest.named("ctx-aes-256-gcm"), "ctx-aes-256-gcm") if name in contest.rounds]

    longest = contests.get(2**20)
    if longest:
        of = [longest.ratio(name, name.removeprefix("ctx-")) for name in longest.rounds if name.startswith("ctx-aes-256-gcm")]
        of = [ratio for ratio in of if ratio]
        report.judge("ctx-matches-gcm", max(of), f"{min(of):.2f} to {max(of):.2f} times ({backend}).")
    for id, low, high in (("ctx-medium", 256, MEDIUM), ("ctx-long", LARGE, inf)):
        of = ratios(low, high)
        if of:
            slow = [size(at) for at, contest in sorted(contests.items()) if low <= at <= high and min(
                contest.ratio(name, "flex-och") for name in contest.rounds if name.startswith("ctx-aes-256-gcm")) < 1]
            report.judge(id, min(of), f"{min(of):.2f} to {max(of):.2f}, over every CTX ({backend}); "
                         + (f"behind the fastest at {', '.join(slow)}." if slow else "never behind."))


def longest_sizes(measured, backends):
    return [at for backend in backends for at in measured.contest("flex", "OCH", backend, "seal")]


def peers(report, measured):
    if not measured.runs:
        return
    backend = measured.backends[0]
    for table, ours, ids, what in (
            ("CIV", ("flex-civ",), ("aes-256-gcm-siv",), "schemes that withstand repeated nonces"),
            ("ROBUST", ("flex-robust", "flex-robust-ae"), ("hctr2", "aez"), "wide-block ciphers, which have no tag to compute")):
        contests = measured.contest("flex", table, backend, "seal")
        if not contests:
            continue
        longest = contests[max(contests)]
        lines = [line(contests, suite, f"{TITLES[suite]}, ours", COLOURS[suite]) for suite in ours]
        names = [name for id in ids for name in longest.named(id)]
        for name, colour in zip(names, ("orange", "green", "red", "pink")):
            id, library = name.split(" ", 1)
            lines.append(line(contests, name, f"{TITLES[id]}, {library}", colour))
        report.heading(f"{table} beside {what}")
        report.chart(f"{table} on {backend}: cycles a byte, sealing",
                     chart(lines, "length of the message", "cycles a byte", xlog=True, ylog=True, xticks=ticks(lines),
                           limits=limits(measured, backend, 2)),
                     "AEZ in C is under the AGPL: the program that measures it is built for this machine and never distributed."
                     if any(name.startswith("aez aez") for name in names) else "", data={l.name: l.points for l in lines})
        if names:
            rows = [[size(at), *(times(contest.ratio(name, ours[0])) for name in names)] for at, contest in sorted(contests.items())]
            report.table(f"Their time divided by {table}'s: above 1 ours is faster", ["message", *names], rows,
                         "Not comparable: ours is written for the widest AES instructions that there are. That these are the best "
                         "builds of HCTR2 and AEZ is not known, and nothing is concluded of either." if table == "ROBUST" else "")


def configurations(report):
    """From the page that its test checks row by row."""
    page = (published.Path(__file__).parents[3] / "docs" / "choosing-flex.md").read_text()
    begin = page.index("| permutation | nonce |")
    lines = page[begin:page.index("\n\n", begin)].splitlines()
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    report.heading("Configurations")
    report.table("Every mode, with a hidden and with a public nonce, over every permutation", cells[0], cells[2:],
                 "From docs/choosing-flex.md, of which a test checks every cell. \"Longer by\" is in bytes; finding two contexts for "
                 "one ciphertext costs 2 to the power of the last column.", source="stored")
