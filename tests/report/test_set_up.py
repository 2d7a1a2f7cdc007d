"""The three lines before an answer: what was found in the data, and what was left out of it."""

import shutil
from pathlib import Path

import pytest

import clirbench as cb
from tests.conftest import Cli


@pytest.fixture
def folder(small_texts: Path, tmp_path: Path) -> Path:
    shutil.copytree(small_texts, tmp_path / "mine")
    shutil.copy(tmp_path / "mine" / "reference.txt", tmp_path / "mine" / "systems" / "copy.txt")
    rows = ["system\tmetric\tscore", *(f"every{n}\tMetricX\t{n}" for n in (2, 3, 5, 9)), "every2\tbleu-all\t3"]
    (tmp_path / "mine" / "official-metrics.tsv").write_text("\n".join(rows) + "\n")
    return tmp_path / "mine"


def test_what_is_used_and_left_out_is_in_three_lines_and_in_the_results(folder: Path, cli: Cli) -> None:
    keys = ("topics.n=8", "relevance.k=2", "systems.exclude=[every9]", "hydra.run.dir=run")
    done = cli(f"folder={folder}", *keys)
    assert done.returncode == 0, done.stderr
    first, second, third, blank, *_ = done.stdout.split("\n")
    assert first.startswith("Languages: en (by the texts); analyser: english; 10 documents (docs.tsv); topics: 8 (key")
    left_out = "every9 (systems.include, systems.exclude), copy (copies the reference; keep_copies=true)"
    assert second == f"Systems: 3; left out: {left_out}."
    assert third.startswith("Scores read: MetricX; not used: bleu-all (computed here). Groups: ")
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
    done = cli(f"folder={folder}", *keys)
    assert done.returncode == 0, done.stderr
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
    done = cli(*keys, "hydra.run.dir=run")
    assert done.returncode == 0, done.stderr
    second = done.stdout.split("\n")[1]
    assert "mostly (31 of 60 lines are empty)" in second
    made = cb.load(cli.cwd / "run")
    assert made.results["set_up"]["systems_left_out"]["mostly"] == "31 of 60 lines are empty"
    counted = {*made.results["set_up"]["systems"]}
    assert "half" in counted
    assert "mostly" not in {*counted, *made.systems.index}
    assert "mostly is left out: 31 of 60 lines are empty" in made.results["warnings"]
    assert cli(*keys, "check=true").stdout.split("\n")[1] == second


def test_a_german_folder_is_cut_as_german_without_being_told(shared_data: Path, tmp_path: Path) -> None:
    """The folder is called x, so that its texts alone tell: WMT22 French-German."""
    shutil.copytree(shared_data / "wmt22" / "fr-de", tmp_path / "x")
    keys = {"metric": ["BLEU"], "measures": ["MAP"], "topics__n": 20, "paths__cache": tmp_path / "cache"}
    moved, stated = (cb.run("folder", folder=tmp_path / "x", **keys, **more) for more in ({}, {"languages": "fra-deu"}))
    assert moved.results["set_up"]["languages"] == "fr-de"
    assert moved.results["set_up"]["analyzer"] == "language de"
    assert moved.systems.equals(stated.systems)
    assert cb.run("folder", folder=tmp_path / "x", **keys, analyzer="english").systems.MAP.ne(moved.systems.MAP).any()


def test_components_know_the_language_too(shared_data: Path, tmp_path: Path) -> None:
    folder, keys = str(shared_data / "wmt22" / "en-zh"), {"measures": ["RBO(p=0.9)"]}
    ours = cb.run(corpus=cb.corpora.Folder(folder), paths__cache=tmp_path / "a", **keys)
    theirs = cb.run("folder", folder=folder, paths__cache=tmp_path / "a", **keys)
    assert ours.results["set_up"]["analyzer"] == theirs.results["set_up"]["analyzer"] == "language zh"
    assert ours.systems.equals(theirs.systems)
