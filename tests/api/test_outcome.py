"""An outcome: its tables are the files, a loaded one is the same as one that was run, and two are compared."""

import copy
import json
import pickle
from pathlib import Path

import jsonschema
import pandas as pd
import pytest

import clirbench as cb
from clirbench.commands.compare import main
from clirbench.errors import InputError, UnknownName
from tests.conftest import PACKAGE

SCHEMA = json.loads((PACKAGE / "clirbench/data/results.schema.json").read_text())


@pytest.fixture(params=["published", "texts"])
def outcome(request: pytest.FixtureRequest) -> cb.Outcome:
    return request.getfixturevalue(request.param)


def test_a_loaded_run_is_the_run(outcome: cb.Outcome, tmp_path: Path) -> None:
    loaded = cb.load(outcome.save(tmp_path / "run"))
    assert list(loaded.tables) == list(outcome.tables)
    for name in outcome.tables:
        pd.testing.assert_frame_equal(loaded.tables[name], outcome.tables[name], check_exact=True)
    assert loaded.answer == outcome.answer
    assert loaded._repr_html_() == outcome._repr_html_()
    assert loaded.results == outcome.results
    files = loaded.provenance["files"]  # sums of what `save` wrote: an outcome in memory has no files
    assert loaded.provenance == {**outcome.provenance, "files": files}
    assert files


def pickled(outcome: cb.Outcome) -> cb.Outcome:
    read: cb.Outcome = pickle.loads(pickle.dumps(outcome))  # noqa: S301 - what was written here
    return read


def test_an_outcome_goes_through_pools_of_processes_and_caches(outcome: cb.Outcome, tmp_path: Path) -> None:
    """Pickled and copied, also one that is loaded or of `check=True`: the same tables, and the same folder."""
    loaded = cb.load(outcome.save(tmp_path / "run"))
    for number, found in enumerate((pickled(outcome), copy.deepcopy(outcome), copy.copy(loaded))):
        assert found.answer == outcome.answer
        for name in outcome.tables:
            pd.testing.assert_frame_equal(found.tables[name], outcome.tables[name], check_exact=True)
        saved = found.save(tmp_path / str(number))
        for file in ("results.json", "paper.md", *(f"{name}.tsv" for name in outcome.tables)):
            assert (saved / file).read_bytes() == (tmp_path / "run" / file).read_bytes()
    assert pickled(loaded).findings == outcome.findings
    checked = cb.run("demo", check=True)
    assert pickled(checked).answer == checked.answer


def test_results_follow_the_published_schema(outcome: cb.Outcome) -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    jsonschema.validate(outcome.results, SCHEMA)
    assert {*outcome.results, "objective"} == set(SCHEMA["properties"])  # which is there where it is asked for
    assert len(outcome.results["correlations"]) == len(outcome.correlations)
    assert outcome.correlations.columns.tolist()[:4] == ["measure", "metric", "coefficient", "value"]
    assert set(outcome.correlations) < set(outcome.tables["correlations"])
    for name, table in outcome.results["tables"].items():
        assert table["columns"] == list(outcome.tables[name].columns)


def test_a_table_that_is_not_there_is_named(published: cb.Outcome) -> None:
    for ask in (lambda: published.per_topic, lambda: published.plot("MAP", "BLUE")):
        with pytest.raises(UnknownName, match="Choices: "):
            ask()
    with pytest.raises(UnknownName, match=r"unknown table of this run 'system'. Did you mean 'systems'.* Choices: "):
        published.tables["system"]
    assert published.tables.get("typo") is None
    assert "typo" not in published.tables


def test_columns_that_are_true_or_false_are_boolean(texts: cb.Outcome, published: cb.Outcome, tmp_path: Path) -> None:
    for found in (texts, published, cb.load(texts.save(tmp_path / "run"))):
        rows, said = found.tables["correlations"], found.results["correlations"]
        assert str(rows.significant.dtype) == "boolean"
        words = {"true": True, "false": False, "undefined": None}
        assert [None if pd.isna(cell) else bool(cell) for cell in rows.significant] == [
            words[row["significant"]] for row in said
        ]
        assert len(rows[rows.significant.fillna(False)]) == sum(row["significant"] == "true" for row in said)
    assert texts.decision[texts.decision.in_set].system.tolist()[0] == texts.decision.system[0]
    assert texts.tables["picks"].tied.dtype == texts.decision.in_set.dtype == "boolean"
    assert str(cb.compare(texts, tmp_path / "run")) == str(cb.compare(texts, texts))


def test_warnings_reach_whoever_asks_in_python(small_texts: Path) -> None:
    keys = {"metric": ["BLEU"], "measures": ["MAP"], "topics__n": 8, "relevance__k": 1000, "engine": "serial"}
    with pytest.warns(cb.RunWarning, match="relevance: more than half of the documents that match") as raised:
        found = cb.run("folder", folder=small_texts, **keys)
    assert [str(one.message) for one in raised] == found.warnings == found.results["warnings"]
    assert {one.filename for one in raised} == {__file__}
    assert f"warning: {found.warnings[0]}" in repr(found)
    assert f"<p>warning: {found.warnings[0]}</p>" in found._repr_html_()


@pytest.mark.parametrize(
    "content", ["", "a\tb\n1\t2\n", "system\nx\n", "\0\0", "system\tBLEU\nA\n", '"', "system\tBLEU\nA\tx\n"]
)
def test_a_table_with_other_content_is_an_error_of_ours(published: cb.Outcome, tmp_path: Path, content: str) -> None:
    folder = published.save(tmp_path / "run")
    (folder / "systems.tsv").write_text(content, encoding="utf-8")
    for ask in (lambda: cb.load(folder).systems, lambda: cb.load(folder).plot("MAP", "BLEU")):
        with pytest.raises(InputError, match=r"systems\.tsv"):
            ask()


def test_a_plot_shows_every_system(texts: cb.Outcome, published: cb.Outcome) -> None:
    ax, turned = texts.plot("MAP", "BLEU"), texts.plot("BLEU", "MAP")
    assert (ax.get_xlabel(), ax.get_ylabel()) == (turned.get_xlabel(), turned.get_ylabel()) == ("BLEU", "MAP")
    (dots,) = ax.collections
    assert dots.get_offsets().tolist() == texts.systems[["BLEU", "MAP"]].to_numpy().tolist()
    assert published.plot("RBO", "MacroF1", ax=ax) is ax
    assert ax.get_title().startswith("tau .867")
    assert ax.get_legend().get_title().get_text() == "training_lines"


def test_an_undefined_number_of_a_first_view_has_its_reason(texts: cb.Outcome, published: cb.Outcome) -> None:
    small = cb.correlate(
        pd.DataFrame({"system": list("abcd"), "BLEU": [1, 2, 3, 4], "TER": [1] * 4, "MAP": [1, 3, 2, 4]}),
        measures=["MAP"],
    )
    checked = 0
    for found in (texts, published, small):
        views = [found.correlations, *(found.tables[name] for name in ("decision", "picks") if name in found.tables)]
        for view in views:
            undefined = view[view.drop(columns="note").select_dtypes("number").isna().any(axis=1)]
            assert undefined.note.astype(bool).all(), undefined
            checked += len(undefined)
    assert checked


def test_the_same_differences_as_on_the_command_line(
    published: cb.Outcome, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = cb.run("europarl_csen_published", correlation__p_value="exact", scores__ignore=["MicroF1"])
    found = cb.compare(published, other)
    folders = [run.save(tmp_path / name) for name, run in (("a", published), ("b", other))]
    assert cb.compare(*folders).table.equals(found.table)
    capsys.readouterr()
    main([*map(str, folders), "--rows", "10000", "--html", str(tmp_path / "theirs.html")])
    said = capsys.readouterr().out
    assert found.verdict in said
    assert len(found.table) == sum(line.count("\t") == 5 for line in said.splitlines()) - 1
    assert set(found.table.columns) == {"part", "what", "first", "second", "difference", "unequal"}
    assert ("signatures", "MicroF1") in set(zip(found.table.part, found.table.what, strict=True))
    page = found.write_html(tmp_path / "ours.html")
    assert "MicroF1" in page.read_text()
    assert "numbers differ" in found._repr_html_()
