"""What the laboratory does at the end of a sweep, and the study, which is one."""

from pathlib import Path

import pytest

from clirbench.__main__ import prepare_arguments
from clirbench.labs.collections.hooks import after_sweep
from tests.labs.collections.commands.test_pool import run


def test_a_sweep_over_seeds_or_topics_of_one_collection_is_not_pooled(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Three jobs over one collection: other systems are drawn, or other topics asked, of the same reference side."""
    texts = {"collection": {"sha256": "A"}, "test_sha256": "A"}
    jobs = [run(tmp_path / str(i), i, "s", {**texts, "topics": {"first": i}}) for i in range(3)]
    assert after_sweep(tmp_path, jobs, {}) == []
    assert capsys.readouterr().out == ""


def test_a_sweep_over_collections_is_pooled_and_one_over_settings_is_not(tmp_path: Path) -> None:
    jobs = [run(tmp_path / str(i), i) for i in range(5)]
    tables = {"tables": ["embedded:gowda2021_clssts"], "measures": ["MAP"], "metrics": ["BLEU", "MacroF1"]}
    written = after_sweep(tmp_path, jobs, tables)
    assert [path.name for path in written] == ["pooled.html", "pooled.tsv"] * 2
    assert written[-1].parent.name == "gowda2021_clssts_scores"
    assert after_sweep(tmp_path, [jobs[0], jobs[0]], {}) == []


def test_several_reasons_not_to_pool_are_said_and_raise_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Hydra turns what its callback raises into a warning."""
    jobs = [run(tmp_path / str(i), i % 2) for i in range(4)]
    assert after_sweep(tmp_path, jobs, {}) == []
    assert "not pooled: " in capsys.readouterr().out


def test_the_study_searches_with_two_retrievers() -> None:
    asked = [argument for argument in prepare_arguments(["+experiment=study"]) if "retrieval" in argument]
    assert asked == ["+retrieval@also_retrieval.dense=dense"]
