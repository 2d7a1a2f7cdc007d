"""`analysis=[pairs]`: which systems are told apart from the best, and where nothing could be found."""

from pathlib import Path

import pytest

import clirbench as cb
from clirbench.errors import ConfigError, UnknownName
from clirbench.labs.papers.analyses.pairs import PairsAnalysis
from tests.report.analysed import result_of, text_of
from tests.statistics.worlds import scores_only, world


def test_the_best_system_stands_against_every_other() -> None:
    (table,) = PairsAnalysis().tables(result_of(world(n=4)))
    assert table.name == "pairs"
    assert len(table.rows) == 3 * 3
    assert sum("(randomisation" in sentence and "Holm over 6" in sentence for sentence in table.text) == 3
    tests = PairsAnalysis(pair=["a00", "d03"], tests=["sacrebleu", "randomisation"], samples=99)
    (one,) = tests.tables(result_of(world(n=4)))
    assert len(one.rows) == 3 * 2
    assert (
        "y0: a00 against d03 (randomisation, 30 topics, 99 samples, seed 12345, Holm over 1): significantly different"
        in "\n".join(one.text)
    )
    assert sum("about one-sided" in sentence for sentence in one.text) == 1
    assert "no two systems can be compared" in text_of(PairsAnalysis(), scores_only([[1, 2]], [[1, 2]]))


def test_what_could_not_become_significant_is_said_and_not_claimed() -> None:
    (few,) = PairsAnalysis().tables(result_of(world(n=5, topics=5, noise=())))
    assert "not run: 5 items and 10 pairs cannot give a corrected p below 0.05" in few.text[0]
    assert "significantly different" not in " ".join(few.text)
    many = text_of(PairsAnalysis(samples=50), world(n=8))
    assert many.count("50 samples and 28 pairs cannot give a corrected p below 0.05; samples=560 would do") == 3


def test_settings_that_cannot_be_are_refused() -> None:
    with pytest.raises(ConfigError, match="name two systems"):
        PairsAnalysis(pair=["a"])
    with pytest.raises(UnknownName, match="analyses.pairs.sampling"):
        PairsAnalysis(sampling="third")
    with pytest.raises(UnknownName, match="analyses.pairs.tests"):
        PairsAnalysis(tests=["t"])


def test_scores_of_whole_systems_separate_no_two_of_them(shared_data: Path, tmp_path: Path) -> None:
    """COMET-22 of WMT22 de-en is published per system alone: it was called significant for 8 of 8, p .0005."""
    folder = shared_data / "wmt22" / "de-en"
    rows = [line.split("\t") for line in (folder / "official-metrics.tsv").read_text().splitlines()]
    scores = tmp_path / "comet.tsv"
    scores.write_text("".join(f"{name}\t{score}\n" for name, metric, score in rows if metric == "COMET-A"))
    keys = {"metric__COMET__path": str(scores), "metric__COMET__aggregate": "system", "topics__n": 20}
    made = cb.run(
        "folder", folder=str(folder), metric=["BLEU", "COMET"], measures=["MAP"], analysis=["pairs", "accuracy"],
        analyses__accuracy__samples=50, paths__cache=tmp_path / "cache", **keys,
    )  # fmt: skip
    assert set(made.tables["pairs"]["column"]) - {"RBO(p=0.9)"} == {"BLEU", "MAP"}
    soft = made.tables["accuracy"].set_index("metric")
    assert soft.loc[["COMET"], "soft"].isna().all()
    assert (soft.loc[["COMET"], "n_segments"] == 0).all()
    assert soft.loc[["BLEU"], "soft"].notna().all()
