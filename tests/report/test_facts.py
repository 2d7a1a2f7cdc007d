import shutil
from dataclasses import replace
from math import nan
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

import clirbench as cb
from clirbench.relevance.top_k import TopK
from clirbench.report.facts import (
    agreement_lines,
    first_names,
    overlap,
    sizes,
    table_notes,
    tau_cell,
    undefined_reasons,
)
from clirbench.report.html.report import tau_tables
from clirbench.report.tables import all_tables, systems_table
from clirbench.result import Retrieval
from clirbench.scoreboard import Column, Scoreboard
from clirbench.statistics.correlation import Correlation
from clirbench.text import TextFile
from clirbench.types import Qrels
from tests.conftest import Cli, write_lines
from tests.report.boards import board, result
from tests.statistics.worlds import scores_only, world


def row(value: float, significant: str, note: str = "") -> Correlation:
    return Correlation("MAP", "BLEU", "kendall", value, 0.2, 5, significant, note)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("value", "significant", "text"),
    [
        (0.8666, "true", ".867"), (-0.0211, "true", "-.021"), (-1.0, "true", "-1.000"), (0.0, "true", ".000"),
        (0.418, "false", ".418 x"), (0.867, "undefined", ".867 ?"), (nan, "undefined", "undefined"),
    ],
)  # fmt: skip
def test_a_tau_has_three_decimals_and_a_mark(value: float, significant: str, text: str) -> None:
    assert tau_cell(row(value, significant)) == text


def test_reasons_are_given_once() -> None:
    rows = [row(float("nan"), "undefined", "1 system: at least 2 are needed")] * 6
    (reason,) = undefined_reasons(rows)
    assert "and 2 more" in reason
    assert reason.endswith("at least 2 are needed")


def test_each_title_has_its_own_table() -> None:
    values = np.array([1.0, 2.0, 3.0])
    board = Scoreboard(
        ("a", "b", "c"),
        (
            Column("BLEU", "metric", values),
            Column("RBO", "measure", values, table="published"),
            Column("RBO[news]", "measure", values, table="now"),
        ),
    )
    tables = tau_tables(result(board), "kendall")
    assert [(t.title.partition(": ")[0], [row[0] for row in t.rows]) for t in tables] == [
        ("published", ["RBO"]),
        ("now", ["RBO[news]"]),
    ]


def test_notes_say_who_judged_where_no_person_did() -> None:
    made = board({"BLEU": [1, 2, 3]}, {"MAP": [1, 2, 3], "P@5": [1, 2, 3], "RBO": [1, 2, 3]})
    pseudo = {"judged_by": "pseudo-relevance", "lexical_model": "BM25"}
    columns = [replace(c, declared=pseudo) if c.name in ("P@5", "RBO") else c for c in made.columns]
    assert [note for note in table_notes(result(replace(made, columns=tuple(columns))), "") if "judged" in note] == [
        "Retrieval (P@5 and RBO) is judged by the ranking of the metrics' own reference, which favours metrics that "
        "match words"
    ]


def test_two_sets_of_judgments_are_compared_over_the_systems_that_have_both() -> None:
    """By hand: of four systems three have both measures, which order them alike, so tau is 1."""
    measures = {"MAP": [0.1, 0.2, 0.3, nan], "MAP[qrels]": [0.1, 0.2, 0.4, 0.5]}
    judged = cast(Any, dict.fromkeys(("", "qrels"), SimpleNamespace(qrels=Qrels({"t": {"d": 1}}))))
    values = dict.fromkeys((("", "MAP"), ("qrels", "MAP")), np.zeros((4, 1)))
    run = result(board({"BLEU": [1, 2, 3, 4]}, measures))
    run = replace(run, retrieval={"": Retrieval(cast(Any, None), judged, {}, {}, values)})
    run = replace(run, experiment=replace(run.experiment, relevance={"": TopK(1), "qrels": TopK(2)}))
    (line,) = agreement_lines(run)
    assert line.endswith("tau between the two orders of the systems: MAP and MAP[qrels] 1.000 (over 3 of 4 systems)")


def test_long_lists_are_cut_with_their_count() -> None:
    assert first_names(["a", "b", "c"], most=2) == "a, b and 1 more"


FIRST = Qrels({"1": {"a": 1, "b": 2, "c": 0}, "2": {"a": 1}, "3": {"a": 0}, "4": {"a": 0}, "mine": {"a": 1}})
SECOND = Qrels({"3": {"a": 1}, "2": {"b": 1}, "1": {"b": 1, "c": 1, "d": 3}, "4": {"b": 0}, "theirs": {"a": 1}})


def test_overlap_of_relevant_sets_by_hand() -> None:
    """Topic 1: a b against b c d, one shared of four; 2: a against b; 3: none against a; 4: none on either side."""
    np.testing.assert_allclose(overlap(FIRST, SECOND), [1 / 4, 0, 0, np.nan])
    np.testing.assert_array_equal(overlap(FIRST.only(["1", "2"]), FIRST), [1, 1])
    assert overlap(Qrels({}), SECOND).shape == (0,)


def test_sizes() -> None:
    assert sizes(world(n=3), 7, 1) == "3 systems, 30 topics, 60 segments; 7 samples, seed 1."
    assert sizes(scores_only([[1]], [[1]])) == "1 systems, scores only."


def test_systems_table_has_metadata_metrics_then_measures() -> None:
    board = Scoreboard(
        ("s1", "s2"),
        (
            Column("MAP", "measure", np.array([0.5, np.nan])),
            Column("BLEU", "metric", np.array([10.0, 20.0])),
            Column("COMET", "metric", np.array([0.8, 0.7])),
        ),
        {"step": ("1", "2")},
    )
    table = systems_table(board)
    assert table.header == ("system", "step", "BLEU", "COMET", "MAP")
    hole = pytest.approx(np.nan, nan_ok=True)
    assert list(table.values()) == [["s1", "1", 10.0, 0.8, 0.5], ["s2", "2", 20.0, 0.7, hole]]
    assert [cell.best for row in table.rows for cell in row[2:]] == [False, True, True, True, False, False]
    assert [column.format for column in table.columns[2:]] == ["score", "number", "number"], "BLEU is on 0 to 100"


def test_what_metrics_add_to_what_is_known_is_a_table_too() -> None:
    size = np.repeat(np.arange(8.0), 4)
    quality = np.random.default_rng(1).normal(size=32)
    made = result(
        board(
            {"Sees": (size + quality).tolist(), "Blind": (size + quality[::-1]).tolist()},
            {"MAP": (size + quality).tolist()},
            {"training_lines": [f"{1000 * value:.0f}" for value in size]},
        )
    )
    assert all_tables(made) == ()
    (table,) = all_tables(replace(made, experiment=replace(made.experiment, given=("training_lines",))))
    assert table.name == "given"
    rows = [dict(zip(table.header, row, strict=True)) for row in table.rows]
    assert [(row["measure"], row["metric"], row["method"], row["pairs"]) for row in rows] == [
        ("MAP", "Sees", "strata", 8 * 6),
        ("MAP", "Blind", "strata", 8 * 6),
    ]
    assert (rows[0]["tau"], rows[0]["p_value"] < 0.01) == (1, True)
    assert abs(rows[1]["tau"]) < 0.5


@pytest.fixture
def folder(small_texts: Path, tmp_path: Path) -> Path:
    shutil.copytree(small_texts, tmp_path / "mine")
    for name in ("copy.txt", "every7.docx"):
        shutil.copy(tmp_path / "mine" / "reference.txt", tmp_path / "mine" / "systems" / name)
    rows = ["system\tmetric\tscore", *(f"every{n}\tMetricX\t{n}" for n in (2, 3, 5, 9)), "every2\tbleu-all\t3"]
    (tmp_path / "mine" / "official-metrics.tsv").write_text("\n".join(rows) + "\n")
    return tmp_path / "mine"


def test_what_is_used_and_left_out_is_in_three_lines_and_in_the_results(folder: Path, cli: Cli) -> None:
    keys = ("topics.n=8", "relevance.k=2", "systems.exclude=[every9]", "hydra.run.dir=run")
    done = cli.succeed(f"folder={folder}", *keys)
    first, second, third, blank, *_ = done.stdout.split("\n")
    assert first.startswith("Languages: en (by the texts); analyser: english; 10 documents (docs.tsv); topics: 8 (rare")
    left_out = "every9 (systems.include, systems.exclude), systems/every7.docx (no .txt, .txt.gz or .jsonl), copy ("
    assert second == f"Systems: 3; left out: {left_out}copies the reference; keep_copies=true)."
    found = ("systems=pattern", f"systems.pattern={folder}/systems/e%system%.txt", f"folder={folder}", "check=true")
    assert cli(*found, *keys[:2]).stdout.split("\n")[1] == "Systems: 4; left out: copy (systems= takes others)."
    computed = "BLEU, chrF1, chrF2, MacroF1, MicroF1"
    assert third.startswith(
        f"Scores computed: {computed}; read: MetricX; not used: bleu-all (clirbench has its own). Groups: "
    )
    assert blank == ""
    made = cb.load(cli.cwd / "run").results["set_up"]
    assert (made["languages"], made["analyzer"], made["documents"]) == ("en", "english", 10)
    assert (made["systems"], made["scores"]) == (["every2", "every3", "every5"], ["MetricX"])
    for name in ("report.md", "report.html"):
        title = f"{folder.parent.name}/mine: which MT metric orders the systems as retrieval does?"
        assert title in (cli.cwd / "run" / name).read_text(encoding="utf-8")
    checked = cli(f"folder={folder}", *keys[:-1], "check=true")
    assert checked.stdout.split("\n")[:3] == [first, second, third]


KEYS = "units=COLUMN takes another column, units=none each system by itself"


@pytest.mark.parametrize(
    ("metadata", "groups"),
    [
        ("step\n1\n2\n3\n4", f"1, by the column step ({KEYS})"),
        ("kind\na\nb\nc\nd", "none (units=COLUMN says which systems belong together)"),
        ("family\na\na\nb\nb", "2, by the column family (units=family)"),
    ],
)
def test_groups_are_named_with_their_column_and_key(folder: Path, cli: Cli, metadata: str, groups: str) -> None:
    cells = zip(("system", "every2", "every3", "every5", "every9"), metadata.split("\n"), strict=True)
    (folder / "systems.tsv").write_text("".join("\t".join(row) + "\n" for row in cells))
    keys = ("topics.n=8", "relevance.k=2", "hydra.run.dir=run", *(["units=family"] if "family" in metadata else []))
    done = cli.succeed(f"folder={folder}", *keys)
    assert done.stdout.split("\n")[2].endswith(f" Groups: {groups}.")
    assert cb.load(cli.cwd / "run").results["set_up"]["grouped_by"] == groups


@pytest.mark.parametrize("side", ["both", "test", "collection"])
def test_a_system_of_blank_lines_does_not_count_and_is_named(folder: Path, cli: Cli, tmp_path: Path, side: str) -> None:
    """More than half of 60 lines: 31 blank ones, with a space or without; with 30 a system counts."""
    where = [f"folder={folder}"]
    if side != "both":
        shutil.copytree(folder, tmp_path / "test")
        where.append(f"test_folder={tmp_path / 'test'}")
    emptied = tmp_path / "test" if side == "test" else folder
    lines = (folder / "systems" / "every9.txt").read_text().splitlines()
    for place in {folder, *([tmp_path / "test"] if side != "both" else [])}:
        for name, n in (("mostly", 31), ("half", 30)):
            blank = [" " if i % 2 else "" for i in range(n)] if place == emptied else lines[:n]
            (place / "systems" / f"{name}.txt").write_text("".join(f"{line}\n" for line in [*blank, *lines[n:]]))
    keys = (*where, "topics.n=8", "relevance.k=2", "systems.exclude=[copy]", "untranslated=true")
    done = cli.succeed(*keys, "hydra.run.dir=run")
    second = done.stdout.split("\n")[1]
    assert "mostly (31 of 60 lines are empty)" in second
    made = cb.load(cli.cwd / "run")
    assert made.results["set_up"]["systems_left_out"]["mostly"] == "31 of 60 lines are empty"
    counted = {*made.results["set_up"]["systems"]}
    assert "half" in counted
    assert "mostly" not in {*counted, *made.systems.index}
    assert "mostly is left out: 31 of 60 lines are empty" in made.results["warnings"]
    assert cli(*keys, "check=true").stdout.split("\n")[1] == second


def beginning(folder: Path, to: Path) -> Path:
    """The first 300 lines of a folder of WMT, and of three of its systems."""
    for path in (*folder.glob("*.txt.gz"), *sorted((folder / "systems").iterdir())[:3]):
        write_lines(to / path.relative_to(folder).with_suffix(""), TextFile(path).lines()[:300])
    return to


def test_a_german_folder_is_cut_as_german_without_being_told(shared_data: Path, tmp_path: Path) -> None:
    """The folder is called x, so that its texts alone tell: WMT22 French-German."""
    folder = beginning(shared_data / "wmt22" / "fr-de", tmp_path / "x")
    keys = {"metric": ["BLEU"], "measures": ["MAP"], "topics__n": 20, "paths__cache": tmp_path / "cache"}
    moved, stated = (cb.run("folder", folder=folder, **keys, **more) for more in ({}, {"languages": "fra-deu"}))
    assert moved.results["set_up"]["languages"] == "fr-de"
    assert moved.results["set_up"]["analyzer"] == "language de"
    assert moved.systems.equals(stated.systems)
    assert cb.run("folder", folder=folder, **keys, analyzer="english").systems.MAP.ne(moved.systems.MAP).any()


def test_components_know_the_language_too(shared_data: Path, tmp_path: Path) -> None:
    folder, keys = str(beginning(shared_data / "wmt22" / "en-zh", tmp_path / "en-zh")), {"measures": ["RBO(p=0.9)"]}
    ours = cb.run(corpus=cb.corpora.Folder(folder), paths__cache=tmp_path / "a", **keys)
    theirs = cb.run("folder", folder=folder, paths__cache=tmp_path / "a", **keys)
    assert ours.results["set_up"]["analyzer"] == theirs.results["set_up"]["analyzer"] == "language zh"
    assert ours.systems.equals(theirs.systems)
