"""Ratios and means of two builds' figures."""

import pytest

import between


def cell(suite, cycles, size=16):
    return {(suite, "seal", "soft", size): cycles}


def test_a_slower_build_is_below_one():
    old = [cell("aegis-128l", 10.0), cell("aegis-128l", 10.0), cell("aegis-128l", 90.0)]
    new = [cell("aegis-128l", 20.0)] * 3
    assert between.ratios(old, new) == {("aegis-128l", "seal", "soft", 16): 0.5}


def test_the_mean_of_a_family_is_geometric():
    each = cell("flex-och", 2.0) | cell("flex-civ", 0.5) | cell("xaes-256-gcm", 0.9) | cell("aes-256-gcm", 0.9)
    assert between.means(each) == pytest.approx({"flex": 1.0, "gcm": 0.9})


def test_it_fails_below_the_least(tmp_path, capsys):
    def program(name, cycles):
        path = tmp_path / name
        record = f'{{"suite": "omd-sha256", "operation": "seal", "backend": "soft", "bytes": 16, ' \
            f'"cycles_per_message": {{"median": {cycles}}}}}'
        path.write_text(f"#!/bin/sh\ncase \"$*\" in *' -- '*) exit 2 ;; esac\necho '{{\"records\": [{record}]}}'\n")
        path.chmod(0o755)
        return str(path)

    fast, slow = program("fast", 100), program("slow", 103)
    assert between.main([fast, slow, "--times", "2"])
    assert "omd      0.971  of 1 cells" in capsys.readouterr().out
    assert not between.main([slow, fast, "--times", "2", "--", "--size", "16"])
