"""The report: what goes into it, and how it is written as one HTML page and as JSON.

A paper's claims and their verdicts are those of NAME/claims.toml (research/papers/claims.py). What was measured now takes the place
of the stored figure, and the same intervals decide. Whatever else is added stands in the order in which it was added, in
the section of the paper that was begun last. `source` says where a value of ours is from: "measured" (now, on this
machine), "computed" (now, from a formula or a model), or "stored" (measured before, because it takes hours).
"""

import json
import re
from html import escape as quoted
from pathlib import Path

from claims import CLAIMS, VERDICTS, plain
from published import VALUES

STYLE = Path(__file__).parent / "style.css"
SOURCES = ("measured", "computed", "stored")


class Report:
    def __init__(self, title, about):
        self.title, self.about, self.papers = title, about, []

    def paper(self, key, name, title, source):
        self._close()
        claims = {claim.id: claim for claim in CLAIMS[key]}
        self.papers.append({"key": key, "name": name, "title": title, "source": source, "claims": claims, "parts": []})

    def judge(self, id, figure, found, note=None, source="measured", other=None):
        """This run's figure for a claim, in the place of the stored one, and `other`'s: its intervals decide."""
        claims = self.papers[-1]["claims"]
        claims[id] = claims[id].of_run(figure, found, note, source, other)

    def found(self, id, found):
        """This run's finding on a claim whose verdict does not depend on it."""
        claims = self.papers[-1]["claims"]
        claims[id] = claims[id].also_found(found)

    def diff(self, title, lines, note="", source="computed"):
        """Lines of a paper's table that are not those of its source: (of the paper, of the source)."""
        if lines:
            self._add("diff", title=title, lines=lines, note=note, source=source)

    def heading(self, text):
        """Stands only if something other than a heading follows."""
        self._add("heading", text=text)

    def text(self, text):
        self._add("text", text=text)

    def table(self, title, head, rows, note="", source="measured", groups=()):
        """`groups`: (title, columns) above the head, the first column apart."""
        if rows:
            assert all(len(row) == len(head) for row in rows), title
            self._add("table", title=title, head=head, rows=rows, note=note, source=source, groups=groups)

    def chart(self, title, svg, note="", source="measured", data=None):
        if svg:
            self._add("chart", title=title, svg=svg, note=note, source=source, data=data)

    def drawing(self, title, svg, note=""):
        self._add("drawing", title=title, svg=svg, note=note, source="computed")

    def errata(self, errata):
        if errata:
            self._add("errata", errata=errata)

    def _add(self, kind, **part):
        parts = self.papers[-1]["parts"]
        if kind == "heading":
            self._close()
        parts.append({"kind": kind, **part})

    def _close(self):
        """Drops a heading that nothing followed."""
        if self.papers and self.papers[-1]["parts"] and self.papers[-1]["parts"][-1]["kind"] == "heading":
            self.papers[-1]["parts"].pop()

    def counts(self):
        claims = [claim for paper in self.papers for claim in paper["claims"].values()]
        return {verdict: sum(claim.judged() == verdict for claim in claims) for verdict in VERDICTS}

    def json(self):
        self._close()
        papers = []
        for paper in self.papers:
            parts = [{key: value for key, value in part.items() if key != "svg"} for part in paper["parts"]]
            papers.append({**paper, "claims": [row(claim) for claim in paper["claims"].values()], "parts": parts})
        return json.dumps({"title": self.title, **self.about, "verdicts": self.counts(), "papers": papers},
                          ensure_ascii=False, indent=1)

    def html(self):
        self._close()
        contents = "".join(f'<a href="#{p["key"]}">{escape(p["name"])}</a>' for p in self.papers)
        return (f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{quoted(self.title)}</title>'
                '<meta name="viewport" content="width=device-width, initial-scale=1">'
                '<meta name="color-scheme" content="light dark"><link rel="icon" href="data:,">'
                f"<style>{STYLE.read_text()}</style></head><body><header><h1>{escape(self.title)}</h1>"
                f"{self._about()}<nav>{contents}</nav></header><main>"
                + "".join(map(section, self.papers)) + "</main></body></html>\n")

    def _about(self):
        facts = "".join(f"<dt>{escape(name)}</dt><dd>{escape(value)}</dd>" for name, value in self.about["facts"].items())
        counts = " ".join(f"<li>{badge(verdict)} {number}</li>" for verdict, number in self.counts().items() if number)
        intro = "".join(f"<p>{escape(text)}</p>" for text in self.about["introduction"])
        return f'{intro}<ul class="counts">{counts}</ul><dl>{facts}</dl>'


def badge(verdict):
    return f'<span class="verdict {verdict.replace(" ", "-")}">{verdict}</span>'


def mark(source):
    return f'<span class="source {source}">{source}</span>'


def row(claim):
    """The row of a claim in the table of claims."""
    return {"id": claim.name, "where": claim.where, "claim": plain(claim.claim), "paper": claim.printed or printed(claim.values),
            "ours": plain(claim.found), "verdict": claim.judged(), "why": plain(claim.note), "source": claim.source,
            "rule": claim.rule()}


def printed(names):
    """The values, if they are few and of one unit."""
    values = [VALUES[name] for name in names if name in VALUES]
    if not values or len(values) < len(names) or len(values) > 3 or len({v["unit"] for v in values}) > 1:
        return ""
    return f"{', '.join(str(v['value']) for v in values)} {values[0]['unit']}"


def section(paper):
    rows = [row(claim) for claim in paper["claims"].values()]
    claims = "".join(
        f'<tr><td>{escape(c["where"])}</td><td>{escape(c["claim"])}</td><td class="value">{escape(c["paper"])}</td>'
        f'<td class="value">{escape(c["ours"])}</td><td>{badge(c["verdict"])} {mark(c["source"])}'
        + (f'<div class="why">{escape(c["why"])}</div>' if c["why"] else "")
        + (f'<div class="rule">{escape(c["rule"])}</div>' if c["rule"] else "") + "</td></tr>"
        for c in rows)
    return (f'<section id="{paper["key"]}"><h2>{escape(paper["name"])}</h2>'
            f'<p class="paper">{escape(paper["title"])}, {escape(paper["source"])}</p>'
            '<div class="scroll"><table class="claims"><thead><tr><th>where</th><th>claim</th><th>the paper</th><th>ours</th>'
            f"<th>verdict</th></tr></thead><tbody>{claims}</tbody></table></div>"
            + "".join(map(part, paper["parts"])) + "</section>")


def part(part):
    match part["kind"]:
        case "heading":
            return f"<h3>{escape(part['text'])}</h3>"
        case "text":
            return f"<p>{escape(part['text'])}</p>"
        case "table":
            return figure(part, table(part), "table")
        case "chart" | "drawing":
            return figure(part, part["svg"], part["kind"])
        case "diff":
            return figure(part, diff(part["lines"]), "diff")
        case "errata":
            return errata(part["errata"])


def figure(part, body, kind):
    source = "" if kind == "drawing" else " " + mark(part["source"])
    note = f'<div class="note">{escape(part["note"])}</div>' if part["note"] else ""
    return (f'<figure class="{kind}-figure"><figcaption>{escape(part["title"])}{source}</figcaption>'
            f'<div class="scroll">{body}</div>{note}</figure>')


def table(part):
    groups = "".join(f'<th colspan="{columns}">{escape(title)}</th>' for title, columns in part["groups"])
    groups = f'<tr class="groups"><th></th>{groups}</tr>' if groups else ""
    head = "".join(f"<th>{escape(cell)}</th>" for cell in part["head"])
    rows = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in part["rows"])
    return f'<table class="numbers"><thead>{groups}<tr>{head}</tr></thead><tbody>{rows}</tbody></table>'


def diff(lines):
    rows = "".join(f'<span class="less">- {quoted(theirs)}</span>\n<span class="more">+ {quoted(right)}</span>\n'
                   for theirs, right in lines)
    return f'<pre class="diff">{rows}</pre>'


def errata(errata):
    items = "".join(
        f'<details><summary>{badge(e["verdict"])} {escape(e["where"])}: {escape(e["claim"])}</summary>'
        f'<pre class="scroll">{escape(e["detail"])}</pre></details>' for e in errata)
    return f'<h3>Claims that a program shows, which ran now {mark("computed")}</h3><div class="errata">{items}</div>'


def escape(text):
    """As HTML, with powers raised."""
    return re.sub(r"\^(-?[\d.]*\d|\([^)]*\))", lambda power: f"<sup>{power[1].strip('()')}</sup>", quoted(text))


# ── Numbers as text ─────────────────────────────────────────────────────────────────────────────

def size(count):
    for unit, scale in (("MiB", 2**20), ("KiB", 2**10)):
        if count >= scale and count % scale == 0:
            return f"{count // scale} {unit}"
    return f"{count} B"


def figures(value, digits=3):
    """`digits` significant ones; nothing for None."""
    if value is None:
        return ""
    if abs(value) >= 10 ** (digits - 1):
        return f"{value:,.0f}"
    return f"{value:#.{digits}g}"


def times(value):
    return "" if value is None else f"{value:.2f}"


def percent(value):
    return "" if value is None else f"{value:+.1f} %"
