"""The papers' claims and the verdict on each, for the pages, the report and the errata: one place for all three.

    python3 research/papers/claims.py write      # the sections of research/papers/*.md that show them
    python3 research/papers/claims.py omd        # the claims of a paper

They stand in NAME/claims.toml, a table a claim:

    where     the section, table or figure that says it, or "nowhere"
    claim     what it says
    values    the published values (published.toml) that it is about: each belongs to one claim, or has a reason in
              verdicts.toml why it has none. A name that ends with a dot or a hyphen stands for all that begin so
    printed   what the paper prints for it, where that is not the values
    verdict   a word of verdicts.toml; or, where a figure decides:
    figure    a number, or several that must all be within
    measure   what the figure is
    exceeded, reproduced, refuted
              from where to where the figure has that verdict, tried in this order; none of them is "differs"
    near      in the place of an interval: "reproduced" that far from the value in `values`
    other     the same figure by another library's code in the same run: where the intervals give it another verdict than ours,
              the verdict is "depends on whose code"
    found     what we find
    note      why, or what else there is to know
    checked   what shows it: a test, a command, a file
    show      the function of the paper's script of errata that shows it: its assertions fail where it is not so
    erratum   its number in the page's table of errata
    source    "stored" if it was measured before; what `show` shows is "computed"

The pages show what we find; of a claim with an erratum the note alone, because the table of errata says the rest. The report
shows all of it, with the figure and its intervals; it gives a claim the figure of its own run, if it has one, and the same
intervals decide.
"""

import re
import sys
import textwrap
import tomllib
from dataclasses import dataclass, field, replace
from math import inf
from pathlib import Path

from published import PAPERS, VALUES, value

HERE = Path(__file__).parent
_WORDS = tomllib.loads((HERE / "verdicts.toml").read_text())
VERDICTS, UNJUDGED = _WORDS["verdicts"], _WORDS["unjudged"]
DEPENDS = "depends on whose code"
FIRST = "aegis"                        # whose page explains the words
BEGIN, END = "<!-- claims: begin. Written by research/papers/claims.py from {}/claims.toml. -->", "<!-- claims: end -->"


@dataclass(frozen=True)
class Claim:
    paper: str
    id: str
    where: str
    claim: str
    values: list = field(default_factory=list)
    printed: str = ""
    verdict: str = ""
    figure: object = None
    measure: str = ""
    exceeded: list = None
    reproduced: list = None
    refuted: list = None
    near: float = None
    other: object = None
    found: str = ""
    note: str = ""
    checked: str = ""
    show: str = ""
    erratum: int = None
    source: str = ""

    def __post_init__(self):
        """Fails if the claim is not one."""
        decided = self.reproduced or self.near is not None
        if bool(self.verdict) == bool(decided):
            raise ValueError(f"{self.name}: a verdict, or a figure that decides: one of both")
        if decided and (self.figure is None or not self.measure):
            raise ValueError(f"{self.name}: a figure that decides, and what it measures")
        if self.other is not None and not decided:
            raise ValueError(f"{self.name}: another's figure, and none of ours that decides")
        if self.verdict and self.verdict not in VERDICTS:
            raise ValueError(f"{self.name}: no verdict: {self.verdict}")
        if not (self.checked or self.show or self.found):
            raise ValueError(f"{self.name}: nothing says how it was found")

    @property
    def name(self):
        return f"{self.paper}/{self.id}"

    def intervals(self):
        """(verdict, from, to), in the order in which they are tried."""
        found = [(verdict, *getattr(self, verdict)) for verdict in ("exceeded", "reproduced", "refuted")
                 if getattr(self, verdict)]
        if self.near is not None:
            middle = value(self.values[0])
            found.append(("reproduced", middle - self.near, middle + self.near))
        return found

    def judged(self, figure=None, other=None):
        """The verdict; of other figures than those that are stored, if ours is given."""
        if self.verdict:
            return self.verdict
        if figure is None:
            figure, other = self.figure, self.other
        ours = self._interval(figure)
        return ours if other is None or self._interval(other) == ours else DEPENDS

    def _interval(self, figure):
        of = figure if isinstance(figure, list | tuple) else [figure]
        for verdict, low, high in self.intervals():
            if all(low <= x <= high for x in of):
                return verdict
        return "differs"

    def rule(self):
        """The intervals in words."""
        def interval(low, high):
            if low == high:
                return f"{low:g}"
            if high == inf:
                return f"at least {low:g}"
            return f"at most {high:g}" if low in (-inf, 0) else f"{low:g} to {high:g}"
        parts = [f"{verdict}: {interval(low, high)}" for verdict, low, high in self.intervals()]
        return f"{self.measure[0].upper()}{self.measure[1:]}. {'; '.join(parts).capitalize()}." if parts else ""

    def of_run(self, figure, found, note=None, source="measured", other=None):
        """The same claim with the figures of another run; the stored one of another library's code, if it was not run."""
        if self.verdict:
            raise ValueError(f"{self.name}: no figure decides its verdict")
        note = self.note if note is None else note
        other = self.other if other is None else other
        return replace(self, figure=figure, found=found, note=note, source=source, other=other)

    def also_found(self, found):
        """The same claim, whose verdict no figure decides, with what another run found."""
        if not self.verdict:
            raise ValueError(f"{self.name}: a figure decides its verdict")
        return replace(self, found=found, source="measured")


def text(string):
    """Lines of a TOML string joined."""
    return " ".join(string.split())


def read(paper, content):
    claims = []
    for id, fields in tomllib.loads(content).items():
        fields = {name: text(x) if isinstance(x, str) else x for name, x in fields.items()}
        fields.setdefault("source", "computed" if "show" in fields and "figure" not in fields else "stored")
        claims.append(Claim(paper, id, **fields))
    return claims


def of(paper):
    return read(paper, (HERE / paper / "claims.toml").read_text())


CLAIMS = {paper: of(paper) for paper in PAPERS}


def named(paper, id):
    claim, = (claim for claim in CLAIMS[paper] if claim.id == id)
    return claim


def covered(name):
    """The published values that a name stands for."""
    return [v for v in VALUES if v == name or name.endswith((".", "-")) and v.startswith(name)]


# ── The pages ───────────────────────────────────────────────────────────────────────────────────

def section(paper):
    """The text of a page between the two marks."""
    if paper == FIRST:
        yield textwrap.fill(" ".join(f"**{word.capitalize()}**: {meaning}" for word, meaning in VERDICTS.items()), 118)
    else:
        yield f"[What the verdicts mean]({FIRST}.md#the-verdicts)."
    yield ""
    yield "| where | claim | checked by | verdict |"
    yield "|---|---|---|---|"
    for claim in CLAIMS[paper]:
        show = claim.show and not claim.erratum and f"errata: `{claim.show}`"      # else the table of errata names it
        checked = "; ".join(filter(None, [claim.checked, show])) or "–"
        erratum = f" (erratum {claim.erratum})" if claim.erratum else ""
        found = "" if claim.erratum else claim.found                                # else the table of errata says it
        verdict = " ".join(filter(None, [f"**{claim.judged()}**{erratum}.", found, claim.note]))
        printed = f" (printed: {claim.printed})" if claim.printed else ""
        yield f"| {claim.where} | {claim.claim}{printed} | {checked} | {verdict} |"


def page(paper, content):
    """The page with its section written anew."""
    begin = BEGIN.format(paper)
    before, rest = content.split(begin)
    _, after = rest.split(END)
    return before + begin + "\n\n" + "\n".join(section(paper)) + "\n\n" + END + after


def main(arguments):
    match arguments:
        case ["write"]:
            for paper in PAPERS:
                path = HERE / f"{paper}.md"
                path.write_text(page(paper, path.read_text()))
        case [paper] if paper in PAPERS:
            for claim in CLAIMS[paper]:
                print(f"{claim.judged():16} {claim.where}: {plain(claim.claim)}")
        case _:
            sys.exit(__doc__)


def plain(markdown):
    """Without code marks and links."""
    return re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", markdown).replace("`", "").replace("**", "").replace("\\|", "|")


if __name__ == "__main__":
    main(sys.argv[1:])
