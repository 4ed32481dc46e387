"""Writes papers/kc-xaes/beside.md: tables 1 to 4 of the paper beside the run in papers/kc-xaes/tables.md.

    python3 papers/kc_xaes_beside.py

The paper's figures are those of papers/published.toml. Ours are cycles, at the clock that the run measured.
"""

import re
from pathlib import Path

from published import VALUES, value

HERE = Path(__file__).parent / "kc-xaes"
COLUMNS = {"GCM": "aes-256-gcm", "XAES": "xaes", "KC-XAES": "kc-xaes", "H-AES": "h-aes", "H-KC-AES": "h-kc-aes"}
OPERATIONS = {"A cipher from a key": "init", "Sealing": "seal", "Opening": "open"}
CPUS = {"xeon-8375c": "Xeon 8375C", "graviton4": "Graviton4"}
# Our time over AES-256-GCM's, divided by the Xeon's: how far from 1 it is still the same.
MARGIN = 0.05


def judged(printed, ours):
    """The verdict on a percentage over AES-256-GCM, of which less is better."""
    quotient = (100 + ours) / (100 + printed)
    return "exceeded" if quotient < 1 - MARGIN else "differs" if quotient > 1 + MARGIN else "reproduced"


def measured(text):
    """{(whose, operation and size, scheme): cycles}, and GHz."""
    cycles, table = {}, None
    for line in text.splitlines():
        if title := re.fullmatch(r"\*\*(.*): (polyseal on \S+|aws-lc)\*\*", line):
            table = OPERATIONS[title[1]], "ours" if title[2].startswith("polyseal") else "aws-lc"
        elif line.startswith("**"):
            table = None
        elif table and line.startswith("|"):
            cells = [cell.strip() for cell in line.strip("|").split("|")]
            if cells[0] == "message":
                heads = cells
            elif cells[0][0].isdigit():
                size = "" if table[0] == "init" else "-" + cells[0].replace(" ", "")
                cycles |= {(table[1], table[0] + size, COLUMNS[head]): float(cell)
                           for head, cell in zip(heads, cells) if head in COLUMNS}
    return cycles, float(re.search(r"([\d.]+) GHz measured", text)[1])


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


def page(text):
    cycles, ghz = measured(text)
    yield "# KC-XAES: the paper's tables 1 to 4 beside ours"
    yield ""
    yield ("Written by `python3 papers/kc_xaes_beside.py`; [KC-XAES's page](../kc-xaes.md#speed) says what it "
           f"shows. Microseconds, and the percentage over AES-256-GCM. Ours are cycles of [one run](tables.md) at its {ghz} GHz "
           "(Zen 4), of this library and of AWS-LC's parts. The verdict is on the Xeon's percentage, beside Polyseal's: "
           f"reproduced where our time over AES-256-GCM's is within {100 * MARGIN:.0f} % of the Xeon's, exceeded where it is "
           "less, differs where it is more. There was no Graviton4.")
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
                for whose in ("ours", "aws-lc"):
                    over = "" if scheme == "aes-256-gcm" else f"{over_gcm(cycles, operation, scheme, whose):+.1f} %"
                    cells += [f"{cycles[whose, operation, scheme] / ghz / 1000:.3f}", over]
                size = operation.partition("-")[2] or "–"
                _, printed = of_the_paper("xeon-8375c", operation, scheme) or ("", None)
                verdict = "" if printed is None else judged(printed, over_gcm(cycles, operation, scheme))
                yield f"| {size} | {name} | " + " | ".join(map(str, [*cells, verdict])) + " |"


def written():
    return "\n".join(page((HERE / "tables.md").read_text())) + "\n"


if __name__ == "__main__":
    (HERE / "beside.md").write_text(written())
