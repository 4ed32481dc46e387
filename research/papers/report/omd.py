"""OMD in hardware: table 1, figures 1 to 6 and section 4.2; in software beside AES-GCM."""

import json
from pathlib import Path
from statistics import median

import published
from report.boxes import Box, diagram
from report.charts import Line, chart
from report.page import figures, size, times

ROOT = Path(__file__).resolve().parents[3]
HASHES = ("sha512", "blake2b")
# Cycles of a call in our cores, as `make hw` asserts them.
CALL = {"blake2b": 13, "blake2b-half": 25, "sha512": 81, "sha256": 65}
SIZES = (64, 128, 256, 512, 1024, 1500, 2048, 4096, 9600)
MODES = (("omd-sha256", "blue"), ("omd-sha512", "orange"), ("omd-blake2b", "green"))


def add(report, measured, stored):
    results = json.loads((ROOT / "research" / "hw" / "syn" / "results.json").read_text())
    table_1(report, results)
    constructions(report)
    tables_2_to_4(report)
    plots(report, results)
    section_4_2(report, results)
    software(report, measured)


def value(name):
    return published.value(f"omd.t1.{name}")


def clock(results, name):
    """MHz: routed, or if it was not, as estimated before routing; None if it was not measured."""
    ecp5 = results[name].get("ecp5")
    return ecp5 and median(ecp5["routed_mhz"] or ecp5["placed_mhz"])


def throughput(results, name):
    """Gb/s, and what they are of."""
    mhz = clock(results, name)
    if not mhz:
        return None, "not measured"
    gbps = 512 * mhz / CALL[name] / 1000
    return gbps, f"{gbps:.2f} Gb/s (ECP5{'' if results[name]['ecp5']['routed_mhz'] else ', not routed'})"


def table_1(report, results):
    report.heading("Table 1: the cores")

    def ours(hash, what):
        c, mhz = CALL[hash], clock(results, hash)
        luts = results[hash]["ultrascale"]["lut"]
        gbps, _ = throughput(results, hash)
        return {"setup": 2 * c + 1, "message": c, "tag": c, "clock": f"{mhz:.1f}" if mhz else "–",
                "throughput": f"{gbps:.3f}" if mhz else "–",
                "luts": f"{results[hash + '-full']['ultrascale']['lut']:,} ({luts:,})",
                "lut-ram": f"{results[hash + '-full']['ultrascale']['lutram']} ({results[hash]['ultrascale']['lutram']})",
                "throughput-per-area": f"({1000 * gbps / luts:.3f})" if mhz else "–"}[what]

    def theirs(hash, what):
        given = published.VALUES.get(f"omd.t1.{hash}.{what}-given")
        return f"{value(f'{hash}.{what}'):,}" + (f" ({given['value']:,})" if given else "")

    rows = [[title, *(theirs(h, what) for h in HASHES), *(str(ours(h, what)) for h in HASHES)] for what, title in (
        ("setup", "set-up, cycles"), ("message", "a block, cycles"), ("tag", "tag, cycles"), ("clock", "clock, MHz"),
        ("throughput", "throughput, Gb/s"), ("luts", "LUTs"), ("lut-ram", "LUT RAM"),
        ("throughput-per-area", "throughput/area, Gb/s per 1000 LUTs"))]
    report.table("OMD that seals; in parentheses with L* and Tag_a given", ["", *HASHES, *HASHES], rows,
                 "LUTs and LUT RAM of ours: mapped to UltraScale+, as the paper's device, by an open flow. Clock and throughput of "
                 "ours: ECP5, routed but for BLAKE2b, which is as estimated before routing, because no open flow routes UltraScale+; a slower and cheaper device. So "
                 "neither clocks compare the designs nor cycles, which a slower clock buys.", source="stored", groups=[("the paper", 2), ("ours", 2)])
    luts, printed = results["sha512"]["ultrascale"]["lut"], value("sha512.luts-given")
    report.judge("luts-sha512", luts, f"{luts:,}: {100 * (luts / printed - 1):.0f} % more, no memory of any kind.", source="stored")


def figure_1():
    """Algorithm 3, lines 5 to 16: boxes and arrows."""
    boxes = {"n": Box("N ‖ 10*", 0, 0, width=84), "fn": Box("F_K", 0, 1, "call"), "delta": Box("Δ", 0, 2),
             "tau": Box("⟨τ⟩", 1.3, 0), "f0": Box("F_K", 1.3, 1, "call")}
    arrows = [("n", "fn"), ("fn", "delta"), ("tau", "f0")]
    last = "f0"
    for at, (block, column) in enumerate((("1", 3.1), ("2", 4.9), ("ℓ", 7.3)), 1):
        before = column - 0.9
        boxes |= {f"h{at}": Box("H", before, 1, width=34), f"x{at}": Box(f"⊕ M{block}", before, 2, "call"),
                  f"c{at}": Box(f"C{block}", before, 3), f"m{at}": Box(f"M{block}", column, 0),
                  f"f{at}": Box("F_K", column, 1, "call")}
        if block == "ℓ":
            boxes["more"] = Box("…", 5.65, 1, "plain", 24)
            arrows.append((last, "more"))
            last = "more"
        arrows += [(last, f"h{at}"), (f"h{at}", f"x{at}"), (f"x{at}", f"c{at}"), (f"m{at}", f"f{at}"), (f"h{at}", f"f{at}")]
        last = f"f{at}"
    boxes |= {"te": Box("Tag_e", 8.5, 1), "ta": Box("Tag_a", 7.3, 2), "t": Box("T", 8.5, 2)}
    return boxes, [*arrows, (last, "te"), ("te", "t"), ("ta", "t")]


def constructions(report):
    report.heading("Figures 1 to 3, drawn")
    report.drawing("Figure 1: OMD, a message of whole blocks", diagram(*figure_1()),
                   "The call on N gives Δ, and nothing else. Each other call takes the chaining value H ⊕ Δ and a block, and Δ changes before each; "
                   "the first has H = 0 and the tag's length ⟨τ⟩. C_i is M_i ⊕ H of the call before, so that ℓ blocks take ℓ + 2 calls. "
                   "T = Tag_e ⊕ Tag_a, where Tag_a is the exclusive or of one call for each block of associated data.")
    there, back = ["PTXT IF", "Receive", "FIFO PTXT", "PUT to ENC", "ENCRYPT"], ["GET from ENC", "FIFO ENC", "Send", "CTXT IF"]
    boxes = {text: Box(text, at * 1.35, 1, "call" if text == "ENCRYPT" else "value", 104) for at, text in enumerate(there)}
    boxes |= {text: Box(text, (4 - at) * 1.35, 2, width=104) for at, text in enumerate(back)}
    boxes |= {"KS GEN": Box("KS GEN:\nL, Tag_a", 5.4, 0, width=104), "NONCE GEN": Box("NONCE GEN", 6.75, 1, width=104)}
    path = there + back
    arrows = [*zip(path, path[1:]), ("KS GEN", "ENCRYPT"), ("NONCE GEN", "ENCRYPT")]
    report.drawing("Figure 2: the system, in the direction that encrypts", diagram(boxes, arrows),
                   "KS GEN gives ENCRYPT L and Tag_a, once a session; NONCE GEN the nonce. Decryption is the same the other way.")
    boxes = {"in": Box("N, M, K", 0, 0), "ram": Box("RAM: L, Tag_a", 0, 2, width=110), "mux": Box("multiplexers", 1.6, 1, width=100),
             "f": Box("F_k", 3.2, 1, "call", 120), "reg": Box("registers", 4.8, 1), "out": Box("C, Tag_e", 4.8, 2)}
    arrows = [("in", "mux"), ("ram", "mux"), ("mux", "f"), ("f", "reg"), ("reg", "out")]
    report.drawing("Figure 3: the data path of ENCRYPT", diagram(boxes, arrows),
                   "What a call gives goes back through the multiplexers into the next one. Ours has no memory: all is in registers.")


def tables_2_to_4(report):
    """The tables of appendix B beside FIPS 180-4 and RFC 7693, as the reference computes or transcribes them."""
    import omd

    printed = published.DATA["tables"]["omd"]
    right = {"table 2": [f"{x:016x}" for x in omd.SHA512.IV], "table 3": [f"{x:016x}" for x in omd.SHA512.K],
             "table 4": [", ".join(map(str, row)) for row in omd.SIGMA]}
    lines = []
    for name, of in right.items():
        found = [(theirs, ours) for theirs, ours in zip(printed[name], of, strict=True) if theirs != ours]
        lines += [(f"{name}, {of.index(ours)}: {theirs}", f"{name}, {of.index(ours)}: {ours}") for theirs, ours in found]
        if name != "table 3":
            report.judge({"table 2": "initial-values", "table 4": "permutations"}[name], len(found), f"{len(found)} differ." if found
                         else "The same.", source="computed")
    report.heading("Tables 2 to 4: what differs from FIPS 180-4 and RFC 7693")
    report.diff("Lines of the paper (-) that are others in the standards (+)", lines,
                "The first number is the table's, the second the entry's, from 0. The values on the right are computed from their "
                "definition: fractions of square and cube roots of primes. Of the paper we hold a text that was made from its pages: a digit may "
                "have been lost there.")


def cycles(setup, block, tag, n):
    return setup + n * block + tag


def plots(report, results):
    report.heading("Figures 4 to 6: packets of 64 to 9600 bytes")
    designs = []        # name, colour, style, MHz, (set-up, block, tag), LUTs, blocks counted
    for hash, colour in (("sha512", "orange"), ("blake2b", "blue")):
        phases = tuple(value(f"{hash}.{what}") for what in ("setup", "message", "tag"))
        designs.append((f"{hash}, the paper", colour, ":", value(f"{hash}.clock"), phases, value(f"{hash}.luts-given"), 0))
    for name, colour in (("sha512", "red"), ("blake2b", "sky"), ("blake2b-half", "green")):
        if not clock(results, name):
            continue
        c = CALL[name]
        designs.append((f"{name}, ours", colour, "-", clock(results, name), (2 * c + 1, c, c),
                        results[name]["ultrascale"]["lut"], 1))

    def packet(phases, bytes_, less):
        return cycles(*phases, -(-bytes_ // 64) - less)

    for number, title, of in (
            (4, "latency of a packet, µs", lambda mhz, n, bytes_, luts: n / mhz),
            (5, "throughput, Mb/s", lambda mhz, n, bytes_, luts: 8 * bytes_ * mhz / n),
            (6, "throughput/area, kb/s a LUT", lambda mhz, n, bytes_, luts: 8000 * bytes_ * mhz / n / luts)):
        lines = [Line(name, [(at, of(mhz, packet(phases, at, less), at, luts)) for at in SIZES], colour, style, "o")
                 for name, colour, style, mhz, phases, luts, less in designs]
        report.chart(f"Figure {number}: {title}", chart(lines, "bytes of message", title, xlog=True, ylog=True,
                                                        xticks=[(at, str(at)) for at in SIZES if at != 1500]),
                     "The paper's lines are its own formula (set-up, a block n times, tag) at its clocks and LUTs, on its device "
                     "(UltraScale+). Ours: cycles as simulated, ECP5's clock"
                     + (", and UltraScale+'s LUTs: two devices in one quotient, for scale." if number == 6 else "."),
                     source="stored", data={line.name: line.points for line in lines})


def section_4_2(report, results):
    report.heading("Section 4.2: beside OMD-sha256 of Diehl and Gaj")
    other = {name: v["value"] for name, v in published.named("omd.diehl-gaj.sha256.").items()}
    get = other.get
    prefix = "omd.diehl-gaj.sha256."
    luts, mhz = results["sha256"]["ultrascale"]["lut"], clock(results, "sha256")
    c = CALL["sha256"]
    rows = [["throughput, Gb/s", str(get(prefix + "throughput", "")), str(value("sha512.throughput")), f"{256 * mhz / c / 1000:.3f}"],
            ["LUTs", f"{get(prefix + 'luts', 0):,}", f"{value('sha512.luts'):,}", f"{luts:,}"],
            ["clock, MHz", str(get(prefix + "clock", "")), str(value("sha512.clock")), f"{mhz:.1f}"],
            ["bits a cycle", figures(get(prefix + "throughput", 0) * 1000 / get(prefix + "clock", 1), 3),
             figures(value("sha512.throughput") * 1000 / value("sha512.clock"), 3), figures(256 / c, 3)],
            ["bits a cycle and 1000 LUTs", figures(get(prefix + "throughput", 0) * 1e6 / get(prefix + "clock", 1) / get(prefix + "luts", 1), 3),
             figures(value("sha512.throughput") * 1e6 / value("sha512.clock") / value("sha512.luts"), 3), figures(256000 / c / luts, 3)]]
    report.table("Scaled: bits a cycle", ["", "Diehl and Gaj, OMD-sha256, Virtex-7", "the paper, OMD-sha512, UltraScale+",
                 "ours, OMD-sha256, ECP5"], rows, "LUTs of ours: UltraScale+. A design that does more in a cycle has a slower clock, which these "
                 "numbers leave out.", source="stored")


def software(report, measured):
    if not measured.runs:
        return
    backend = measured.backends[0]
    contests = measured.contest("omd", "modes and floors", backend, "seal")
    if not contests:
        return
    report.heading("Software beside AES-256-GCM")
    sizes = sorted(contests)
    lines = [Line(suite, [(at, contests[at].cycles_per_byte(suite)) for at in sizes], colour, "-", "o") for suite, colour in MODES]
    lines.append(Line("aes-256-gcm", [(at, contests[at].cycles_per_byte("aes-256-gcm")) for at in sizes], "grey", "-", "o"))
    report.chart(f"OMD on {backend}: cycles a byte, sealing, without associated data",
                 chart(lines, "length of the message", "cycles a byte", xlog=True, ylog=True, xticks=[(at, size(at)) for at in sizes]),
                 data={line.name: line.points for line in lines})
    rows = [[size(at), *(times(contests[at].ratio(suite, "aes-256-gcm")) for suite, _ in MODES)] for at in sizes]
    report.table("Time divided by AES-256-GCM's", ["message", *(suite for suite, _ in MODES)], rows)
    ratio = [contests[at].ratio("omd-sha256", "aes-256-gcm") for at in sizes if at >= 4096]
    if ratio:
        report.judge("software", [min(ratio), max(ratio)],
                     f"OMD-sha256 takes {min(ratio):.1f} to {max(ratio):.1f} times as long from 4 KiB on ({backend}).")
    if 65536 in contests:
        gain = contests[65536].ratio("omd-sha256", "omd-sha512")
        report.judge("sha-instructions", gain, f"{gain:.2f} ({backend}).")
