"""OCH as its authors have it, mended, beside Flex's OCH, CTX, AES-256-GCM, OCB3 and AEGIS, in one contest."""

from report.charts import Line, chart
from report.page import size, times

OURS = {"och-areion-p": ("OCH-P", "blue"), "och-areion-s": ("OCH-S", "sky"), "flex-och-public": ("Flex's OCH", "green"),
        "flex-och": ("Flex's OCH, nonce hidden", "pink"), "aegis-128x2": ("AEGIS-128X2", "grey"), "aegis-128l": ("AEGIS-128L", "grey")}
# By the fastest on long messages, ours or a library's.
OTHERS = {"ctx-aes-256-gcm": ("CTX", "red"), "aes-256-gcm": ("GCM", "orange"), "ocb3": ("OCB3", "grey")}
OPERATIONS = {"seal": "sealing", "open": "opening"}


def add(report, measured, stored):
    for backend in measured.with_aes():
        for operation in OPERATIONS:
            contests = measured.contest("och", "OCH", backend, operation)
            if contests:
                beside(report, measured, backend, operation, contests)
    if measured.runs:
        peak(report, measured)


def beside(report, measured, backend, operation, contests):
    report.heading(f"OCH, {OPERATIONS[operation]} on {backend}")
    longest = contests[max(contests)]
    names = {name: look for name, look in OURS.items() if name in longest.cycles}
    for id, (title, colour) in OTHERS.items():
        best = longest.fastest([id, *longest.named(id)])
        if best:
            names[best] = f"{title}, {best.removeprefix(id).strip() or 'ours'}", colour
    lines = [Line(title, [(at, contest.cycles_per_byte(name)) for at, contest in sorted(contests.items())], colour, "-", "o")
             for name, (title, colour) in names.items()]
    ticks = [(at, size(at)) for at in sorted(contests)]
    round = measured.aes_round.get(backend)
    limits = [(30 / 32 * round, "limit of the AES instructions of OCH-P and OCH-S")] if round else ()
    report.chart(f"{OPERATIONS[operation].capitalize()} on {backend}: cycles a byte, lower is better",
                 chart(lines, "length of the message", "cycles a byte", xlog=True, ylog=True, xticks=ticks, limits=limits),
                 "16 bytes of associated data.", data={line.name: line.points for line in lines})
    rivals = [name for name in names if name != "och-areion-p"]
    rows = [[size(at), *(times(contest.ratio(name, "och-areion-p")) for name in rivals)] for at, contest in sorted(contests.items())]
    report.table("Their time divided by OCH-P's: above 1 OCH-P is faster", ["message", *(names[name][0] for name in rivals)], rows)


def peak(report, measured):
    """The claim's figure is of another CPU: ours stands beside it, and decides nothing."""
    backend = measured.backends[0]
    contests = measured.contest("och", "OCH", backend, "seal").values()
    least = [min((contest.cycles_per_byte(name) for contest in contests if name in contest.cycles), default=None)
             for name in ("och-areion-p", "och-areion-s")]
    if None not in least:
        p, s = least
        report.found("speed", f"That CPU was not there. Here, on {backend}: {p:.2f} (OCH-P) and {s:.2f} (OCH-S) cycles a byte.")
