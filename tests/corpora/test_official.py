"""Scores that organisers published: which take part, and why others do not."""

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
        "bleu-all": "computed here",
        "COMET-B": "against reference B",
        "COMET-D": "against reference D",
        "twice": "several values of one system",
        "score_raw": "human is score_z",
    }


@pytest.mark.parametrize("references", ["B", ["cross", "A", "B"]])
def test_the_scoring_reference_decides(folder: Path, references: str | list[str]) -> None:
    found = FolderCorpus(str(folder), references=references).read().official
    assert scores(found)["COMET-22"] == {"one": "0.25", "two": "0.75"}
    assert found.unused["COMET-A"] == "against reference A"


def test_a_folder_of_no_campaign_has_no_year(folder: Path, tmp_path: Path) -> None:
    folder.rename(tmp_path / "mine")
    assert "COMET" in scores(FolderCorpus(str(tmp_path / "mine")).read().official)


def test_people_who_judged_no_system_are_no_score(shared_data: Path) -> None:
    """WMT23's human.tsv of Ukrainian-English has a header alone; "human is score_z" was said of it."""
    found = FolderCorpus(str(shared_data / "wmt23" / "uk-en")).read().official
    assert list(scores(found)) == ["COMET-23"]
    computed = {"bleu-all", "chrf-all", "bleu-refA", "chrf-refA"}
    assert found.unused == {**dict.fromkeys(computed, "computed here"), "human": "no system has a value"}


def test_a_score_against_another_reference_is_not_computed_here(shared_data: Path) -> None:
    """WMT21's English-Czech has scores against A and B; A is searched and scores."""
    found = FolderCorpus(str(shared_data / "wmt21" / "en-cs")).read().official
    assert {name: why for name, why in found.unused.items() if "bleu" in name} == {
        "bleu-all": "computed here", "bleu-A": "computed here", "bleu-B": "against reference B",
    }  # fmt: skip


def test_a_table_without_its_columns_names_them(folder: Path) -> None:
    (folder / "official-metrics.tsv").write_text("system\tCOMET\none\t0.5\n")
    with pytest.raises(InputError, match=r"official-metrics.tsv: no column metric, score; columns: system, COMET"):
        FolderCorpus(str(folder)).read()


@pytest.mark.parametrize(
    ("part", "taken"),
    [("wmt24/en-es", ["AutoRank", "MetricX", "CometKiwi"]), ("wmt22/de-en", ["COMET-22", "human"]),
     ("wmt23/he-en", [])],
)  # fmt: skip
def test_every_official_score_of_wmt_is_used_or_named(shared_data: Path, part: str, taken: list[str]) -> None:
    """WMT23's Hebrew-English has two COMET scores of each system, and does not say against which reference."""
    found = FolderCorpus(str(shared_data / part)).read().official
    assert list(scores(found)) == taken
    published = {*read_table(shared_data / part / "official-metrics.tsv").column("metric")}
    used = {table.header[1].removesuffix("-22") for table in found.tables}
    assert published == {name for name in published if name in found.unused or name.removesuffix("-A") in used}
    if part == "wmt23/he-en":
        assert found.unused["COMET"] == "several values of one system"


def test_both_spellings_of_a_folder_of_wmt_give_the_same_tables(shared_data: Path, tmp_path: Path) -> None:
    keys = {"folder": shared_data / "wmt24" / "en-es", "paths__cache": tmp_path / "cache", "topics__n": 30}
    ours, theirs = cb.run("folder", **keys), cb.run("wmt_folder", **keys)
    assert ours.tables.keys() == theirs.tables.keys()
    for name, table in ours.tables.items():
        assert table.equals(theirs.tables[name]), name
    assert ours.results["set_up"] == theirs.results["set_up"]
    assert ours.results["set_up"]["scores"] == ["AutoRank", "MetricX", "CometKiwi"]


@pytest.mark.parametrize(
    ("settings", "seen"),
    [
        ({"scores__missing": "hole"}, {"human": [1.0, 2.0, 3.0, None], "old": [3.0, 2.0, 1.0, 0.0]}),
        (
            {"scores__missing": "drop", "scores__rename": {"old": "new"}},
            {"human": [1.0, 2.0, 3.0], "new": [3.0, 2.0, 1.0]},
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
