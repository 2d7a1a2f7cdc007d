"""Run and qrels files: exact read back, and errors that name file and line."""

import gzip
import unicodedata
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st

from clirbench.errors import UNSEEN, InputError, Problems, StoreError
from clirbench.files.trec import (
    read_ideal,
    read_qrels,
    read_run,
    read_runs,
    run_file_name,
    run_file_names,
    write_qrels,
    write_run,
)
from clirbench.types import Qrels, Run

Folders = Callable[[], Path]
IDS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters=" \t\n"), min_size=1, max_size=4).filter(
    lambda name: not UNSEEN.search(name)
)
SCORES = st.floats(width=32, allow_nan=False, allow_infinity=False, min_value=-(2.0**99), max_value=2.0**99)
GRADES = st.dictionaries(IDS, st.integers(0, 999_999), min_size=1, max_size=5)


@pytest.fixture(scope="session")
def folders(tmp_path_factory: pytest.TempPathFactory) -> Folders:
    """A fresh folder at every call: hypothesis runs one test many times."""
    return lambda: tmp_path_factory.mktemp("trec")


@given(st.dictionaries(IDS, st.dictionaries(IDS, SCORES, min_size=1, max_size=6), min_size=1, max_size=4))
def test_a_run_reads_back_exactly(folders: Folders, scores: dict[str, dict[str, float]]) -> None:
    run = Run.of(scores)
    path = folders() / "a.run"
    write_run(path, run, "a system")
    back = read_run(path)
    assert back.topic_ids == run.topic_ids
    for topic_id in run.topic_ids:
        assert back.ranking(topic_id) == run.ranking(topic_id)
        np.testing.assert_array_equal(back.values(topic_id), run.values(topic_id))


@given(st.dictionaries(IDS, GRADES, min_size=1, max_size=4))
def test_qrels_read_back_exactly(folders: Folders, grades: dict[str, dict[str, int]]) -> None:
    path = folders() / "qrels.txt"
    write_qrels(path, Qrels(grades))
    back = read_qrels(path)
    assert back == Qrels(grades)
    assert back.topic_ids == tuple(grades)


def test_the_layout_is_trecs(tmp_path: Path) -> None:
    write_run(tmp_path / "a.run", Run.of({"7": {"b": 0.1, "a": 2.5}}), "my system")
    assert (tmp_path / "a.run").read_text() == "7 Q0 a 1 2.5 my_system\n7 Q0 b 2 0.1 my_system\n"
    write_qrels(tmp_path / "q", Qrels({"7": {"b": 2, "a": 0}}))
    assert (tmp_path / "q").read_text() == "7 0 b 2\n7 0 a 0\n"


def test_gzip_tabs_blank_lines_and_a_missing_last_newline_are_read(tmp_path: Path) -> None:
    with gzip.open(tmp_path / "a.run.gz", "wb") as stream:
        stream.write(b"1\tQ0\td\xc3\xa9\t1\t1e1\tx\r\n\n1 0 b 9 -.5 x")
    run = read_run(tmp_path / "a.run.gz")
    assert run.ranking("1") == ("dé", "b")
    assert run.values("1").tolist() == [10, -0.5]


GOOD = "1 Q0 a 1 2.0 x\n"


@pytest.mark.parametrize("id_", ["", "a b", "a\tb", "a\nb"])
def test_ids_that_a_trec_file_cannot_hold_are_refused(tmp_path: Path, id_: str) -> None:
    with pytest.raises(InputError, match="a TREC file cannot have the"):
        write_run(tmp_path / "a", Run.of({"1": {id_: 1}}), "x")
    with pytest.raises(InputError, match="a TREC file cannot have the"):
        write_qrels(tmp_path / "a", Qrels({id_: {"d": 1}}))


def test_a_folder_that_is_not_there_is_a_store_error(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="cannot be written"):
        write_qrels(tmp_path / "no" / "qrels", Qrels({}))


@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=30))
def test_any_system_name_makes_a_safe_file_name_and_reads_back(folders: Folders, system: str) -> None:
    folder = folders()
    write_run(folder / run_file_name(system), Run.of({"1": {"a": 1}}), system)
    assert [path.parent for path in folder.iterdir()] == [folder]
    assert list(read_runs(folder)) == [system]
    assert read_ideal(folder) is None


def test_long_names_stay_distinct_and_short_enough() -> None:
    names = {run_file_name("é" * 300 + tail) for tail in ("a", "b")}
    assert len(names) == 2
    assert all(len(name.encode()) < 255 for name in names)


def test_the_english_sides_run_is_apart(tmp_path: Path) -> None:
    for name in ("ideal.run", "%49deal.run", "a%2Fb.run", "%2E.%2Fx.run"):
        write_run(tmp_path / name, Run.of({"1": {name: 1}}), "x")
    (tmp_path / "notes.txt").write_text("not a run")
    assert sorted(read_runs(tmp_path)) == ["../x", "Ideal", "a/b"]
    ideal = read_ideal(tmp_path)
    assert ideal is not None
    assert ideal.doc_ids == ("ideal.run",)


def test_ids_of_another_making_are_refused(tmp_path: Path) -> None:
    for name in ("a.run", "b.run", "ideal.run"):
        (tmp_path / name).write_text(GOOD)
    assert read_run(tmp_path / "a.run", known={"a", "b"}).doc_ids == ("a",)
    with pytest.raises(Problems, match=r"(?s)a\.run: line 1: document 'a' is not in the collection.*b\.run: line 1"):
        read_runs(tmp_path, known={"b"})
    with pytest.raises(InputError, match=r"ideal\.run: line 1: document 'a' is not in the collection"):
        read_ideal(tmp_path, known={"b"})


def test_folders_without_runs_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no run files; a system's run is a file NAME.run"):
        read_runs(tmp_path)
    with pytest.raises(InputError, match="no such folder"):
        read_runs(tmp_path / "x")
    for name in ("a.run", "a.run.gz"):
        (tmp_path / name).write_text(GOOD)
    with pytest.raises(InputError, match=r"system 'a' has two run files, a\.run and a\.run\.gz"):
        read_runs(tmp_path)


def test_no_two_systems_share_a_file_on_any_file_system(tmp_path: Path) -> None:
    systems = ["Foo", "foo", "fOO", "É", "é", "é", "s1", "s1 ", "CON", "con.1", "Nul", "qrels", "Ideal", "own"]
    files = run_file_names(systems)
    assert len({unicodedata.normalize("NFC", name).casefold() for name in files.values()}) == len(systems)
    assert not {"con.run", "nul.run", "qrels.run", "ideal.run"} & {name.casefold() for name in files.values()}
    assert files["foo"] == "foo.run"
    assert files["own"] == "own.run"
    for name in files.values():
        write_run(tmp_path / name, Run.of({"1": {"d": 1.0}}), "x")
    assert sorted(read_runs(tmp_path)) == sorted(systems)


def test_judgments_of_beir_and_negative_grades(tmp_path: Path) -> None:
    """BEIR's qrels/test.tsv: a header, then query, document, score, separated by tabs; TREC marks spam with -2."""
    path = tmp_path / "test.tsv"
    path.write_text("query-id\tcorpus-id\tscore\nq1\td1\t1\nq1\td2\t-2\n\nq2\td1\t0\n")
    assert read_qrels(path).grades == {"q1": {"d1": 1, "d2": -2}, "q2": {"d1": 0}}
