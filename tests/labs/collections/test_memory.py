"""The memory in a run's report, asked for or not: other collections beside a run's own tau; its grades stay."""

import hashlib
import json
from pathlib import Path

import pytest

import clirbench as cb
from clirbench.files.tables import read_table
from clirbench.labs.collections import memory as memory_module
from clirbench.labs.collections.memory import CAPTION, ENGLISH, Collected, Memory, digest_of, memory
from tests.conftest import DEMO, Cli, write_lines

QUESTION = "## What do other collections say?"


def folder_of(folder: Path, lines: list[str], losses: list[tuple[int, int]]) -> Path:
    """A folder of MT outputs; a system for each (n, first): words first, first + n, ... of each line are lost."""
    write_lines(folder / "reference.txt", lines)
    for n, first in losses:
        kept = [" ".join(w for i, w in enumerate(line.split()) if i % n != first) for line in lines]
        write_lines(folder / "systems" / f"lost{n}from{first}.txt", kept)
    return folder


def taus_at(taus: list[float], share: float) -> float:
    """The quantile by hand: between the two nearest ranks, in proportion."""
    place = share * (len(taus) - 1)
    below = int(place)
    return taus[below] + (place - below) * (taus[min(below + 1, len(taus) - 1)] - taus[below])


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
    taus = sorted(one.tau for one in memory().of_group(memory().taus["BLEU"], ENGLISH).values())
    seen = [float(rows["BLEU"][name]) for name in ("others_low", "others", "others_high")]
    assert seen == pytest.approx([taus_at(taus, share) for share in (0.05, 0.5, 0.95)])
    report = (tmp_path / "with" / "report.md").read_text(encoding="utf-8")
    assert QUESTION in report
    assert CAPTION[:60] in report
    results = [json.loads((tmp_path / run / "results.json").read_text()) for run in ("with", "without")]
    assert results[0]["answer"] == results[1]["answer"]
    assert results[0]["findings"] == results[1]["findings"]
    assert not (tmp_path / "without" / "memory.tsv").exists()
    assert QUESTION not in (tmp_path / "without" / "report.md").read_text(encoding="utf-8")


def test_a_run_of_another_measure_is_not_compared() -> None:
    """Published scores have MAP and GMAP, and the memory has RBO(p=0.9) alone."""
    assert "memory" not in cb.run("europarl_csen_published", analysis=["correlation", "memory"]).tables


@pytest.mark.slow
def test_a_folder_of_the_memory_itself_is_left_out(
    shared_data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    run = cb.run("folder", folder=str(shared_data / "wmt22" / "de-en"), metric=["BLEU"], paths__cache="cache")
    english = {one.collection for one in memory().collections.values() if one.pair.endswith("-en")}
    assert run.tables["memory"]["collections"].iloc[0] < len(english)
    said = "Left out, because they share a reference with this run: wmt22/de-en/A-B and wmt22/de-en/B-A."
    assert said in (run.save("out") / "report.md").read_text(encoding="utf-8")


def test_collections_that_share_a_reference_are_known_in_both_directions() -> None:
    texts = {"wmt21/de-en/A-B": ["a"], "wmt21/de-en/B-A": ["b"], "wmt22/de-en": ["c"]}
    held = {name: Collected(name, "de-en", 8, (digest_of(lines),)) for name, lines in texts.items()}
    assert Memory(held, {}, {}, {}).sharing([["a"], ["d"]]) == {"wmt21/de-en/A-B", "wmt21/de-en/B-A"}


def test_lines_are_hashed_one_by_one_as_if_they_were_joined(monkeypatch: pytest.MonkeyPatch) -> None:
    """A reference of millions of lines is never in memory as a whole."""
    assert memory_module.digest_of(["a", "é", ""]) == hashlib.sha256("a\né\n".encode()).hexdigest()
    assert memory_module.digest_of([]) == hashlib.sha256(b"").hexdigest()
    lines = iter(["a", "b", "c"])
    monkeypatch.setattr(memory_module, "sha256_of", lambda pieces: next(iter(pieces)).hex())
    assert memory_module.digest_of(lines) == b"a".hex()
    assert list(lines) == ["b", "c"]
