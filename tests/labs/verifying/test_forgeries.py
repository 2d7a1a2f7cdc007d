"""Folders that somebody has changed and sealed again: none is verified without a line that names what is not checked.

One run of texts with names that differ in numbers alone, and one whose scores were imported, are made once and computed
again once; each forgery is a change of a copy. Expected: 4 where the change is to what follows from inputs, else 0 with
its name printed, or 5.
"""

import json
import re
import shutil
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from platform import python_version
from typing import Any

import pytest

import clirbench as cb
from clirbench.files.run_files import MANIFEST, is_free, seal
from tests.conftest import put as write
from tests.labs.verifying.sent_folders import Verifier

NAMES = {"every2": "opus-1.1", "every3": "opus-1.10", "every5": "opus-2.0", "every9": "opus-2.00"}
SETTINGS: dict[str, Any] = {
    "metric": ["chrF2"], "measures": ["RBO"], "topics__n": 5, "relevance__k": 3, "engine": "serial",
}  # fmt: skip
Change = Callable[[Path], object]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory, small_texts: Path) -> Path:
    """Two runs, `texts` and `imported`: scores.tsv has BLEU = 100 * RBO, and human scores."""
    home = tmp_path_factory.mktemp("forged")
    for name in ("texts", "imported"):
        folder = Path(shutil.copytree(small_texts, home / f"of-{name}"))
        for old, new in NAMES.items():
            (folder / "systems" / f"{old}.txt").rename(folder / "systems" / f"{new}.txt")
    run("texts", home)
    rbo: dict[str, float] = {str(name): value for name, value in cb.load(home / "texts").systems["RBO"].items()}
    (home / "of-imported" / "scores.tsv").write_text(
        "system\tBLEU\thuman\n" + "".join(f"{name}\t{100 * value}\t{value / 2}\n" for name, value in rbo.items())
    )
    run("imported", home)
    for name, value in rbo.items():
        (home / "of-texts" / f"{name}.scores").write_text(f"{value}\n" * 60)
    scores: dict[str, Any] = {"metric": ["chrF2", "ScoreFile"], "metric__ScoreFile__name": "BLEU"}
    run("files", home, "texts", metric__ScoreFile__path=str(home / "of-texts" / "{system}.scores"), **scores)
    run("people", home, "imported", scores__ignore=["BLEU"], title="checked by the organisers")
    return home


def run(name: str, home: Path, of: str = "", **settings: Any) -> None:
    folder = home / f"of-{of or name}"
    cb.run("folder", folder=folder, paths__cache=home / "cache", **{**SETTINGS, **settings}).save(home / name)


def edit(name: str, old: str, new: str, count: int = 1) -> Change:
    """Replace a pattern in a file, which has it."""

    def change(folder: Path) -> None:
        text = (folder / name).read_text(encoding="utf-8")
        assert re.search(old, text), (name, old)
        (folder / name).write_text(re.sub(old, new, text, count=count), encoding="utf-8")

    return change


def put(name: str, text: str = "checked by the organisers\n") -> Change:
    return lambda folder: write(folder / name, text)


def set_in(name: str, **values: Any) -> Change:
    def change(folder: Path) -> None:
        held = json.loads((folder / name).read_text(encoding="utf-8"))
        (folder / name).write_text(json.dumps({**held, **values}), encoding="utf-8")

    return change


def everywhere(old: str, new: str) -> Change:
    """Replace a text in every table and page."""

    def change(folder: Path) -> None:
        for path in folder.rglob("*"):
            if path.suffix in (".tsv", ".md", ".html", ".tex", ".json", ".svg") and path.name != MANIFEST:
                path.write_text(path.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")

    return change


def swap_names(folder: Path) -> None:
    """opus-1.1 and opus-1.10 in every table and page."""
    for old, new in (("opus-1.10", "\0"), ("opus-1.1", "opus-1.10"), ("\0", "opus-1.1")):
        everywhere(old, new)(folder)


def read_less(folder: Path) -> None:
    read = json.loads((folder / "provenance.json").read_text(encoding="utf-8"))["read"]
    set_in("provenance.json", read={path: sha for path, sha in read.items() if "opus-2.00" not in path})(folder)


def folder_for_plan(folder: Path) -> None:
    (folder / "plan.tsv").unlink(missing_ok=True)
    put("plan.tsv/answer.txt")(folder)


def link(folder: Path) -> None:
    (folder / "more.tsv").symlink_to(folder / "systems.tsv")


def reseal(folder: Path) -> None:
    """Make the hashes of provenance.json, the marker and the seal again, as the one who forged has the program too."""
    recorded = json.loads((folder / "provenance.json").read_text(encoding="utf-8"))
    tables = [path for path in folder.rglob("*") if path.is_file() and path.suffix in (".tsv", ".run", ".txt", ".tex")]
    names = {path.relative_to(folder).as_posix(): path for path in tables if "plan.tsv" not in path.parts}
    kept = {name: sha256(path.read_bytes()).hexdigest() for name, path in names.items() if name[0] != "."}
    if recorded["files"]:
        set_in("provenance.json", files=dict(sorted(kept.items())))(folder)
    tops = {path.name for path in folder.iterdir() if path.name[0] != "."} - {"plan.tsv", "events.jsonl", "previous-1"}
    (folder / ".clirbench").write_text("".join(f"{name}\n" for name in sorted(tops)))
    version = json.loads((folder / MANIFEST).read_text())["clirbench"]
    (folder / MANIFEST).unlink()
    aside = [path for path in folder.iterdir() if is_free(path.name) or path.is_symlink()]
    for path in aside:
        path.rename(folder.parent / f"aside-{path.name}")
    seal(folder, folder, version, recorded["read"])
    for path in aside:
        (folder.parent / f"aside-{path.name}").rename(path)


FORGERIES: dict[str, tuple[str, Change, int, str]] = {
    "nothing": ("texts", lambda folder: None, 0, "These tables follow from these texts"),
    "names that differ in decimals": ("texts", swap_names, 4, "opus-1.1"),
    "a number in a picture": ("texts", edit("figures/RBO.svg", "tau 1.000", "tau .900"), 4, "figures/RBO.svg"),
    "a cell of systems": ("texts", edit("systems.tsv", r"\t0\.\d\d", "\t0.12"), 4, "systems.tsv"),
    "a cell of correlations": ("texts", edit("correlations.tsv", "kendall\t[^\t]*", "kendall\t1.5"), 4, "correlations"),
    "the answer": ("texts", edit("results.json", '"answer": "', '"answer": "Sure: '), 4, "results.json: answer"),
    "the answer in report.md": ("texts", edit("report.md", "chrF2", "COMET"), 4, "report.md"),
    "the answer in report.html": ("texts", edit("report.html", "chrF2", "COMET"), 4, "report.html"),
    "the answer in paper.md": ("texts", edit("paper.md", "chrF2", "COMET"), 4, "paper.md"),
    "judgments": ("texts", edit("trec/qrels.txt", " 1\n", " 0\n"), 4, "trec/qrels.txt"),
    "a run less": ("texts", lambda folder: (folder / "trec" / "opus-2.0.run").unlink(), 4, "is missing"),
    "a file more": ("texts", put("trec/mine.run", "1 Q0 a 1 1.0 mine\n"), 4, "trec/mine.run"),
    "an empty folder": ("texts", lambda folder: (folder / "checked by the organisers").mkdir(), 4, "checked by"),
    "a folder in place of the plan": ("texts", folder_for_plan, 4, "plan.tsv"),
    "a file more of Hydra": ("texts", put(".hydra/answer.txt"), 4, ".hydra/answer.txt"),
    "a link": ("texts", link, 4, "more.tsv"),
    "another seed": ("texts", set_in("provenance.json", seed=7), 4, "seed"),
    "another signature": ("texts", set_in("provenance.json", signatures={"chrF2": "mine"}), 4, "signatures.chrF2: "),
    "an input less": ("texts", read_less, 4, "provenance.json: read"),
    "findings of another kind": ("texts", set_in("results.json", findings="text"), 4, "'findings' is no list"),
    "another version of the seal": ("texts", set_in("manifest.json", clirbench="9"), 4, "json: clirbench: is another"),
    "another Unicode": (
        "texts",
        set_in("provenance.json", unicode="3.2.0"),
        0,
        "made with Unicode 3.2.0, checked with",
    ),
    "a table that the inputs do not give": (
        "texts",
        put("baseline.tsv"),
        4,
        "baseline.tsv: the inputs do not give this",
    ),
    "a key of nobody": ("texts", set_in("provenance.json", remarks="checked"), 4, "provenance.json: remarks"),
    "hashes of nothing": ("texts", set_in("provenance.json", files={}), 4, "provenance.json: files"),
    "a word of the command": ("texts", edit("provenance.json", r"topics\.n=5", "topics.n=6"), 4, "do not follow"),
    "the configuration": ("texts", edit("results.json", '"name": "chrF2"', '"name": "COMET"'), 4, "results.json"),
    "settings of Hydra": ("texts", put(".hydra/config.yaml"), 0, ".hydra/config.yaml"),
    "the journal": ("texts", put("events.jsonl", '{"event": "answer", "text": "COMET"}\n'), 0, "events.jsonl"),
    "the plan": ("texts", put("plan.tsv"), 0, "plan.tsv"),
    "an earlier run": ("texts", put("previous-1/report.md"), 0, "previous-1"),
    "a hidden file": ("texts", put(".answer"), 0, ".answer"),
    "another machine": ("texts", everywhere(python_version(), "9.9"), 0, "python"),
    "scores that were imported": ("imported", lambda folder: None, 0, "not computed: BLEU, human"),
    "scores of segments": ("files", lambda folder: None, 0, "not computed: BLEU"),
    "such scores, changed": ("imported", edit("systems.tsv", r"\t(\d)(\d)\.", r"\t\g<2>9."), 4, "systems.tsv"),
    "scores of people": ("people", lambda folder: None, 0, "not computed: human"),
    "a title": ("people", lambda folder: None, 0, "checked by the organisers"),
}
"""What is changed: of which run, how, the exit status, and what a line says."""


@pytest.fixture(scope="module")
def verifier(made: Path) -> Verifier:
    return Verifier(made)


@pytest.mark.parametrize("name", FORGERIES)
def test_a_forged_folder_is_refused_or_what_is_not_checked_is_named(
    name: str, made: Path, verifier: Verifier, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    of, change, expected, said = FORGERIES[name]
    folder = Path(shutil.copytree(made / of, tmp_path / "run"))
    change(folder)
    reseal(folder)
    status = verifier(folder, monkeypatch)
    shown = capsys.readouterr().out
    assert (status, said in shown) == (expected, True), shown
