"""The memory in a run's report, asked for or not: other collections beside a run's own tau; its grades stay."""

import hashlib
import json
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import kendalltau

import clirbench as cb
from benchmarks.telling import held
from clirbench.files.tables import read_table
from clirbench.labs.collections import memory as memory_module
from clirbench.labs.collections.memory import CAPTION, Observed, Taus, memory, sampling
from tests.conftest import DEMO, Cli, write_lines

QUESTION = "## What do other collections say?"


def folder_of(folder: Path, lines: list[str], losses: list[tuple[int, int]]) -> Path:
    """A folder of MT outputs; a system for each (n, first): words first, first + n, ... of each line are lost."""
    (folder / "systems").mkdir(parents=True)
    write_lines(folder / "reference.txt", lines)
    for n, first in losses:
        kept = [" ".join(w for i, w in enumerate(line.split()) if i % n != first) for line in lines]
        write_lines(folder / "systems" / f"lost{n}from{first}.txt", kept)
    return folder


def test_a_folder_of_eight_has_the_memory_unasked_and_the_same_grade_without(tmp_path: Path, cli: Cli) -> None:
    lines = (DEMO / "reference.txt").read_text(encoding="utf-8").split("\n")[:400]
    folder = folder_of(tmp_path / "own", lines, [*((5, first) for first in range(5)), (6, 1), (6, 2), (6, 3)])
    keys = ("+experiment=folder", f"folder={folder}", "topics.n=20", f"paths.cache={tmp_path / 'cache'}")
    beside = cli(*keys, f"hydra.run.dir={tmp_path / 'with'}")
    alone = cli(*keys, "analyses.memory=null", f"hydra.run.dir={tmp_path / 'without'}")
    assert (beside.returncode, alone.returncode) == (0, 0), beside.stderr + alone.stderr
    assert QUESTION[3:] not in beside.stdout  # in the report only
    rows = {row["metric"]: row for row in read_table(tmp_path / "with" / "memory.tsv").records()}
    english = {one.collection for one in memory().collections.values() if one.pair.endswith("-en")}
    assert {row["collections"] for row in rows.values()} == {str(len(english))}
    assert rows["BLEU"]["groups"] == "8"
    assert rows["BLEU"]["note"] == ""
    assert float(rows["BLEU"]["together_low"]) < float(rows["BLEU"]["together"]) < float(rows["BLEU"]["together_high"])
    report = (tmp_path / "with" / "report.md").read_text(encoding="utf-8")
    assert QUESTION in report
    assert CAPTION[:60] in report
    results = [json.loads((tmp_path / run / "results.json").read_text()) for run in ("with", "without")]
    assert results[0]["answer"] == results[1]["answer"]
    assert results[0]["findings"] == results[1]["findings"]
    assert not (tmp_path / "without" / "memory.tsv").exists()
    assert QUESTION not in (tmp_path / "without" / "report.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("losses", "note"),
    [
        ([(4, 0), (4, 1), (5, 0), (5, 1)], "4 systems; the memory's collections have 8 to 17"),
        ([(n, 1) for n in range(2, 10)], "its values have a standard deviation of "),
    ],
)
def test_outside_the_memorys_range_the_report_says_so(
    tmp_path: Path, losses: list[tuple[int, int]], note: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the memory 8 to 17 systems into English are the 10 to 90 %; BLEU's standard deviation is 1.5 to 6.7 there."""
    monkeypatch.chdir(tmp_path)
    lines = (DEMO / "reference.txt").read_text(encoding="utf-8").split("\n")[:400]
    own = cb.run("folder", folder=str(folder_of(tmp_path / "own", lines, losses)), metric=["BLEU"], topics__n=20)
    assert own.tables["memory"]["note"].iloc[0].startswith(note)
    assert own.tables["memory"]["together"].isna().all()


def test_a_run_that_cannot_be_compared_says_so_only_where_it_was_asked(tmp_path: Path) -> None:
    """Published scores have MAP and GMAP, and the memory has RBO(p=0.9) alone."""
    assert "memory" not in cb.run("europarl_csen_published").tables


@pytest.mark.slow
def test_a_folder_beside_the_memory(shared_data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """WMT22 de-en is in the memory itself, so it is left out there."""
    folder = shared_data / "wmt22" / "de-en"
    monkeypatch.chdir(tmp_path)
    settings = {"folder": str(folder), "metric": ["BLEU", "chrF2"], "paths__cache": str(tmp_path / "cache")}
    alone = cb.run("folder", **settings)
    beside = cb.run("folder", **settings, analysis=["correlation", "memory"])
    assert beside.answer == alone.answer
    assert beside.results["findings"] == alone.results["findings"]
    rows = list(read_table(beside.save("out") / "memory.tsv").records())
    assert [row["metric"] for row in rows] == ["BLEU", "chrF2"]
    english = {one.collection for one in memory().collections.values() if one.pair.endswith("-en")}
    assert int(rows[0]["collections"]) < len(english)
    text = (tmp_path / "out" / "report.md").read_text(encoding="utf-8")
    assert "Left out, because they share a reference with this run: wmt22/de-en/A-B and wmt22/de-en/B-A." in text
    assert json.loads((tmp_path / "out" / "results.json").read_text(encoding="utf-8"))["measure"] == "RBO(p=0.9)"


def test_a_run_of_another_measure_is_not_compared() -> None:
    found = cb.run("europarl_csen_published", analysis=["correlation", "memory"])
    assert found.tables["memory"].empty


def test_lines_are_hashed_one_by_one_as_if_they_were_joined(monkeypatch: pytest.MonkeyPatch) -> None:
    """A reference of millions of lines is never in memory as a whole."""
    assert memory_module.digest_of(["a", "é", ""]) == hashlib.sha256("a\né\n".encode()).hexdigest()
    assert memory_module.digest_of([]) == hashlib.sha256(b"").hexdigest()
    lines = iter(["a", "b", "c"])
    monkeypatch.setattr(memory_module, "sha256_of", lambda pieces: next(iter(pieces)).hex())
    assert memory_module.digest_of(lines) == b"a".hex()
    assert list(lines) == ["b", "c"]


def world(rng: np.random.Generator, clusters: int, mean: float, between: float) -> tuple[Taus, float, float, int]:
    """(collections, true and observed tau of one more, its systems): tau of normal pairs with r = sin(pi tau / 2)."""
    made = []
    for number in range(clusters + 1):
        n, tau = int(rng.integers(6, 20)), float(np.tanh(rng.normal(mean, between)))
        r = np.sin(np.pi * tau / 2)
        x, noise = rng.normal(size=n), rng.normal(size=n)
        found = kendalltau(x, r * x + (1 - r * r) ** 0.5 * noise).statistic
        made.append((tau, Observed(f"pair {number}", float(found), n, 1.0)))
    truth, own = made[-1]
    return Taus(tuple(one for _, one in made[:-1])), truth, own.tau, own.systems


@pytest.mark.parametrize(
    ("clusters", "mean", "between"), [(8, 0.7, 0.3), (20, 0.7, 0.1), (20, 0.2, 0.5), (12, 0.85, 0.3)]
)
def test_intervals_hold_what_they_promise(clusters: int, mean: float, between: float) -> None:
    """Up to a tau of .7 (atanh .85), beyond which nothing is taken together. At .90 and .95 promised, of 300
    draws: the 99.5 % binomial bounds of .85 and .93 are 240 and 267."""
    rng = np.random.default_rng([5, clusters, int(10 * mean), int(10 * between)])
    seen = known = 0
    for _ in range(300):
        taus, truth, own, systems = world(rng, clusters, mean, between)
        low, _, high = taus.another(systems)
        seen += low <= own <= high
        low, _, high = taus.together(own, systems)
        known += low <= truth <= high
    assert seen >= 240
    assert known >= 267


def test_together_lies_between_and_is_narrower_than_the_own_evidence() -> None:
    taus = Taus(tuple(Observed(f"pair {n}", 0.6, 12, 1.0) for n in range(10)))
    low, middle, high = taus.together(0.2, 12)
    assert 0.2 < middle < 0.6
    assert np.arctanh(high) - np.arctanh(low) < 2 * 1.96 * float(sampling(12)) ** 0.5


def test_equal_taus_have_no_variance_between_them() -> None:
    taus = Taus(tuple(Observed(f"pair {n}", 0.5, 10, 1.0) for n in range(6)))
    assert (taus.mean.value, taus.mean.tau2) == (pytest.approx(np.arctanh(0.5)), 0)
    assert taus.mean.error**2 == pytest.approx(float(sampling(10)) / 6)
    assert held(taus) == 1.0
