"""The report's reading and reckoning; the page itself is looked at by `make -C research report`."""

import copy
import json
import sys
import tomllib
from math import comb, log2
from pathlib import Path

import pytest

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[1]), str(Path(__file__).parents[1] / "reference")]
import claims  # noqa: E402
import kc_xaes_beside  # noqa: E402
import kc_xaes_errata  # noqa: E402
import published  # noqa: E402
from report import kc_xaes, measured, och, omd, page  # noqa: E402


def record(**more):
    return json.dumps({"kind": "contest", "paper": "aegis", "table": "sealing", "backend": "aesni", "operation": "seal",
                       "message": 1024, "ad": 0, "work": 2, **more})


def contenders(**rounds):
    return [{"name": name, "cycles": 100.0, "nanoseconds": times} for name, times in rounds.items()]


@pytest.fixture
def contest(tmp_path):
    file = tmp_path / "measured.jsonl"
    file.write_text(record(contenders=contenders(slow=[4, 60, 3], fast=[2, 10, 3])) + "\n")
    return measured.read(file).contest("aegis", "sealing", "aesni", "seal")[1024]


def test_a_ratio_is_the_median_of_rounds(contest):
    assert contest.ratio("slow", "fast") == 2       # of 2, 6 and 1; of the medians it would be 4/3
    assert contest.ratio("slow", "nobody") is None


def test_speed_is_in_mebibytes(contest):
    assert contest.mib_per_second("slow") == pytest.approx(1024 / 4e-9 / 2**20)
    assert contest.cycles_per_byte("slow") == 100 / 1024


def test_what_was_not_measured_is_empty(contest, tmp_path):
    (tmp_path / "none").write_text("")
    assert measured.read(tmp_path / "none").contest("aegis", "sealing", "aesni", "seal") == {}


@pytest.mark.parametrize("n, q", [(16, 16), (24, 256), (32, 1024)])
def test_theorem_1_is_the_printed_formula(n, q):
    def chance(beta):
        room = 2**n - 2 * q
        return q * comb(q - 1, beta) / room**beta + 4 * (beta - 1) * q / room + 3 * comb(q, 2) / room**2

    exact = min((log2(chance(beta)), beta) for beta in range(2, 12))
    computed, beta = kc_xaes.log2_theorem(n, log2(q))
    # Binomials are taken as powers of q, which is a little more.
    assert beta == exact[1] and 0 <= computed - exact[0] < 0.2


def test_theorem_1_at_the_papers_point():
    computed, beta = kc_xaes.log2_theorem(128, 80)
    assert beta == 3 and computed == pytest.approx(-45, abs=1e-3)


def test_calls_of_aes_are_counted():
    assert kc_xaes_errata.counted() == {"xaes": 3, "kc-xaes": 6, "c3": 5, "dndk-v1": 6, "dndk-v1-kc": 10, "dndk-v2": 3,
                                 "dndk-v2-kc": 5, "h-kc-aes": 0}


def report(key):
    report = page.Report("title", {"introduction": [], "facts": {}})
    report.paper(key, key, "a paper", "somewhere")
    return report


def verdict(report, id):
    return report.papers[-1]["claims"][id].judged()


STORED = tomllib.loads((Path(kc_xaes.__file__).parent / "stored.toml").read_text())


def test_verdicts_on_attacks_follow_from_what_is_stored():
    paper = report("kc-xaes")
    kc_xaes.attacks(paper, STORED)
    assert verdict(paper, "cmt-2-attack") == "reproduced"
    other = copy.deepcopy(STORED)
    other["kc-xaes"]["keys"][0]["calls"] = [2 * n for n in other["kc-xaes"]["keys"][0]["n"]]
    kc_xaes.attacks(paper, other)
    assert verdict(paper, "cmt-2-attack") == "differs"


def test_verdicts_on_every_adversary_follow_from_what_is_stored():
    paper = report("kc-xaes")
    kc_xaes.best(paper, STORED)
    assert verdict(paper, "theorem-1-best") == verdict(paper, "intuition") == "reproduced"
    other = copy.deepcopy(STORED)
    other["kc-xaes"]["best"][3]["chance"] = 0.69                 # theorem 1: 0.6875 after two pairs on three bits
    kc_xaes.best(paper, other)
    assert verdict(paper, "theorem-1-best") == "refuted"


def test_theorem_1_on_tiny_blocks():
    assert kc_xaes.exact_theorem(3, 2) == 0.6875 and kc_xaes.exact_theorem(2, 2) == 1
    assert kc_xaes.exact_theorem(4, 2) == 0.1875


def test_appendix_as_parameters_give_both_values(monkeypatch):
    kc_xaes.acvp(report("kc-xaes"))
    for what, name, value in (("K_U", "counterLength", 8), ("K_C", "counterLocation", "before fixed data"),
                              ("K_C", "fixedData", "0x58434D54<U><V>000101"), ("K_U", "supportedLengths", 128)):
        data = copy.deepcopy(published.DATA)
        data["acvp"][what][name] = value
        with monkeypatch.context() as patch, pytest.raises(AssertionError, match=what):
            patch.setattr(published, "DATA", data)
            kc_xaes.acvp(report("kc-xaes"))


def test_tables_2_to_4_of_omd_differ_in_five_lines():
    paper = report("omd")
    omd.tables_2_to_4(paper)
    part, = (part for part in paper.papers[-1]["parts"] if part["kind"] == "diff")
    assert len(part["lines"]) == 5 and part["lines"][0] == (
        "table 3, 22: 5cb0a9dcdb41fbd4", "table 3, 22: 5cb0a9dcbd41fbd4")
    assert [verdict(paper, id) for id in ("initial-values", "constants", "permutations")] == [
        "reproduced", "differs", "reproduced"]
    assert '<span class="less">- table 3, 22: 5cb0a9dcdb41fbd4</span>' in paper.html()


def test_text_is_text_and_powers_are_raised():
    assert page.escape("a < 2^-47.3 & 2^(n/2)") == "a &lt; 2<sup>-47.3</sup> &amp; 2<sup>n/2</sup>"


def test_of_the_stored_run_the_report_has_the_pages_verdicts():
    cycles, _ = kc_xaes_beside.measured()

    def contest(row, at):
        return measured.Contest(at, 0, {kc_xaes.name(scheme, "" if whose == "ours" else whose): [n] * 3
                                        for (whose, of, scheme), n in cycles.items() if of == row}, {})
    times = object.__new__(kc_xaes.Times)
    times.contests = {"init": {0: contest("init", 0)},
                      **{op: {at: contest(f"{op}-{name}", at) for at, name in kc_xaes_beside.SIZES.items()} for op in ("seal", "open")}}
    paper = report("kc-xaes")
    kc_xaes.verdicts(paper, times, [("ours", ""), ("AWS-LC's parts", "aws-lc")])
    run, stored = paper.papers[-1]["claims"], {claim.id: claim for claim in claims.CLAIMS["kc-xaes"]}
    assert {id for id, claim in run.items() if claim.source == "measured"} >= {*kc_xaes_beside.GROUPS, "init", "constant-difference"}
    assert {id: claim.judged() for id, claim in run.items()} == {id: claim.judged() for id, claim in stored.items()}


def test_claims_are_counted_and_written():
    paper = report("aegis")
    before = paper.counts()
    assert sum(before.values()) == len(paper.papers[-1]["claims"])
    paper.judge("twice-128", 1.2, "1.20 <now>")
    assert paper.counts()["differs"] == before["differs"] + 1
    paper.found("twice-256", "2.22")
    paper.heading("nothing follows")
    paper.heading("a table follows")
    paper.table("numbers", ["", "x"], [["a", "1"]])
    html, written = paper.html(), json.loads(paper.json())
    of = {claim["id"]: claim for claim in written["papers"][0]["claims"]}
    assert of["aegis/twice-128"]["ours"] == "1.20 <now>" and of["aegis/twice-128"]["source"] == "measured"
    assert of["aegis/twice-256"]["verdict"] == "not claimed" and of["aegis/twice-256"]["ours"] == "2.22"
    assert of["aegis/rounds"]["paper"] == "80, 96 AES rounds" and written["verdicts"] == paper.counts()
    assert "&lt;now&gt;" in html and "nothing follows" not in html and "a table follows" in html
    with pytest.raises(ValueError):
        paper.judge("twice-256", 2.0, "no figure decides it")
    with pytest.raises(KeyError):
        paper.judge("nothing", 1, "1")


def test_figure_1_of_omd_has_a_call_for_the_nonce_and_one_for_the_tags_length():
    boxes, arrows = omd.figure_1()
    calls = {name for name, box in boxes.items() if box.text == "F_K"}
    assert len(calls) == 3 + 2                                       # blocks drawn, and two: algorithm 3
    into = {name: {boxes[start].text for start, end in arrows if end == name} for name in boxes}
    assert into["fn"] == {"N ‖ 10*"} and into["f0"] == {"⟨τ⟩"} and into["delta"] == {"F_K"}
    for block in "12ℓ":
        of, = (name for name in calls if f"M{block}" in into[name])
        assert into[of] == {f"M{block}", "H"}
        output, = (name for name, box in boxes.items() if box.text == f"C{block}")
        assert into[output] == {f"⊕ M{block}"}
    for name, box in boxes.items():
        if box.text.startswith("⊕"):
            assert into[name] == {"H"}                               # of the call before, not of that which takes M


def test_figure_1_of_kc_xaes_has_x1_in_both_halves():
    boxes, arrows = kc_xaes.figure_1()
    for half, block in (("x4", "V ‖ c4"), ("x5", "V ‖ c5")):
        assert sorted(boxes[start].text for start, end in arrows if end == half) == sorted(["X1", "K1", block])
    assert {boxes[start].text for start, end in arrows if end == "kc"} == {"Z1", "Z2"}


def test_ochs_peak_is_that_of_the_run_and_decides_nothing(tmp_path):
    names = ("och-areion-p", "och-areion-s", "aegis-128l", "aes-256-gcm", "aes-256-gcm openssl")
    lines = [json.dumps({"kind": "run", "backend": "vaes512"}), json.dumps({"kind": "aes-round", "backend": "vaes512", "cycles": 0.25})]
    for operation, cycles in (("seal", 100.0), ("open", 50.0)):
        for message in (1024, 4096):
            of = [{"name": name, "cycles": cycles * (at + 1), "nanoseconds": [at + 1.0]} for at, name in enumerate(names)]
            lines.append(record(paper="och", table="OCH", backend="vaes512", operation=operation, message=message, contenders=of))
    (tmp_path / "measured").write_text("\n".join(lines))
    report = page.Report("title", {"introduction": [], "facts": {}})
    report.paper("och", "OCH", "a paper", "somewhere")
    och.add(report, measured.read(tmp_path / "measured"), {})
    speed = report.papers[0]["claims"]["speed"]
    assert (speed.judged(), speed.source) == ("not checked", "measured")
    assert "0.02 (OCH-P) and 0.05 (OCH-S)" in speed.found             # 100 and 200 cycles for 4096 bytes
    chart, table = [part for part in report.papers[0]["parts"] if part["kind"] != "heading"][:2]
    assert table["rows"] == [["1 KiB", "2.00", "3.00", "4.00"], ["4 KiB", "2.00", "3.00", "4.00"]]
    assert table["head"][1:] == ["OCH-S", "AEGIS-128L", "GCM, ours"] and len(chart["data"]) == 4
