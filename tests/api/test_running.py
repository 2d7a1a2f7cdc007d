"""Runs from Python give what the command line writes, file for file."""

import json
import re
import threading
import warnings
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from omegaconf import OmegaConf

import clirbench as cb
from clirbench.api.running import quote_value, recorded
from clirbench.commands.rerun import read_provenance
from clirbench.configuration.composing import compose_configuration
from clirbench.errors import ClirbenchError, InputError, StoreError, UnknownName
from clirbench.files.run_files import EVENTS, Journal
from clirbench.metrics.segments import SegmentMean
from tests.conftest import PACKAGE, Cli

# The two say when they were made, and by which command.
TIMES = {"provenance.json", "manifest.json", "report.html", "events.jsonl"}


def contents(folder: Path) -> dict[str, bytes]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def differing(first: Path, second: Path) -> set[str]:
    a, b = contents(first), contents(second)
    assert a.keys() == b.keys()
    return {name for name in a if a[name] != b[name]}


def test_score_tables_are_written_as_the_command_line_writes_them(published: cb.Outcome, cli: Cli) -> None:
    saved = published.save(cli.cwd / "saved")
    cli.succeed("+experiment=europarl_csen_published", "output.tables=[tsv,parquet]", "hydra.run.dir=written")
    assert differing(saved, cli.cwd / "written") - TIMES <= {"plan.tsv"}


def test_a_folder_is_written_as_the_command_line_writes_it(texts: cb.Outcome, cli: Cli) -> None:
    saved = texts.save(cli.cwd / "saved")
    command = texts.provenance["command"][3:]
    cli.succeed(*command, "hydra.run.dir=written", f"paths.cache={Path('runs/.cache').resolve()}")
    assert differing(saved, cli.cwd / "written") <= TIMES | {"plan.tsv"}
    assert json.loads((saved / "results.json").read_text()) == texts.results


TEXTS = ["a b", 'say "x"', "C:\\x\\", '\\"', "${seed}", "a=b,c", "x~/y", "null", "", "7", "ä{b}", "it's", "\\\\\"'"]


@pytest.mark.parametrize("first", range(0, len(TEXTS), 4))
def test_any_text_reaches_the_configuration_as_it_is(first: int) -> None:
    each = dict(zip(("title", "name", "scores.title", "scores.mark"), TEXTS[first : first + 4], strict=False))
    cfg = compose_configuration(
        [*(f"{key}={quote_value(text)}" for key, text in each.items()), f"remarks={quote_value(TEXTS)}"]
    )
    assert {key: OmegaConf.select(cfg, key) for key in each} == each
    assert list(cfg.remarks) == TEXTS


@dataclass(frozen=True)
class Words(SegmentMean):
    """Words of the reference that the hypothesis has, in per cent."""

    name: str = "Words"
    higher_is_better: bool = True
    signature: str = "words"

    def segment_scores(self, hypotheses, test):  # type: ignore[no-untyped-def]
        pairs = zip(hypotheses, test.references[0], strict=True)
        return [100 * len(set(h.split()) & set(r.split())) / len(set(r.split())) for h, r in pairs]


def test_metric_takes_names_and_objects_alike(small_texts: Path) -> None:
    """A name has its settings and its place; `metric=["BLEU"], metrics=[obj]` dropped BLEU without a word."""
    named: dict[str, Any] = {"folder": small_texts, "measures": ["MAP"], "topics__n": 8, "relevance__k": 2}
    mixed = cb.run("folder", metric=[Words(), "chrF3", "BLEU"], metric__BLEU__lowercase=True, **named)
    names = [column["name"] for column in mixed.results["columns"] if column["role"] == "metric"]
    assert names == ["Words", "chrF3", "BLEU"]
    (bleu,) = [column["signature"] for column in mixed.results["columns"] if column["name"] == "BLEU"]
    assert "case:lc" in bleu
    parts = {"corpus": cb.corpora.Folder(str(small_texts)), "topics": cb.topics.KeyTerms(n=8), "measures": ["MAP"]}
    bare = cb.run(**parts, metric=[Words(), "chrF3"], relevance=cb.relevance.TopK(k=2))  # type: ignore[arg-type]
    assert bare.systems[["Words", "chrF3"]].equals(mixed.systems[["Words", "chrF3"]])
    assert "BLEU" not in bare.systems


def test_check_runs_nothing_and_lists_what_the_command_line_lists(
    small_texts: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def run(*_: object, **__: object) -> None:
        raise AssertionError("something was run")

    monkeypatch.setattr("clirbench.api.running.work", run)
    found = cb.run("folder", folder=small_texts, check=True, paths__cache=cli.cwd / "runs/.cache")
    printed = cli("+experiment=folder", f"folder={small_texts}", "check=true")
    assert sorted(found.answer.split("\n")) == sorted((printed.stdout + printed.stderr).strip().split("\n"))
    assert found.answer.endswith("nothing was run")
    assert capsys.readouterr().out == ""
    assert "nothing was run" in found._repr_html_()
    assert list(found.tables) == []
    with pytest.raises(UnknownName, match="correlations"):
        _ = found.correlations
    bare = cb.run(corpus=cb.corpora.Folder(str(small_texts)), metric=[Words()], check=True)
    assert bare.answer.endswith("nothing was run")


def test_a_class_without_a_file_is_computed_anew(tmp_path: Path) -> None:
    """A cell of a notebook that is run again may hold another class of the same name."""
    cell = "class Same(Words):\n    def segment_scores(self, hypotheses, test):\n        return [{}] * len(test)\n"
    scores = []
    for value in (1.0, 2.0):
        scope: dict[str, object] = {"Words": Words, "__name__": "notebook"}
        exec(cell.format(value), scope)
        r = cb.run("demo", metric=[scope["Same"]()], measures=[])  # type: ignore[operator]
        scores.append(set(r.systems.Words))
    assert scores == [{1.0}, {2.0}]


def test_a_dataframe_gives_what_its_file_gives(published: cb.Outcome) -> None:
    table = published.systems.rename_axis(None)
    names = ["MAP", "GMAP", "P@5", "P@10", "R@10", "RBO", "nDCG"]
    settings: dict[str, object] = {
        "correlation__p_value": "scipy",
        "scores__title": "published (Europarl)",
        "scores__metadata": ["training_lines", "bpe"],
        "scores__reference": dict.fromkeys(names, "none"),
        "primary": "MAP",
    }
    for df in (table, table.reset_index(names="system")):
        r = cb.correlate(df, measures=names, **settings)
        assert r.correlations.equals(published.correlations)
        assert r.answer == published.answer
    given = cb.correlate(table, names, given=["BLEU"], **settings)
    assert "BLEU" not in set(given.correlations.metric)
    assert "No metric is shown to add to BLEU" in given.answer


def test_a_run_that_only_python_can_do_again_says_so(tmp_path: Path) -> None:
    """No file for a moment is named: not in provenance.json, not on the page, not by `clirbench rerun`."""
    folder = cb.correlate(BASE, "MAP").save(tmp_path / "saved")
    provenance = folder / "provenance.json"
    made = json.loads(provenance.read_text())
    assert made["command"][:3] == ["made in Python", "+experiment=scores", 'scores.tables=["a DataFrame in Python"]']
    assert made["configuration"]["scores"]["tables"] == ["a DataFrame in Python"]
    assert list(made["read"]) == ["a DataFrame in Python"]
    assert not [path for path in folder.rglob("*") if path.is_file() and b"DataFrame.tsv" in path.read_bytes()]
    with pytest.raises(InputError, match=r"made in Python, from a DataFrame or components: .* only the Python code"):
        read_provenance(provenance)


BASE = pd.DataFrame({"BLEU": [20.1, 22.5, 30.2, 31.0], "MAP": [0.2, 0.3, 0.4, 0.5]}, index=list("abcd"))


@pytest.mark.parametrize(
    ("df", "said"),
    [
        ({"BLEU": [1.0]}, "a DataFrame of pandas, polars or pyarrow was expected, not builtins.dict"),
        (BASE.set_axis(pd.MultiIndex.from_product([["a", "b"], [1, 2]])), "2 levels of index"),
        (pd.concat({"x": BASE, "y": BASE}, axis=1), "2 levels of columns"),
        (BASE.set_axis(list("aabc")), "^the DataFrame: line 3: system 'a' stands on line 2 already"),
        (BASE.set_axis(["a", None, "c", "d"]), "^the DataFrame: line 3: column 'system' is empty"),
        (BASE.assign(chrF=pd.array([1, None, 2, 3], dtype="Int64")), "system 'b', column 'chrF': no number"),
        (BASE.assign(BLEU=[1, "x", 2, 3]), "'x' .system 'b'"),
        (BASE.assign(BLEU=list("xyxy")), "column 'BLEU': 4 of 4 cells are not a number: .*scores__metadata=..BLEU"),
        (BASE.set_axis(["MAP", "MAP"], axis=1), "columns stand twice: MAP"),
        (BASE.set_axis(["MAP", None], axis=1), "column 2 .from 0. has no name"),
        (BASE.rename(columns={"BLEU": 'BLEU"'}), "name with a quote is not read alike"),
        (BASE.assign(**{'a "b"': list("wxyz")}), "name with a quote is not read alike"),
        (BASE[:0], "no systems"),
        (pd.DataFrame(), "no column is called system"),
        (BASE.assign(**{"Unnamed: 0": range(4)}), "^the DataFrame: column 4 has no name, as row numbers that pandas"),
        (BASE.set_axis([*"abc", "mean"]), "row 'mean' is of no system"),
    ],
)
def test_a_dataframe_that_is_no_score_table_is_told(df: pd.DataFrame, said: str) -> None:
    with pytest.raises(ClirbenchError, match=said):
        cb.correlate(df, "MAP")


@pytest.mark.parametrize(
    ("df", "systems"),
    [
        (BASE.set_axis(list("aabc")).assign(System=list("wxyz")), "wxyz"),
        (BASE.rename_axis("BLEU"), "abcd"),
        (BASE.reset_index(names="name"), "abcd"),
        (BASE.assign(group=pd.Categorical(list("uuvv")), system=pd.Categorical(list("wxyz"))), "wxyz"),
        (BASE.set_axis([7, 8, 9, 10]), ["7", "8", "9", "10"]),
        (BASE.set_axis(['"', 'b"c', "d", "e"]), ['"', 'b"c', "d", "e"]),
    ],
)
def test_systems_are_found_where_a_dataframe_has_them(df: pd.DataFrame, systems: str) -> None:
    assert list(cb.correlate(df, "MAP").systems.index) == list(systems)


def test_frames_of_polars_and_pyarrow_give_what_a_frame_of_pandas_gives() -> None:
    rows = BASE.assign(TER=[60.5, None, 58, 50], group=["u", "u", None, "v"], step=[1, 2, 3, 4]).reset_index(
        names="system"
    )
    expected = cb.correlate(rows, "MAP", ["step"], scores__missing="hole")
    polars = pytest.importorskip("polars", reason="POLARS ABSENT: its frames are not tested")
    pyarrow = pytest.importorskip("pyarrow", reason="PYARROW ABSENT: its tables are not tested")
    cells = {name: [None if pd.isna(cell) else cell for cell in rows[name].tolist()] for name in rows}
    frames = [polars.DataFrame(cells), polars.DataFrame(cells).lazy(), pyarrow.table(cells)]
    for frame in frames:
        found = cb.correlate(frame, "MAP", ["step"], scores__missing="hole")
        assert found.answer == expected.answer
        pd.testing.assert_frame_equal(found.systems, expected.systems)
        pd.testing.assert_frame_equal(found.correlations, expected.correlations)
    with pytest.raises(InputError, match=r"no column is called system; .* df.rename\(.'NAME': 'system'.\)"):
        cb.correlate(frames[0].drop("system"), "MAP")
    with pytest.raises(InputError, match="the DataFrame: Expected unique column names, got: - 'MAP' 2 times; rename"):
        cb.correlate(frames[2].rename_columns(["system", "MAP", "MAP", "TER", "group", "step"]), "MAP")


def test_components_are_the_named_experiment(small_texts: Path, tmp_path: Path) -> None:
    """A second retriever, what is set beside objects, and what is not given."""
    parts: dict[str, Any] = {
        "corpus": cb.corpora.Folder(str(small_texts)),
        "systems": cb.systems.Files(),
        "topics": cb.topics.KeyTerms(n=8),
        "relevance": cb.relevance.TopK(k=2),
        "retrieval": {"": cb.retrieval.BM25(), "bm25s": cb.retrieval.BM25S()},
        "metric": [cb.metrics.ChrF(beta=3)],
    }
    keys: dict[str, Any] = {
        "topics": "keyterms",
        "topics__n": 8,
        "relevance__k": 2,
        "metric": ["chrF3"],
        "retrieval@also": "bm25s",
    }
    ours = cb.run(**parts, measures=["MAP", cb.measures.RBO()])
    named = cb.run("folder", folder=small_texts, measures=["MAP", "RBO"], **keys)
    assert {"MAP", "MAP[bm25s]"} <= set(ours.systems.columns)
    # These name the folder, which the configuration of one alone has.
    told = {*TIMES, "paper.md", "report.md", "plan.tsv"}
    assert differing(ours.save(tmp_path / "saved"), named.save(tmp_path / "written")) <= told


def test_a_table_of_a_sent_run_is_inside_it(tmp_path: Path, published: cb.Outcome) -> None:
    sent = published.save(tmp_path / "sent")
    loaded = cb.load(sent)
    (sent / "systems.tsv").rename(tmp_path / "systems.tsv")
    (sent / "systems.tsv").symlink_to(tmp_path / "systems.tsv")
    for look in (lambda: loaded.systems, lambda: cb.load(sent)):
        with pytest.raises(InputError, match="systems.tsv: is a link"):
            look()
    (sent / "systems.tsv").unlink()
    found = json.loads((sent / "results.json").read_text())
    found["tables"]["../systems"] = found["tables"]["systems"]
    (sent / "results.json").write_text(json.dumps(found))
    with pytest.raises(InputError, match=r"'../systems.tsv' is not the name of a file in this folder"):
        cb.load(sent)


def test_four_threads_run_at_once() -> None:
    """Hydra composes in a singleton: without order among threads all but one are refused."""
    with ThreadPoolExecutor(4) as threads:
        begin = threading.Barrier(4)

        def run(alpha: float) -> Any:
            begin.wait(60)
            return cb.correlate(BASE, "MAP", correlation__alpha=alpha)

        found = list(threads.map(run, (0.01, 0.02, 0.03, 0.04)))
    expected = cb.correlate(BASE, "MAP").correlations.value.tolist()
    assert [outcome.correlations.value.tolist() for outcome in found] == [expected] * 4


@pytest.mark.parametrize(
    ("name", "sign"), [("TER", 1), ("hter", 1), ("MetricX-24-XL", 1), ("MetricX", -1), ("loss", -1)]
)
def test_a_metric_that_is_known_to_count_errors_counts_them(name: str, sign: int) -> None:
    """TER by its definition (Snover et al. 2006) and MetricX by its model card: 0 is the best; negated ones stay."""
    x = np.arange(1.0, 9.0)
    table = pd.DataFrame({name: sign * x[::-1], "BLEU": x, "MAP": x / 10}, index=list("abcdefgh"))
    with warnings.catch_warnings(record=True):
        found = cb.correlate(table, measures=["MAP"])
    assert found.correlations.query("coefficient == 'kendall'").value.tolist() == [1.0, 1.0]
    assert any(f"less is better in {name}, by the name" in line for line in found.warnings) == (sign > 0)


SHORT = ["metric=[BLEU]", "measures=[RBO]", "topics=keyterms", "topics.n=6", "relevance.k=2", "units=none"]
PAGE = PACKAGE / "docs" / "reference" / "files.md"
STEPS = "statistics, score, Retrieve, measured, examined, worded"
ALWAYS = {"event", "at", "peak_mb"}


def of(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / EVENTS).read_text(encoding="utf-8").splitlines()]


def documented() -> dict[str, set[str]]:
    """The fields of each event, as the page names them, without what is in brackets; `reason` may be missing."""
    table = PAGE.read_text(encoding="utf-8").partition("| event | when | fields |")[2].partition("\n\n")[0]
    rows = [line.split(" | ") for line in table.splitlines()[2:]]
    return {row[0].strip("| `"): set(re.findall(r"`(\w+)`", re.sub(r"\(.*?\)", "", row[2]))) for row in rows}


def test_a_rerun_goes_on_in_the_same_file_and_says_what_the_store_has(cli: Cli, small_folder: Path) -> None:
    for lines in (0, 1):
        cli.succeed(f"folder={small_folder}", *SHORT, "hydra.run.dir=run", "fresh=true")
        if not lines:
            first = (cli.cwd / "run" / EVENTS).read_bytes()
    both = (cli.cwd / "run" / EVENTS).read_bytes()
    assert both.startswith(first)
    assert not (cli.cwd / "run" / "previous-1" / EVENTS).exists()
    told = of(cli.cwd / "run")
    again = next(place for place, event in enumerate(told) if place and event["event"] == "start")
    for events, kept in ((told[:again], 0), (told[again:], 4)):
        begun = next(place for place, event in enumerate(events) if event.get("step") == "systems")
        assert [event["event"] for event in events[begun : begun + 3]] == ["begun", "kept", "done"]
        asked = events[begun + 1]
        assert (asked["of"], asked["items"], asked["kept"]) == (STEPS, 4, kept)
        assert (events[0]["event"], events[-1]["event"], events[-1]["outcome"]) == ("start", "end", "done")
        steps = [[event["step"] for event in events if event["event"] == kind] for kind in ("begun", "done")]
        assert steps[0] == steps[1] == ["systems", "intervals", "analyses"]
    found = json.loads((cli.cwd / "run" / "results.json").read_text(encoding="utf-8"))
    assert [event["text"] for event in told[again:] if event["event"] == "warning"] == found["warnings"]
    assert [event["text"] for event in told[again:] if event["event"] == "answer"] == [found["answer"]]
    for event in told:
        assert {*event} - ALWAYS <= documented()[event["event"]]
        assert documented()[event["event"]] - {*event} <= {"reason"}
    assert cli("verify", "run").returncode == 0
    assert EVENTS not in (cli.cwd / "run" / "manifest.json").read_text(encoding="utf-8")


def test_an_error_and_a_stop_end_the_stream(tmp_path: Path) -> None:
    for error, outcome in ((StoreError("the disk is\nfull"), "error"), (KeyboardInterrupt(), "stopped")):
        with pytest.raises(type(error)), recorded(tmp_path, ["clirbench"]):
            raise error
        assert of(tmp_path)[-1]["outcome"] == outcome
    assert of(tmp_path)[1]["reason"] == "StoreError: the disk is full"


def test_a_stream_that_cannot_be_written_is_an_error_that_names_the_file(tmp_path: Path) -> None:
    (tmp_path / EVENTS).mkdir()
    with pytest.raises(InputError, match=r"events.jsonl: is a folder, a file was expected"):
        recorded(tmp_path, []).__enter__()


def test_python_reads_what_it_saved(small_folder: Path, tmp_path: Path) -> None:
    r = cb.run(
        folder=small_folder, metric=["BLEU"], measures=["RBO"], topics="keyterms", topics__n=6, relevance__k=2,
        paths__cache=str(tmp_path / "cache"),
    )  # fmt: skip
    r.save(tmp_path / "run")
    told = cb.events(tmp_path / "run")
    assert told == list(Journal(tmp_path / "run" / EVENTS))
    assert [told[0]["event"], told[-1]["event"]] == ["start", "end"]
    with (tmp_path / "run" / EVENTS).open("ab") as stream:
        stream.write(b'{"event": "do')
    assert cb.events(tmp_path / "run") == told
    with pytest.raises(InputError, match="has no events.jsonl, so it is not the folder of a run or of a watch"):
        cb.events(tmp_path)
