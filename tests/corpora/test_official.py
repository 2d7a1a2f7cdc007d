"""Scores that organisers published: which take part, and why others do not."""

import re
from pathlib import Path

import pytest

import clirbench as cb
from clirbench.corpora.folder import FolderCorpus
from clirbench.corpora.layout import OfficialScores
from clirbench.errors import InputError
from clirbench.files.tables import read_table

ROWS = """system\tmetric\tscore
one\tbleu-all\t99
one\tCOMET-A\t0.5
one\tCOMET-B\t0.25
two\tCOMET-B\t0.75
one\tCOMET-D\t0.1
one\tMetricX-24-QE\t3.5
two\tMetricX-24-QE\tnan
one\ttwice\t1
one\ttwice\t2
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    home = tmp_path / "wmt22" / "de-fr"
    (home / "systems").mkdir(parents=True)
    for name in ("reference-A.txt", "reference-B.txt", "systems/one.txt", "systems/two.txt"):
        (home / name).write_text("un\ndeux\ntrois\n")
    (home / "official-metrics.tsv").write_text(ROWS)
    people = "system\tscore_z\tscore_raw\tkind\none\t-0.125\t70\tsystem\nrefA\t0.5\t90\thuman\n"
    (home / "human.tsv").write_text(people)
    return home


def scores(found: OfficialScores) -> dict[str, dict[str, str]]:
    return {table.header[1]: dict(table.rows) for table in found.tables}


def test_those_against_the_scoring_reference_take_part_and_others_are_named(folder: Path) -> None:
    found = FolderCorpus(str(folder)).read().official
    assert scores(found) == {"COMET-22": {"one": "0.5"}, "MetricX-24-QE": {"one": "3.5"}, "human": {"one": "-0.125"}}
    assert found.unused == {
        "bleu-all": "clirbench has its own",
        "COMET-B": "against reference B",
        "COMET-D": "against reference D",
        "twice": "several values of one system",
        "score_raw": "not standardised",
    }


@pytest.mark.parametrize("references", ["B", ["cross", "A", "B"]])
def test_the_scoring_reference_decides(folder: Path, references: str | list[str]) -> None:
    found = FolderCorpus(str(folder), references=references).read().official
    assert scores(found)["COMET-22"] == {"one": "0.25", "two": "0.75"}
    assert found.unused["COMET-A"] == "against reference A"


def test_a_folder_of_no_campaign_has_no_year(folder: Path, tmp_path: Path) -> None:
    folder.rename(tmp_path / "mine")
    assert "COMET" in scores(FolderCorpus(str(tmp_path / "mine")).read().official)


def test_a_table_without_its_columns_names_them(folder: Path) -> None:
    (folder / "official-metrics.tsv").write_text("system\tCOMET\none\t0.5\n")
    with pytest.raises(InputError, match=r"official-metrics.tsv: no column metric, score; columns: system, COMET"):
        FolderCorpus(str(folder)).read()


@pytest.mark.parametrize(
    ("part", "taken", "unused"),
    [
        ("wmt24/en-es", ["AutoRank", "MetricX", "CometKiwi"], {}),
        ("wmt22/de-en", ["COMET-22", "human"], {}),
        ("wmt23/he-en", [], {"COMET": "several values of one system"}),
        ("wmt23/uk-en", ["COMET-23"], {"human": "no system has a score_z", "chrf-refA": "clirbench has its own"}),
        ("wmt21/en-cs", None, {"bleu-A": "clirbench has its own", "bleu-B": "against reference B"}),
    ],
)
def test_every_official_score_of_wmt_is_used_or_named(
    shared_data: Path, part: str, taken: list[str] | None, unused: dict[str, str]
) -> None:
    """he-en has two COMET scores of each system, against an unknown reference; human.tsv of uk-en is empty."""
    found = FolderCorpus(str(shared_data / part)).read().official
    assert taken is None or list(scores(found)) == taken
    assert unused.items() <= found.unused.items()
    published = {*read_table(shared_data / part / "official-metrics.tsv").column("metric")}
    used = {re.sub(r"-\d\d$", "", table.header[1]) for table in found.tables}
    left = published - found.unused.keys()
    assert left == {name for name in left if re.sub("-(ref)?A$", "", name) in used}


@pytest.mark.parametrize(
    ("settings", "seen"),
    [
        (
            {"scores__missing": "hole", "scores__rename": {"old": "new"}},
            {"human": [1.0, 2.0, 3.0, None], "new": [3.0, 2.0, 1.0, 0.0]},
        ),
        ({"scores__ignore": ["human"]}, {"old": [3.0, 2.0, 1.0, 0.0]}),
    ],
)
def test_settings_of_scores_hold_for_the_table_in_the_folder(
    small_folder: Path, tmp_path: Path, settings: dict[str, object], seen: dict[str, list[float]]
) -> None:
    """They were dropped in silence where `scores.tables` named no further table."""
    rows = ["system\thuman\told", "every2\t1\t3", "every3\t2\t2", "every5\t3\t1", "every9\tnan\t0"]
    (small_folder / "scores.tsv").write_text("\n".join(rows) + "\n")
    keys = {"metric": ["BLEU"], "measures": ["MAP"], "topics__n": 8, "relevance__k": 2, "paths__cache": tmp_path / "c"}
    systems = cb.run("folder", folder=small_folder, **keys, **settings).systems
    for name in ("human", "old", "new"):
        values = systems[name].dropna().tolist() if name in systems else None
        assert values == (None if name not in seen else [value for value in seen[name] if value is not None]), name
