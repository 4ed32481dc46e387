"""KC-XAES: tables 1 to 4, figures 1 to 3, AES calls, section 4.2's numbers, theorem 1 and the attacks of section 5.1."""

from math import comb, lgamma, log, log2, pi

import kc_xaes_beside
import kc_xaes_errata
import published
from report.boxes import Box, diagram
from report.charts import Line, chart
from report.page import figures, percent, size

XEON, GRAVITON = "xeon-8375c", "graviton4"
SUITES = {"aes-256-gcm": "aes-256-gcm", "xaes": "xaes-256-gcm", "kc-xaes": "kc-xaes-256-gcm", "h-aes": "h-aes-256-gcm",
          "h-kc-aes": "h-kc-aes-256-gcm"}
TITLES = {"aes-256-gcm": "GCM", "xaes": "XAES", "kc-xaes": "KC-XAES", "h-aes": "H-AES", "h-kc-aes": "H-KC-AES"}
OPERATIONS = (("init", "A cipher from a key", "init"), ("seal", "Sealing", "seal"), ("open", "Opening", "open"))
ROWS = {"t1": (32, 1024, 16384, 1048576), "t3": (32, 128, 256, 512, 1024)}
LIBRARY = "aws-lc"


def add(report, measured, stored):
    times = Times(measured) if measured.runs else None
    if times and times.there():
        performance(report, times)
    constructions(report)
    calls(report)
    acvp(report)
    theorem(report, stored)
    attacks(report, stored)


class Times:
    """On the best back end: ours, and the schemes composed of AWS-LC's parts."""

    def __init__(self, measured):
        self.backend = measured.backends[0]
        self.contests = {op: measured.contest("kc-xaes", title, self.backend, op) for op, title, _ in OPERATIONS}

    def there(self):
        return all(self.contests.values())

    def contest(self, operation, at):
        return self.contests[operation].get(at)

    def microseconds(self, operation, at, scheme, library):
        contest = self.contest(operation, at)
        ns = contest and contest.ns(name(scheme, library))
        return ns / 1000 if ns else None

    def over(self, operation, at, scheme, library, base="aes-256-gcm"):
        contest = self.contest(operation, at)
        ratio = contest and contest.ratio(name(scheme, library), name(base, library))
        return (ratio - 1) * 100 if ratio else None


def name(scheme, library):
    return SUITES[scheme] + (f" {library}" if library else "")


def rows_of(sizes):
    yield "init", 0, "init", "init"
    for operation in ("seal", "open"):
        for at in sizes:
            yield operation, at, f"{operation}-{size(at).replace(' ', '')}", f"{operation}, {size(at)}"


def theirs(table, cpu, key, scheme, over=False):
    value = published.VALUES.get(f"kc-xaes.{table}.{cpu}.{key}.{scheme}" + (".over" if over else ""))
    return value and value["value"]


def us(value):
    return "" if value is None else figures(value, 3)


def performance(report, times):
    report.heading("Tables 1 to 4: what a derived key and a commitment cost")
    ours = f"polyseal, {times.backend}"
    libraries = [(ours, "")] + ([("AWS-LC's parts, here", LIBRARY)] if times.microseconds("seal", 32, "xaes", LIBRARY) else [])
    note = "Init is the cipher from a key. The paper's implementation is AWS-LC's; here the same schemes are composed of its parts."

    schemes = ("aes-256-gcm", "xaes", "kc-xaes")
    rows = []
    for operation, at, key, label in rows_of(ROWS["t1"]):
        row = [label] + [us(theirs("t1", cpu, key, s)) for cpu in (XEON, GRAVITON) for s in schemes]
        rows.append(row + [us(times.microseconds(operation, at, s, lib)) for _, lib in libraries for s in schemes])
    groups = [("the paper: Xeon 8375C", 3), ("the paper: Graviton4", 3)]
    report.table("Table 1: microseconds a message", ["", *[TITLES[s] for s in schemes] * (2 + len(libraries))], rows, note,
                 groups=groups + [(label, 3) for label, _ in libraries])

    schemes = ("xaes", "kc-xaes")
    rows = []
    for operation, at, key, label in rows_of(ROWS["t1"]):
        row = [label] + [percent(theirs("t2", cpu, key, s)) for cpu in (XEON, GRAVITON) for s in schemes]
        rows.append(row + [percent(times.over(operation, at, s, lib)) for _, lib in libraries for s in schemes])
    report.table("Table 2: how much more than AES-256-GCM", ["", *[TITLES[s] for s in schemes] * (2 + len(libraries))], rows,
                 groups=[(title, 2) for title, _ in groups] + [(label, 2) for label, _ in libraries])

    rows = []
    for operation, at, key, label in rows_of(ROWS["t3"]):
        row = [label, us(theirs("t3", XEON, key, "aes-256-gcm"))]
        for s in schemes:
            row += [us(theirs("t3", XEON, key, s)), percent(theirs("t3", XEON, key, s, over=True))]
        for _, lib in libraries:
            row.append(us(times.microseconds(operation, at, "aes-256-gcm", lib)))
            for s in schemes:
                row += [us(times.microseconds(operation, at, s, lib)), percent(times.over(operation, at, s, lib))]
        rows.append(row)
    report.table("Table 3: short messages, microseconds, and how much more than AES-256-GCM",
                 ["", *["GCM", "XAES", "", "KC-XAES", ""] * (1 + len(libraries))], rows,
                 groups=[("the paper: Xeon 8375C", 5)] + [(label, 5) for label, _ in libraries])

    schemes = ("h-aes", "h-kc-aes")
    rows = []
    for operation, at, key, label in rows_of(ROWS["t1"]):
        row = [label]
        for cpu in (XEON, GRAVITON):
            for s in schemes:
                row += [us(theirs("t4", cpu, key, s)), percent(theirs("t4", cpu, key, s, over=True))]
        for _, lib in libraries:
            for s in schemes:
                row += [us(times.microseconds(operation, at, s, lib)), percent(times.over(operation, at, s, lib))]
        rows.append(row)
    report.table("Table 4: HMAC-SHA256 in the place of CMAC, microseconds, and how much more than AES-256-GCM",
                 ["", *["H-AES", "", "H-KC-AES", ""] * (2 + len(libraries))], rows,
                 groups=[(title, 4) for title, _ in groups] + [(label, 4) for label, _ in libraries])
    curve(report, times, libraries)
    verdicts(report, times, libraries)


def curve(report, times, libraries):
    lines = []
    sizes = sorted(times.contests["seal"])
    for scheme, colour in (("xaes", "sky"), ("kc-xaes", "blue")):
        paper = {at: theirs("t2", XEON, f"seal-{size(at).replace(' ', '')}", scheme)
                 or theirs("t3", XEON, f"seal-{size(at).replace(' ', '')}", scheme, over=True) for at in sizes}
        lines.append(Line(f"{TITLES[scheme]}, the paper's Xeon", [(at, p) for at, p in paper.items() if p is not None], colour,
                          ":", "o"))
        for label, lib in libraries:
            points = [(at, times.over("seal", at, scheme, lib)) for at in sizes]
            colour_here = colour if not lib else {"sky": "orange", "blue": "red"}[colour]
            where = "AWS-LC's parts" if lib else "polyseal"
            lines.append(Line(f"{TITLES[scheme]}, {where}", [p for p in points if p[1] is not None], colour_here, "-", "o"))
    report.chart("Sealing: how much more than AES-256-GCM, in percent",
                 chart(lines, "length of the message", "percent more than AES-256-GCM", xlog=True,
                       xticks=[(at, size(at)) for at in sizes]),
                 data={line.name: line.points for line in lines})


def verdicts(report, times, libraries):
    schemes = ("xaes", "kc-xaes")

    def say(form):
        return "; ".join(f"{form(lib)} ({'AWS-LC' if lib else 'ours'})" for _, lib in libraries)

    def both(values, form):
        return " and ".join(form.format(value) for value in values)

    def factors(lib):
        return [1 + times.over("seal", 32, s, lib) / 100 for s in schemes]

    def judge(id, figure, found):
        """By our figure, and by that of AWS-LC's parts if they ran."""
        report.judge(id, figure(""), found, other=figure(LIBRARY) if LIBRARY in dict(libraries).values() else None)

    judge("small-plaintexts", factors, say(lambda lib: both(factors(lib), "{:.1f}")))

    def at_a_mebibyte(lib):
        return [times.over(op, 1048576, s, lib) for op in ("seal", "open") for s in schemes]

    judge("unnoticeable", at_a_mebibyte, say(lambda lib: f"at most {max(at_a_mebibyte(lib), key=abs):+.1f} %"))
    judge("init", lambda lib: times.over("init", 0, "xaes", lib),
          say(lambda lib: both((times.over("init", 0, s, lib) for s in schemes), "{:.0f}") + " %"))
    added = {lib: [times.over("seal", at, "kc-xaes", lib) for at in (32, 1024, 16384)] for _, lib in libraries}
    judge("falls", lambda lib: [before / after for before, after in zip(added[lib], added[lib][1:])],
          say(lambda lib: ", ".join(f"{value:.0f}" for value in added[lib]) + " %"))
    rows = [("init", 0), *((op, at) for op in ("seal", "open") for at in (32, 1024, 16384))]
    ratios = {lib: [times.contest(op, at).ratio(name(h, lib), name(c, lib)) for op, at in rows
                    for h, c in (("h-aes", "xaes"), ("h-kc-aes", "kc-xaes"))] for _, lib in libraries}
    judge("hmac-costs-more", lambda lib: [min(ratios[lib]), max(ratios[lib])],
          say(lambda lib: f"{min(ratios[lib]):.2f} to {max(ratios[lib]):.2f} times"))
    adds = {lib: [times.over("seal", 32, s, lib) for s in ("h-aes", "xaes")] for _, lib in libraries}
    judge("order-of-magnitude", lambda lib: adds[lib][0] / adds[lib][1], say(lambda lib: f"{adds[lib][0] / adds[lib][1]:.1f} times"))
    more = {lib: [spread([times.microseconds("seal", at, s, lib) - times.microseconds("seal", at, "aes-256-gcm", lib)
                          for at in times.contests["seal"] if 32 <= at <= 16384]) for s in schemes] for _, lib in libraries}
    judge("constant-difference", more.get, say(lambda lib: both(more[lib], "{:.1f}") + " times"))
    of = {lib: kc_xaes_beside.groups(lambda operation, at, scheme, lib=lib: times.over(operation, at, scheme, lib))
          for _, lib in libraries}
    for id in kc_xaes_beside.GROUPS:
        judge(id, lambda lib: of[lib][id][0], say(lambda lib: of[lib][id][1]))


def spread(values):
    return max(values) / min(values)


# ── Figures 1 to 3 ──────────────────────────────────────────────────────────────────────────────

def figure_1():
    """F_com: boxes and arrows."""
    boxes = {
        "cu": Box('"XCMT" ‖ U', 2.6, 0, width=86), "aes0": Box("AES_K", 2.6, 1, "call"), "x1": Box("X1", 2.6, 2),
        "v4": Box("V ‖ c4", 1.1, 1), "v5": Box("V ‖ c5", 4.1, 1), "k1a": Box("K1", 0, 2, width=44), "k1b": Box("K1", 5.2, 2, width=44),
        "x4": Box("⊕", 1.1, 2, "call", 34), "x5": Box("⊕", 4.1, 2, "call", 34), "aes1": Box("AES_K", 1.1, 3, "call"),
        "aes2": Box("AES_K", 4.1, 3, "call"), "z1": Box("Z1", 1.1, 4), "z2": Box("Z2", 4.1, 4),
        "kc": Box("K_C = Z1 ‖ Z2", 2.6, 4, width=116),
    }
    return boxes, [("cu", "aes0"), ("aes0", "x1"), ("x1", "x4"), ("x1", "x5"), ("v4", "x4"), ("v5", "x5"), ("k1a", "x4"),
                   ("k1b", "x5"), ("x4", "aes1"), ("x5", "aes2"), ("aes1", "z1"), ("aes2", "z2"), ("z1", "kc"), ("z2", "kc")]


def constructions(report):
    report.heading("Figures 1 to 3, drawn")
    report.drawing("Figure 1: the commitment F_com(K, N) of the nonce N = U ‖ V", diagram(*figure_1()),
                   "K1 is AES_K(0) doubled. Three calls of AES beside K1.")
    boxes = {
        "n": Box("N, 24 bytes", 2.4, 0, width=96), "u": Box("U = N[0:12]", 1, 1, width=96), "v": Box("V = N[12:24]", 4.2, 1, width=96),
        "kdf": Box("2 AES_K\n⊕ K1", 0, 2, "call"), "com": Box("F_com\n3 AES_K", 2.4, 2, "call"), "ku": Box("K_U", 0, 3),
        "gcm": Box("AES-GCM", 4.2, 3, "call"), "p": Box("A, P", 5.5, 3), "kc": Box("K_C", 2.4, 4), "ct": Box("C ‖ T", 4.2, 4),
    }
    arrows = [("n", "u"), ("n", "v"), ("u", "kdf"), ("u", "com"), ("v", "com"), ("kdf", "ku"), ("ku", "gcm"), ("v", "gcm"),
              ("p", "gcm"), ("gcm", "ct"), ("com", "kc")]
    report.drawing("Figure 2: KC-XAES-256-GCM", diagram(boxes, arrows),
                   "K1 = AES_K(0) doubled, once for a key. What is sent: the nonce, C ‖ T, and K_C.")
    report.drawing("Figure 3: nonces of b bytes, and which of them U and V share", nonces(),
                   "U is the first 12 bytes, V the last 12; below 24 bytes they overlap. The constants c4 and c5 hold 24 − b.")


def nonces():
    unit, row, left = 20, 34, 70
    parts = [f'<svg class="diagram" viewBox="0 0 {left + 24 * unit + 120} {5 * row + 8}" role="img" style="max-width:670px">']
    for at, b in enumerate((24, 23, 22, 21, 20)):
        y = at * row + 6
        parts.append(f'<text x="{left / 2}" y="{y + 17}">b = {b}</text>')
        parts.append(f'<rect class="call" x="{left}" y="{y}" width="{12 * unit}" height="24" rx="3"/>')
        parts.append(f'<rect class="value" x="{left + (b - 12) * unit}" y="{y}" width="{12 * unit}" height="24" rx="3" '
                     'fill-opacity=".55"/>')
        parts.append(f'<text x="{left + 4 * unit}" y="{y + 17}">U</text><text x="{left + (b - 4) * unit}" y="{y + 17}">V</text>')
        shared = 24 - b
        parts.append(f'<text class="label" x="{left + 24 * unit + 60}" y="{y + 16}">{shared or "no"} bytes shared</text>')
    return "".join(parts) + "</svg>"


# ── Calls, limits, theorem ──────────────────────────────────────────────────────────────────────

def calls(report):
    ours = kc_xaes_errata.counted()
    titles = {"xaes": "XAES", "kc-xaes": "KC-XAES", "c3": "C.3 over XAES", "dndk-v1": "DNDK",
              "dndk-v1-kc": "DNDK with commitment", "dndk-v2": "DNDK, version 2",
              "dndk-v2-kc": "DNDK, version 2, with commitment", "h-kc-aes": "H-KC-AES"}
    printed = {key: published.VALUES.get(f"kc-xaes.calls.{key}", {}).get("value") for key in titles}
    report.heading("Calls of AES for a message, beyond AES-GCM's own")
    report.table("Different calls under the main key", ["", "the paper", "counted in the reference"],
                 [[title, "" if printed[key] is None else str(printed[key]), str(ours[key])] for key, title in titles.items()],
                 "K1's call can be made once for a key and kept. An empty cell: the paper does not say.", source="computed")


def acvp(report):
    """Appendix A: what a laboratory would register, computed as it is registered."""
    import gcm
    import xaes
    from aegis_vectors import shake

    derived = {"K_U": lambda K, N: xaes.xaes(K, N)[0], "K_C": xaes.kc_xaes}

    def agrees(what, parameters):
        if parameters["kdfMode"] != "counter" or parameters["macMode"] != "CMAC-AES256":
            return False
        where = {"before fixed data": "before", "after fixed data": "after"}[parameters["counterLocation"]]
        for i in range(20):
            K, N = shake(32, "acvp", i), shake(24, "acvp nonce", i)
            fields = parameters["fixedData"].replace("<U>", N[:12].hex()).replace("<V>", N[12:].hex())
            fixed = bytes.fromhex(fields.removeprefix("0x"))
            output = gcm.KBKDF(K, fixed, parameters["supportedLengths"] // 8, parameters["counterLength"], where)
            if output != derived[what](K, N):
                return False
        return True

    registered = published.DATA["acvp"]
    report.heading("Appendix A: what is registered for a validation by ACVP")
    names = list(registered["K_U"])
    report.table("The KDF's parameters as the paper prints them", ["", *registered],
                 [[name_, *(str(registered[what][name_]) for what in registered)] for name_ in names],
                 "What they describe is computed by the reference's KBKDF and compared with K_U and K_C.", source="computed")
    wrong = [what for what, parameters in registered.items() if not agrees(what, parameters)]
    assert not wrong, f"appendix A's parameters do not give {', '.join(wrong)}"


def log2_binomial(n_log2, m):
    """log2 of C(2^n_log2, m), for m far below 2^n_log2."""
    return n_log2 * m - lgamma(m + 1) / log(2)


def log2_theorem(n, q):
    """Theorem 1 as printed, minimised over β: log2 of the chance after 2^q calls, at most 0; and β."""
    room = log2(2**n - 2 * 2**q) if q < n - 1 else None
    if room is None:
        return 0.0, None
    best = (0.0, None)
    for beta in range(2, 41):
        # q·C(q − 1, β) / (2^n − 2q)^β + 4 (β − 1) q / (2^n − 2q) + 3·C(q, 2) / (2^n − 2q)²
        many = q + log2_binomial(q, beta) - beta * room
        total = log2(2**many + 2 ** (log2(4 * (beta - 1)) + q - room) + 2 ** (log2(3) + 2 * q - 1 - 2 * room))
        best = min(best, (total, beta), key=lambda pair: pair[0])
    return best


def theorem(report, stored):
    report.heading("Theorem 1: two keys with one commitment under one nonce")
    points = [(q, log2_theorem(128, q)[0]) for q in range(20, 128)]
    report.chart("Theorem 1 for n = 128: log2 of the chance, by log2 of the calls",
                 chart([Line("theorem 1", points, "blue"), Line("2⁻⁴⁴ at 2⁸⁰, claimed", [(20, -44), (80, -44)], "orange", "--")],
                       "log2 of the calls of AES", "log2 of the chance", notes=[(80, "2⁸⁰")],
                       xticks=[(at, str(at)) for at in range(24, 129, 16)]),
                 source="computed", data={"theorem 1": points})
    rows = [[str(t["n"]), str(t["q"]), f"2^{t['measured']}", f"2^{t['bound']}", f"2^{t['ideal']}",
             f"2^{log2_theorem(t['n'], log2(t['q']))[0]:.1f}"] for t in stored["kc-xaes"]["toys"]]
    report.table("The same on toys: how often a search under one nonce succeeds within q calls",
                 ["n", "q", "measured", "with U in the last block", "with an ideal cipher", "theorem 1 allows"], rows,
                 "The theorem allows for adversaries who choose their calls in any order; the search does not come near.",
                 source="stored")
    best(report, stored)


def exact_theorem(n, q):
    """Theorem 1 as printed, with binomials, minimised over β; at most 1."""
    room = 2**n - 2 * q
    if room <= 0:
        return 1.0
    least = min(q * comb(q - 1, beta) / room**beta + 4 * (beta - 1) * q / room for beta in range(1, 41))
    return min(1.0, least + 3 * comb(q, 2) / room**2)


def best(report, stored):
    """Every adversary on tiny blocks, by dynamic programming: how near theorem 1 is to the best."""
    rows, most_of_allowed, most = [], 0.0, 0.0
    for game in stored["kc-xaes"]["best"]:
        n, q, chance = game["n"], game["q"], game["chance"]
        allowed, pairs = exact_theorem(n, q), comb(q, 2) / 2**(2 * n)
        most_of_allowed = max(most_of_allowed, chance / allowed)
        most = max(most, chance / pairs)
        rows.append([str(n), str(q), f"{chance:.6f}", f"{chance / pairs:.2f}", f"{allowed:.4f}" if allowed < 1 else "1 (all)"])
    report.table("Every adversary on blocks of n bits: what the best one has after q pairs of calls",
                 ["n", "q", "the best adversary", "divided by C(q, 2) / 2^(2n)", "theorem 1 allows"], rows,
                 "Exact, by dynamic programming over transcripts. E_K(0) is given to the adversary, which is more than the theorem "
                 f"gives. Run again by: {stored['kc-xaes']['best_command']}", source="stored")
    report.judge("theorem-1-best", most_of_allowed, f"True of every adversary, {len(rows)} games on 2 to 5 bits."
                 if most_of_allowed <= 1 else "Not true.", source="stored")
    report.judge("intuition", most, f"At most {most:.1f} times as much.", source="stored")


def slope(points):
    """The slope of the line that fits best."""
    count = len(points)
    x, y = sum(x for x, _ in points) / count, sum(y for _, y in points) / count
    return sum((a - x) * (b - y) for a, b in points) / sum((a - x)**2 for a, _ in points)


def attacks(report, stored):
    report.heading("Section 5.1: attacks where the nonce is not sent")
    data = stored["kc-xaes"]
    rows = [[str(a["b"]), f"2^{4 * (28 - a['b']) + log2(pi / 2) / 2:.1f}", f"2^{a['measured']}"] for a in data["nonces"]]
    report.table("One key, two nonces, one ciphertext with its tag and commitment: calls of AES", ["bytes of nonce", "expected",
                 "measured, mean of 8 keys"], rows, f"Run again by: {data['command']}", source="stored")
    slopes = {a["search"]: slope(list(zip(a["n"], a["calls"]))) for a in data["keys"]}
    rows = [[a["search"], ", ".join(map(str, a["n"])), ", ".join(map(str, a["calls"])), f"{slopes[a['search']]:.2f}"]
            for a in data["keys"]]
    report.table("Two keys, on toys of n bits: log2 of the calls", ["", "n", "log2 of the calls", "slope"], rows,
                 "Half a bit of work for each bit of block with free nonces, a whole one under one nonce. U in the last block is a "
                 "commitment of ours, under which no two nonces of one key share K_C.", source="stored")
    free = data["keys"][0]
    found = slopes[free["search"]]
    report.judge("cmt-2-attack", found, f"A slope of {found:.2f}, {free['n'][0]} to {free['n'][-1]} bits.", source="stored")
    report.text("A commitment that is ours has U ⊕ V where the second half's last block has V. Whoever knows K decrypts both "
                "halves and reads the nonce: no two nonces of one key share it. It costs no call of AES more, and by CMAC's "
                f"interface {data['bound']['with_u']} ns where K_C takes {data['bound']['as_it_is']} ns (stored). The proof of theorem 1 is for "
                "one Δ and does not cover it; on toys it is found as often as K_C is.")
