"""Texts that Python holds are read as the same texts in a folder are."""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import clirbench as cb
from tests.api.test_running import differing

KEYS: dict[str, Any] = {"metric": ["BLEU", "TER"], "measures": ["MAP", "RBO"], "topics__n": 12, "relevance__k": 2}
LINES = ["dogs chase cats", "cats chase mice", "mice eat cheese", "people eat cheese"]
# They name the folder, or say when and by what a run was made.
TOLD = {"provenance.json", "manifest.json", "report.html", "report.md", "paper.md", "events.jsonl", "plan.tsv"}


def held(folder: Path) -> dict[str, Any]:
    """The texts of a folder as a user of Python has them."""
    read = {path: path.read_text(encoding="utf-8").splitlines() for path in folder.rglob("*.t*")}
    return {
        "texts": {path.stem: lines for path, lines in sorted(read.items()) if path.parent.name == "systems"},
        "references": read[folder / "reference.txt"],
        "source": read[folder / "source.txt"],
        "documents": [line.split("\t")[1] for line in read[folder / "docs.tsv"][1:]],
    }


def test_texts_give_what_their_folder_gives(small_texts: Path, tmp_path: Path) -> None:
    """Table by table, and from the store: what has the same content is not computed again."""
    keys = {**KEYS, "paths__cache": tmp_path / "cache"}
    theirs = cb.run(folder=small_texts, **keys)
    ours = cb.run(**held(small_texts), **keys)
    assert ours.answer == theirs.answer
    assert differing(ours.save(tmp_path / "ours"), theirs.save(tmp_path / "theirs")) <= TOLD | {"results.json"}
    assert {name for name, one in ours.results.items() if one != theirs.results[name]} <= {"set_up"}
    kept = [event for event in cb.events(tmp_path / "ours") if event.get("event") == "kept"]
    assert {event["kept"] - event["items"] for event in kept} == {0}
    assert 4 in {event["items"] for event in kept}
    command = ours.provenance["command"]
    assert (command[0], command[-1]) == ("made in Python", "corpus=texts of 4 systems, 60 lines")


def test_frames_and_several_references(small_texts: Path, tmp_path: Path) -> None:
    given, folder = held(small_texts), tmp_path / "two"
    shutil.copytree(small_texts, folder)
    for name, lines in (("A", given["references"]), ("B", given["texts"]["every9"])):
        (folder / f"reference-{name}.txt").write_text("\n".join([*lines, ""]), encoding="utf-8")
    (folder / "reference.txt").unlink()
    theirs = cb.run(folder=folder, references=["A", "B"], **KEYS)
    rows = [(at, name, line) for name, lines in given["texts"].items() for at, line in enumerate(lines, start=1)]
    frame = pd.DataFrame(rows, columns=["segment", "system", "text"]).sample(frac=1, random_state=1)
    two = [given["references"], given["texts"]["every9"]]
    polars = pytest.importorskip("polars", reason="POLARS ABSENT: its frames are not tested")
    pa = pytest.importorskip("pyarrow", reason="PYARROW ABSENT: its arrays are not tested")
    for texts, references in (
        (frame, {"A": two[0], "B": pd.Series(two[1])}),
        (polars.DataFrame(frame.to_dict("list")), two),
        ({name: folder / "systems" / f"{name}.txt" for name in given["texts"]}, two),
        ({name: [f"{line}\n" for line in lines] for name, lines in given["texts"].items()}, two),
        ({name: pa.array(lines) for name, lines in given["texts"].items()}, map(pa.array, two)),
    ):
        found = cb.run(**{**given, "texts": texts, "references": references}, **KEYS)
        pd.testing.assert_frame_equal(found.systems, theirs.systems)
        assert found.correlations.equals(theirs.correlations)


def frame(**columns: list[Any]) -> pd.DataFrame:
    return pd.DataFrame({"system": ["A", "A"], "segment": [1, 2], "text": ["x", "y"]} | columns)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: cb.run(texts=["a", "b"], references=LINES), r"^texts: .*; give texts=\{'A'"),
        (lambda: cb.run(texts={}, references=LINES), r"^texts: .* was expected, not \{\}"),
        (lambda: cb.run(texts={"A": LINES}), r"^texts: .* is missing, references=\[line, ...\]"),
        (lambda: cb.run(texts={"A": "a b"}, references=LINES), r"^texts\['A'\]: a list of lines was expected"),
        (lambda: cb.run(texts={"A": ["x", None]}, references=LINES), r"^texts\['A'\]: line 2 is None.*fillna\(''\)"),
        (lambda: cb.run(texts={"A": LINES}, reference=LINES), "^reference: references is meant"),
        (lambda: cb.run(scores=frame()), r"^scores: scores of a DataFrame are cb.correlate\(df, measures="),
        (lambda: cb.run(None), r"^run: None names no experiment and no folder; give cb.run\('DIR'\)"),  # type: ignore[arg-type]
        (lambda: cb.load("no/such"), "^no/such: no such folder"),
        (lambda: cb.run(texts={"A": LINES[1:]}, references=LINES), r"texts\['A'\] has 3 lines, references has 4"),
        (lambda: cb.run(texts={"A": LINES}, references=LINES, source=["x"]), "^source has 1 line, references has 4"),
        (lambda: cb.run(texts={"A": LINES}, references=LINES, documents=["d"]), "^documents has 1 line, references"),
        (lambda: cb.run(texts={"A": LINES}, references=LINES, documents=list("abab")), "^documents: .* contiguous"),
        (lambda: cb.run(texts={"A": LINES}, references=["", *LINES[1:]]), "^references: empty lines .*: 1"),
        (lambda: cb.run(texts={"A": LINES}, references={"A": LINES, "B": LINES[1:]}), r"^references\['B'\] has 3"),
        (lambda: cb.run(texts={"A": LINES}, references=LINES, folder="d"), "^texts and folder: one of the two"),
        (lambda: cb.run("demo", texts={"A": LINES}, references=LINES), "'demo' has texts of its own"),
        (
            lambda: cb.run(systems={"A": [*map("a b c d {}".format, LINES)]}, refs=LINES),
            "^systems: lines are given as texts=",
        ),
        (lambda: cb.run(texts={"a\tb": LINES}, references=LINES), "^texts: system .* control character"),
        (lambda: cb.run(texts=frame().drop(columns="text"), references=LINES), "^texts: no column text; columns"),
        (lambda: cb.run(texts=frame().rename(columns={"text": "txt"}), references=LINES), r"\{'txt': 'text'\}"),
        (
            lambda: cb.run(texts={"A": ["a\nb", *LINES[2:]]}, references=LINES),
            r"texts\['A'\] .its line 1 has a line br",
        ),
        (lambda: cb.run(texts={"A": LINES}, references=[[line] for line in LINES]), r"\[\*zip\(\*references\)\]"),
        (lambda: cb.run(texts=frame(segment=[1, 1]), references=LINES), "^texts: system 'A' has segment 1 twice"),
        (lambda: cb.run(texts=frame(system=["A", "B"]), references=LINES), "^texts: system 'A' has no segment 2"),
    ],
)
def test_wrong_texts_are_told_by_the_argument(call: Callable[[], object], said: str) -> None:
    with pytest.raises(cb.ClirbenchError, match=said):
        call()


def test_a_second_reference_in_another_language_is_not_asked(small_texts: Path) -> None:
    given = held(small_texts)
    german = [f"Der Ausschuss hat heute den Bericht {at} angenommen, und wir danken allen dafür." for at in range(60)]
    for second, asked in ((german, []), (given["texts"]["every9"], ["B"])):
        made = cb.run(texts=given["texts"], references=[given["references"], second], **KEYS)
        assert made.results["set_up"]["references_asked"] == asked
