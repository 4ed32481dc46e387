"""One verdict for each thing that the papers print, and the pages show what stands in the claims."""

import json
import re
import tomllib
from collections import Counter
from dataclasses import fields
from math import inf
from pathlib import Path

import pytest

import claims
import kc_xaes_beside
import kc_xaes_errata
import och_speed
import published
from report import kc_xaes as kc_xaes_report
from report import omd as omd_report
from report.page import Report

HERE = Path(__file__).parent
STORED = tomllib.loads((HERE / "report" / "stored.toml").read_text())
ALL = [claim for of in claims.CLAIMS.values() for claim in of]
# Printed tables, which are no single value.
TABLES = [*(f"tables.omd.{name}" for name in published.DATA["tables"]["omd"]), *(f"acvp.{name}" for name in published.DATA["acvp"])]


def covered(name):
    return [name] if name in TABLES else claims.covered(name)


def test_every_published_value_has_one_verdict_or_a_reason_why_it_has_none():
    uses = Counter(value for claim in ALL for name in claim.values for value in covered(name))
    uses.update(value for name in claims.UNJUDGED for value in covered(name))
    assert {name for name in [*published.VALUES, *TABLES] if uses[name] != 1} == set()


def test_every_name_of_a_value_stands_for_some():
    for name in [*(name for claim in ALL for name in claim.values), *claims.UNJUDGED]:
        assert covered(name), name
    assert all(reason for reason in claims.UNJUDGED.values())


def test_a_claims_values_are_its_papers():
    for claim in ALL:
        for name in claim.values:
            for value in covered(name):
                assert claim.paper == {"tables": "omd", "acvp": "kc-xaes"}.get(value.split(".")[0], value.split(".")[0])


def test_every_verdict_is_a_word_that_is_explained():
    by_a_figure = {verdict for claim in ALL for verdict, _, _ in claim.intervals()}
    assert {claim.judged() for claim in ALL} | by_a_figure == claims.VERDICTS.keys()


def test_what_is_refuted_is_shown_or_measured():
    for claim in ALL:
        if claim.judged() == "refuted":
            assert claim.show or claim.figure is not None, claim.name
        if claim.where.startswith("nowhere"):
            assert claim.judged() == "not claimed", claim.name


def test_what_is_said_to_check_a_claim_is_there():
    root = HERE.parents[1]
    files = [path for folder in ("crates", "research") for path in (root / folder).rglob("*")
             if path.suffix in (".rs", ".py", ".v") and path.is_file()]
    defined = {path.stem for path in files}
    for path in files:
        defined.update(re.findall(r"\b(?:fn|def|class|mod|Lemma|Theorem) (\w+)", path.read_text()))
    for claim in ALL:
        names = re.findall(r"`(?:[\w.]+::)*([a-z0-9]+(?:_[a-z0-9]+)+)`", f"{claim.checked} {claim.found} {claim.note}")
        assert not set(names) - defined, claim.name


@pytest.mark.parametrize("paper", published.PAPERS)
def test_the_pages_show_the_claims(paper):
    page = (HERE / f"{paper}.md").read_text()
    assert claims.page(paper, page) == page, "research/papers/claims.py write"
    begin, end = page.index("<!-- claims: begin"), page.index(claims.END)
    prose = page[:begin] + page[end:]
    words = "|".join(word for word in claims.VERDICTS if word != "ours")
    assert not re.findall(rf"(?:\*\*|\| )(?:{words})\b", prose), "a verdict stands in the claims and nowhere else"


# A line of a claims.toml that got into a text.
SOURCE = re.compile(rf"""\b(?:{"|".join(f.name for f in fields(claims.Claim))}) = (?:["'\[]|\d)|\[\[|\"\"\"|^\s*\[[\w-]+\]\s*$""", re.M)


def test_what_is_source_is_known():
    for line in ('found = "x"', 'a verdict = "differs"', "where = 'x'", "figure = 1", 'values = ["x"]', "[[claim]]", 'x"""', "[wire]"):
        assert SOURCE.search(line), line
    for line in ("ρ = 3", "[Limits](../../docs/limits.md)", "K_C = N[0:15]", "found = by one"):
        assert not SOURCE.search(line), line


@pytest.mark.parametrize("paper", published.PAPERS)
def test_no_cell_of_a_claim_a_page_or_the_report_is_source(paper):
    cells = [(claim.name, text) for claim in claims.CLAIMS[paper] for text in vars(claim).values() if isinstance(text, str)]
    cells += [(f"{paper}.md", line) for line in (HERE / f"{paper}.md").read_text().splitlines()]
    report = Report("title", {"introduction": [], "facts": {}})
    report.paper(paper, paper, "a paper", "somewhere")
    cells += [(row["id"], cell) for row in json.loads(report.json())["papers"][0]["claims"] for cell in row.values()]
    for name, text in cells:
        assert not SOURCE.search(text), f"{name}: {text}"


@pytest.mark.parametrize("paper", published.PAPERS)
def test_errata_are_those_of_the_page(paper):
    page = (HERE / f"{paper}.md").read_text()
    rows = set(map(int, re.findall(r"^\| (\d+) \|", page[page.index("\n## Errata"):], flags=re.M)))
    assert {claim.erratum for claim in claims.CLAIMS[paper] if claim.erratum} <= rows
    named = set(re.findall(r"`(\w+)`", page[page.index("\n## Errata"):]))
    for claim in claims.CLAIMS[paper]:
        if claim.erratum and claim.show:
            assert claim.show in named, f"{claim.name}: the table of errata does not name {claim.show}"


def claim(text):
    of, = claims.read("omd", '[a]\nwhere = "4"\nclaim = "c"\nfound = "f"\n' + text)
    return of


def test_a_figure_decides():
    of = claim('figure = 5\nmeasure = "m"\nexceeded = [-inf, 3]\nreproduced = [3, 6]\nrefuted = [100, inf]')
    assert [of.judged(x) for x in (None, 2, 3, 3.1, 7, 100, [4, 5], [4, 7])] == [
        "reproduced", "exceeded", "exceeded", "reproduced", "differs", "refuted", "reproduced", "differs"]
    assert of.rule() == "M. Exceeded: at most 3; reproduced: 3 to 6; refuted: at least 100."
    run = of.of_run(7, "seven")
    assert (run.judged(), run.found, run.source, of.judged()) == ("differs", "seven", "measured", "reproduced")
    near = claim('values = ["omd.t1.sha512.message"]\nfigure = 93.4\nmeasure = "m"\nnear = 0.5')
    assert near.judged() == "reproduced" and near.judged(94) == "differs"
    assert of.intervals()[-1] == ("refuted", 100, inf)


def test_two_figures_of_which_one_is_anothers_may_decide_nothing():
    of = claim('figure = 5\nother = 7\nmeasure = "m"\nreproduced = [3, 6]')
    assert of.judged() == claims.DEPENDS and claims.DEPENDS in claims.VERDICTS
    assert [of.judged(*x) for x in ((5,), (5, 6), (7, 8), (5, 7))] == ["reproduced", "reproduced", "differs", claims.DEPENDS]
    assert of.of_run(8, "eight").judged() == "differs" and of.of_run(8, "eight", other=4).judged() == claims.DEPENDS
    with pytest.raises(ValueError):
        claim('verdict = "differs"\nother = 7')


def test_a_claim_has_a_verdict_or_a_figure():
    for text in ("", 'verdict = "perhaps"', 'verdict = "refuted"\nfigure = 1\nmeasure = "m"\nreproduced = [0, 1]',
                 'reproduced = [0, 1]', 'figure = 1\nreproduced = [0, 1]'):
        with pytest.raises(ValueError):
            claim(text)
    with pytest.raises(ValueError):
        claim('verdict = "refuted"').of_run(1, "one")


# ── Stored figures are those of the runs that are stored ────────────────────────────────────────

def tables(paper):
    """{title: {size: {column: number}}} of a paper's tables.csv."""
    found = {}
    for title, (heads, *rows) in published.tables(paper)[0].items():
        for at, *cells in rows if heads[0] == "message" else []:
            number, unit = at.split()
            size = int(number) * {"B": 1, "KiB": 1024, "MiB": 2**20}[unit]
            found.setdefault(title, {})[size] = {
                head: float(re.match(r"[-\d.]+", cell)[0]) for head, cell in zip(heads[1:], cells) if cell[:1].isdigit()}
    return found


def stored(name, field="figure"):
    paper, id = name.split("/")
    figure = getattr(claims.named(paper, id), field)
    return figure if isinstance(figure, list) else [figure]


def same(name, figures, within, field="figure"):
    assert stored(name, field) == pytest.approx(figures, abs=within), name


@pytest.mark.parametrize("whose, field", [("ours", "figure"), ("aws-lc", "other")])
def test_kc_xaes_figures_are_those_of_its_tables(whose, field):
    cycles, _ = kc_xaes_beside.measured()

    def over(operation, at, scheme):
        return kc_xaes_beside.over_gcm(cycles, f"{operation}-{kc_xaes_beside.SIZES[at]}", scheme, whose)

    def is_stored(id, figures, within):
        same(f"kc-xaes/{id}", figures, within, field)

    for id, (figure, _) in kc_xaes_beside.groups(over).items():
        is_stored(id, figure, 1e-9)
        assert claims.named("kc-xaes", id).intervals() == kc_xaes_beside.RULE.intervals()
    is_stored("small-plaintexts", [1 + over("seal", 32, s) / 100 for s in ("xaes", "kc-xaes")], 0.01)
    is_stored("unnoticeable", [over(op, 2**20, s) for op in ("seal", "open") for s in ("xaes", "kc-xaes")], 0.01)
    is_stored("init", [kc_xaes_beside.over_gcm(cycles, "init", "xaes", whose)], 0.1)
    added = [over("seal", at, "kc-xaes") for at in (32, 1024, 16384)]
    is_stored("falls", [before / after for before, after in zip(added, added[1:])], 0.05)
    is_stored("order-of-magnitude", [over("seal", 32, "h-aes") / over("seal", 32, "xaes")], 0.05)
    rows = ["init", *(f"{op}-{kc_xaes_beside.SIZES[at]}" for op in ("seal", "open") for at in (32, 1024, 16384))]
    ratios = [cycles[whose, row, h] / cycles[whose, row, c] for row in rows
              for h, c in (("h-aes", "xaes"), ("h-kc-aes", "kc-xaes"))]
    is_stored("hmac-costs-more", [min(ratios), max(ratios)], 0.01)
    more = [[cycles[whose, f"seal-{size}", s] - cycles[whose, f"seal-{size}", "aes-256-gcm"]
             for at, size in kc_xaes_beside.SIZES.items() if at <= 16384] for s in ("xaes", "kc-xaes")]
    is_stored("constant-difference", [max(x) / min(x) for x in more], 0.05)


def test_flex_figures_are_those_of_its_tables():
    of = tables("flex")["OCH, seal on vaes512: their time divided by that of flex-och"]
    ctx = {size: [x for name, x in row.items() if name.startswith("ctx-")] for size, row in of.items()}
    assert len(ctx[256]) == 5                                        # four libraries', and ours
    same("flex/ctx-medium", [min(min(x) for size, x in ctx.items() if 256 <= size <= 2048)], 1e-9)
    assert stored("flex/ctx-long")[0] == min(min(x) for size, x in ctx.items() if size >= 4096)      # the other is of Zen 5
    row = tables("flex")["OCH, seal on vaes512: cycles per byte"][2**20]
    ratios = [row[name] / row[name.removeprefix("ctx-")] for name in row if name.startswith("ctx-")]
    same("flex/ctx-matches-gcm", [max(ratios)], 0.005)


def test_ochs_speed_is_that_of_its_table():
    found, _, _ = och_speed.measured()
    assert och_speed.finding(found) in claims.named("och", "speed").found
    page = och_speed.PAGE.read_text()
    assert och_speed.page(page) == page, "research/papers/och_speed.py write"


def test_omd_figures_are_those_of_its_tables():
    of = tables("omd")["seal: cycles per byte"]
    ratios = [row["omd-sha256"] / row["aes-256-gcm"] for size, row in of.items() if size >= 4096]
    same("omd/software", [min(ratios), max(ratios)], 0.05)
    same("omd/sha-instructions", [of[65536]["omd-sha256"] / of[65536]["omd-sha512"]], 0.005)


def test_what_aegis_prints_follows_from_its_tables():
    of = {name: value["value"] for name, value in published.named("aegis.").items()}
    cpus = ("i9-13900k", "epyc-7543")
    for id, other, digits in (("twice-128", "aegis-128l", 2), ("over-gcm", "aes-128-gcm", 1)):
        for cpu in cpus:
            times = of[f"aegis.{cpu}.aegis-128x2"] / of[f"aegis.{cpu}.{other}"]
            assert f"{times:.{digits}f}" in claims.named("aegis", id).printed


def test_figures_of_cores_are_those_of_their_run():
    run = json.loads((HERE.parent / "hw" / "syn" / "results.json").read_text())
    same("omd/luts-sha512", [run["sha512"]["ultrascale"]["lut"]], 0)
    same("omd/luts-blake2b", [published.value("omd.repository.report.luts")], 0)
    for hash in omd_report.HASHES:
        assert f"Ours: {omd_report.CALL[hash]}" in claims.named("omd", f"message-{hash}").found


def test_theorem_1s_figures_are_those_that_are_stored():
    games = STORED["kc-xaes"]["best"]
    same("kc-xaes/theorem-1-best", [max(g["chance"] / kc_xaes_report.exact_theorem(g["n"], g["q"]) for g in games)], 0.005)
    free = STORED["kc-xaes"]["keys"][0]
    same("kc-xaes/cmt-2-attack", [kc_xaes_report.slope(list(zip(free["n"], free["calls"])))], 0.005)
    assert kc_xaes_errata.counted()["xaes"] == published.value("kc-xaes.calls.xaes")
