"""Every plot has a name at each line and no legend, its texts do not overlap, and it is what its data give."""

import json
import subprocess
import sys
from itertools import combinations
from pathlib import Path
from random import Random

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "research" / folder) for folder in ("", "bench", "papers", "hw/syn")]

import pages  # noqa: E402
import speed  # noqa: E402
import tables  # noqa: E402
from plots.chart import Line, apart, chart, svg  # noqa: E402

FIGURES = {f"{paper}/{name}": figure for paper in ("flex", "omd", "och") for name, figure in pages.drawn(paper).items()}
FIGURES |= {f"omd/{name}": figure
            for name, figure in tables.figures(json.loads((ROOT / "research/hw/syn/results.json").read_text())).items()}
FIGURES["../bench/files/speed.svg"] = speed.drawn()


def faults(figure, limits=0):
    axes, = figure.axes
    figure.draw_without_rendering()
    found = []
    lines = [line for line in axes.lines if (line.get_gid() or "").startswith("line-")]
    names = [text for text in figure.texts if (text.get_gid() or "").startswith("name-")]
    if axes.get_legend() or figure.legends:
        found.append("a legend")
    if len(names) != len({name.get_text() for name in names}) or len(names) != len(lines) + limits:
        found.append(f"{len(lines)} lines, {[name.get_text() for name in names]}")
    ticks = [text for axis in (axes.xaxis, axes.yaxis) for at, text in zip(axis.get_ticklocs(), axis.get_ticklabels())
             if min(axis.get_view_interval()) <= at <= max(axis.get_view_interval())]
    texts = [*names, axes.title, axes.xaxis.label, axes.yaxis.label, *axes.texts, *ticks]
    boxes = [(text.get_text(), text.get_window_extent()) for text in texts if text.get_text()]
    found += [f"{a} and {b} overlap" for (a, p), (b, q) in combinations(boxes, 2)
              if min(p.x1, q.x1) - max(p.x0, q.x0) > 0.5 and min(p.y1, q.y1) - max(p.y0, q.y0) > 0.5]
    return found + [f"{text} is cut off" for text, box in boxes
                    if min(box.x0, box.y0) < 0 or box.x1 > figure.bbox.x1 or box.y1 > figure.bbox.y1]


@pytest.mark.parametrize("name", FIGURES)
def test_checked_in_plots_are_what_their_data_give(name):
    limits = name.startswith(("flex/", "och/"))
    assert faults(FIGURES[name], limits) == []
    assert (ROOT / "research/papers" / name).read_text() == svg(FIGURES[name]), "scripts/python research/papers/pages.py"


@pytest.mark.parametrize("count", (1, 5, 14, 40))
@pytest.mark.parametrize("ylog", (True, False))
def test_names_do_not_overlap_however_close_the_ends(count, ylog):
    random = Random(count)
    ends = [random.choice((1, 1.01, 1.02, 9)) for _ in range(count)]
    lines = [Line(f"line {at}" + "\nof two rows" * (at % 3 == 0), [(1, 5), (64, end)]) for at, end in enumerate(ends)]
    figure = chart(lines, "x", "y", "title", True, ylog, limits=[(1, "limit")], notes=[(8, "note")])
    assert faults(figure, 1) == []


def test_a_fault_is_found():
    lines = [Line(f"line {at}", [(1, 5), (2, at)]) for at in range(1, 6)]
    figure = chart(lines, "x", "y")
    figure.axes[0].legend(["one"])
    assert "a legend" in faults(figure)
    a, b = figure.texts[:2]
    b.set_position(a.get_position())
    assert "line 1 and line 2 overlap" in faults(figure)
    a.remove()
    assert any("5 lines" in fault for fault in faults(figure))


def test_names_move_as_little_as_they_must():
    assert apart([10, 50, 90], [10, 10, 10], 0, 100) == [10, 50, 90]
    assert apart([50, 50], [10, 10], 0, 100) == [45, 55]
    assert apart([0, 0, 100], [10, 10, 10], 0, 100) == [0, 10, 100]
    assert apart([100, 100], [10, 20], 0, 100) == [85, 100]


def test_nothing_is_no_plot():
    assert chart([Line("empty", [])], "x", "y") is None


def test_several_back_ends_have_a_folder_each(tmp_path):
    (tmp_path / "omd").mkdir()
    table = "\nseal on {}: cycles per byte\nmessage,omd-sha256,its floor\n64 B,2.0,1.0\n1 KiB,1.5,1.0\n"
    (tmp_path / "omd/tables.csv").write_text("# 1 byte of associated data\n" + table.format("aesni") + table.format("soft"))
    pages.main(tmp_path)
    assert {str(file.relative_to(tmp_path)) for file in tmp_path.rglob("*.svg")} == {"omd/aesni/seal.svg", "omd/soft/seal.svg"}


def test_nobody_else_draws_plots():
    found = subprocess.run(["git", "grep", "-lE", "(import|from) matplotlib|^plotters", "--", "*.py", "*.toml"], cwd=ROOT,
                           capture_output=True, text=True, check=True).stdout.split()
    assert found == ["research/plots/chart.py"]
