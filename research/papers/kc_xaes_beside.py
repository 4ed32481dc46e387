"""Prints tables 1 to 4 of the paper beside the run in research/papers/kc-xaes/tables.csv, row by row, with the verdict of each.

    python3 research/papers/kc_xaes_beside.py

The paper's figures are those of research/papers/published.toml. Ours are cycles, at the clock that the run measured.
"""

import re

import claims
import published
from published import VALUES, value

COLUMNS = {"GCM": "aes-256-gcm", "XAES": "xaes", "KC-XAES": "kc-xaes", "H-AES": "h-aes", "H-KC-AES": "h-kc-aes"}
OPERATIONS = {"A cipher from a key": "init", "Sealing": "seal", "Opening": "open"}
WHOSE = ("ours", "aws-lc")
CPUS = {"xeon-8375c": "Xeon 8375C", "graviton4": "Graviton4"}
RULE = claims.named("kc-xaes", "table-2-32")       # whose intervals those of every row are
# The claims that take rows of tables 2 to 4 together: (sizes, schemes), sealing and opening.
GROUPS = {"table-2-32": ("t2", (32,), ("xaes", "kc-xaes")), "table-2-1k-xaes": ("t2", (1024,), ("xaes",)),
          "table-2-1k-kc-xaes": ("t2", (1024,), ("kc-xaes",)), "table-2-long": ("t2", (16384, 1048576), ("xaes", "kc-xaes")),
          "table-3-32": ("t3", (32,), ("xaes", "kc-xaes")), "table-3-128-xaes": ("t3", (128,), ("xaes",)),
          "table-3-128-kc-xaes": ("t3", (128,), ("kc-xaes",)), "table-3-256": ("t3", (256, 512), ("xaes", "kc-xaes")),
          "table-3-1k": ("t3", (1024,), ("xaes", "kc-xaes")), "table-4": ("t4", (32, 1024, 16384, 1048576), ("h-aes", "h-kc-aes"))}
SIZES = {32: "32B", 128: "128B", 256: "256B", 512: "512B", 1024: "1KiB", 16384: "16KiB", 1048576: "1MiB"}


def quotient(printed, ours):
    """Our time over AES-256-GCM's divided by the paper's, from percentages over it: less is better."""
    return (100 + ours) / (100 + printed)


def groups(over):
    """{claim: (its figure, in words)}. `over` has our percentages, by operation, bytes and scheme."""
    found = {}
    for id, (table, sizes, schemes) in GROUPS.items():
        rows = [(op, at, s) for op in ("seal", "open") for at in sizes for s in schemes]
        end = "" if table == "t2" else ".over"
        of = [quotient(value(f"kc-xaes.{table}.xeon-8375c.{op}-{SIZES[at]}.{s}{end}"), over(op, at, s)) for op, at, s in rows]
        words = ["", ""]
        for op, at, s in rows:
            words[op == "open"] += f", {round(over(op, at, s)):+d}"
        found[id] = [round(min(of), 3), round(max(of), 3)], "; ".join(f"{w[2:]} %" for w in words)
    return found


def measured():
    """{(whose, operation and size, scheme): cycles}, and GHz."""
    cycles = {}
    tables, about = published.tables("kc-xaes")
    for title, (heads, *rows) in tables.items():
        if title := re.fullmatch(r"(.*): (polyseal on \S+|aws-lc)", title):
            operation, whose = OPERATIONS[title[1]], "ours" if title[2].startswith("polyseal") else "aws-lc"
            for row in rows:
                size = "" if operation == "init" else "-" + row[0].replace(" ", "")
                cycles |= {(whose, operation + size, COLUMNS[head]): float(cell)
                           for head, cell in zip(heads, row) if head in COLUMNS}
    return cycles, float(re.search(r"([\d.]+) GHz\b", about)[1])


def of_the_paper(cpu, operation, scheme):
    """(us, percent over AES-256-GCM), as printed; None where it has no such row. Table 3 where table 1 has none."""
    tables = ("t4",) if scheme.startswith("h-") else ("t1", "t3")
    for table in tables:
        name = f"kc-xaes.{table}.{cpu}.{operation}.{scheme}"
        if name in VALUES:
            over = name.replace(".t1.", ".t2.") if table == "t1" else f"{name}.over"
            return value(name), None if scheme == "aes-256-gcm" else value(over)
    return None


def over_gcm(cycles, operation, scheme, whose="ours"):
    """Percent."""
    return 100 * (cycles[whose, operation, scheme] / cycles[whose, operation, "aes-256-gcm"] - 1)


def page():
    cycles, ghz = measured()
    yield (f"Microseconds, and the percentage over AES-256-GCM. Ours are cycles of one run at its {ghz} GHz "
           "(Zen 4), of this library and of AWS-LC's parts. The verdict is on the Xeon's percentage: reproduced where the time "
           "over AES-256-GCM's is within 5 % of the Xeon's, exceeded where it is less, differs where it is more. Where Polyseal "
           "and AWS-LC's parts have two, it depends on whose code is measured. There was no Graviton4.")
    heads = [*(f"paper, {cpu}" for cpu in CPUS.values()), "Polyseal", "AWS-LC's parts"]
    for title, prefix in OPERATIONS.items():
        yield f"\n**{title}**\n"
        yield "| | | " + " | ".join(f"{head}: µs | over GCM" for head in heads) + " | verdict |"
        yield "|--:|---|" + "--:|" * 2 * len(heads) + "---|"
        operations = dict.fromkeys(key[1] for key in cycles if key[1].startswith(prefix))
        for operation in operations:
            for name, scheme in COLUMNS.items():
                cells = []
                for cpu in CPUS:
                    us, over = of_the_paper(cpu, operation, scheme) or ("", None)
                    cells += [us, "" if over is None else f"{over:+} %"]
                for whose in WHOSE:
                    over = "" if scheme == "aes-256-gcm" else f"{over_gcm(cycles, operation, scheme, whose):+.1f} %"
                    cells += [f"{cycles[whose, operation, scheme] / ghz / 1000:.3f}", over]
                size = operation.partition("-")[2] or "–"
                _, printed = of_the_paper("xeon-8375c", operation, scheme) or ("", None)
                verdict = "" if printed is None else RULE.judged(
                    *(quotient(printed, over_gcm(cycles, operation, scheme, whose)) for whose in WHOSE))
                yield f"| {size} | {name} | " + " | ".join(map(str, [*cells, verdict])) + " |"


if __name__ == "__main__":
    print("\n".join(page()))
