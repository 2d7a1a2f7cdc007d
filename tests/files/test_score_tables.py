"""Score tables as scoreboards, and the published tables that are shipped."""

from pathlib import Path

import numpy as np
import pytest

from clirbench.errors import ClirbenchError, ConfigError, InputError, Problems, UnknownName
from clirbench.files.score_tables import ScoreTables, table_path


def table(folder: Path, text: str, name: str = "t.tsv") -> str:
    (folder / name).write_text(text)
    return str(folder / name)


def test_roles_directions_and_metadata(tmp_path: Path) -> None:
    text = "system\tMAP\tTER\tkind\tstep\told\na\t.5\t60\tx\t1\t7\nb\t0.25\t70\ty\t2\t8\n"
    tables = ScoreTables(
        [table(tmp_path, text)], ["MAP"], ["TER"], metadata=["step"], ignore=["new"], rename={"old": "new"}, title="T"
    )
    board = tables.read()
    assert board.systems == ("a", "b")
    assert [(c.name, c.role, c.higher_is_better, c.table) for c in board.columns] == [
        ("MAP", "measure", True, "T"),
        ("TER", "metric", False, ""),
    ]
    assert board["MAP"].values.tolist() == [0.5, 0.25]
    assert board.metadata == {"kind": ("x", "y"), "step": ("1", "2")}


def test_tables_are_joined_by_system_and_holes_are_named(tmp_path: Path) -> None:
    one = table(tmp_path, "system\tx\na\t1\nb\t2\n", "one.tsv")
    two = table(tmp_path, "name,y\nb,3\nc,4\n", "two.csv")
    board = ScoreTables([one, two]).read()
    assert board.systems == ("a", "b", "c")
    np.testing.assert_array_equal(board["y"].values, [np.nan, 3, 4])
    assert board.holes() == ["x: no value for c", "y: no value for a"]


def test_a_table_in_long_form_has_a_column_for_each_metric(tmp_path: Path) -> None:
    rows = "a\tCOMET\t.5\na\tMAP\t.1\nb\tMAP\t.2\nb\tCOMET\t.6\n"
    board = ScoreTables([table(tmp_path, f"System\tmetric\tscore\n{rows}")], ["MAP"]).read()
    assert [(c.name, c.role) for c in board.columns] == [("COMET", "metric"), ("MAP", "measure")]
    assert [c.values.tolist() for c in board.columns] == [[0.5, 0.6], [0.1, 0.2]]


@pytest.mark.parametrize("cell", ["nan", "", "NA", "-"])
def test_a_missing_number_names_file_system_and_column(tmp_path: Path, cell: str) -> None:
    path = table(tmp_path, f"system\tx\ty\na\t1\t1\nb\t{cell}\t2\n")
    with pytest.raises(InputError, match=r"t\.tsv: system 'b', column 'x': no number"):
        ScoreTables([path]).read()
    np.testing.assert_array_equal(ScoreTables([path], missing="hole").read()["x"].values, [1, np.nan])


@pytest.mark.parametrize(
    ("text", "settings", "kind", "message"),
    [
        ("system\tx\na\tinf\n", {}, InputError, r"line 2: x is 'inf', a finite number"),
        ("system\tx\na\tgood\n", {"measures": ["x"]}, InputError, r"line 2: x is 'good', a finite number"),
        ("system\tMAP\na\t1\n", {"measures": ["MAPS"]}, UnknownName, r"'MAPS'\. Did you mean 'MAP'\?"),
        ("system\tTER\na\t1\n", {"lower_is_better": ["WER"]}, UnknownName, r"scores\.lower_is_better 'WER'"),
        ("system\tx\na\t1\n", {"ignore": ["z"]}, UnknownName, r"scores\.ignore 'z'"),
        ("system\tx\na\t1\n", {"rename": {"z": "w"}}, UnknownName, r"scores\.rename 'z'"),
        ("system\tx\na\t1\n", {"rename": {"w": "x"}}, UnknownName, r"scores\.rename 'w'"),
        ("system\tx\na\t1\n", {"ignore": [["x"]]}, ConfigError, r"scores\.ignore=.*a list of names was expected"),
        ("system\tx\ty\na\t1\t2\n", {"rename": {"x": "y"}}, ConfigError, r"after scores\.rename columns stand twice"),
        (2 * "system\tx\na\t1\nb\t2\n", {}, InputError, "line 4 repeats the header.*2 systems .* 'a' on lines 2 and 5"),
        ("system\tx\na\t20.1%\nb\t.243\n", {}, InputError, r"'x': some cells have a % and some have none"),
        ("system\tx\ty\na\t.3 ± .02\t5%\n", {}, InputError, "'x', 'y': .* sed -E .s/%//g;s/.*g. .*t.tsv > new.tsv"),
        ("system\tBLEU\na\t1\n", {}, ConfigError, r"column BLEU is computed and also in .*scores\.ignore"),
    ],
)
def test_faulty_tables(
    tmp_path: Path, text: str, settings: dict[str, object], kind: type[ClirbenchError], message: str
) -> None:
    path = table(tmp_path, text)
    with pytest.raises(kind, match=message):
        ScoreTables([path], **settings).read(computed=["BLEU"])  # type: ignore[arg-type]


def test_a_computed_column_may_be_ignored_or_renamed(tmp_path: Path) -> None:
    path = table(tmp_path, "system\tBLEU\tx\na\t1\t2\n")
    assert [c.name for c in ScoreTables([path], ignore=["BLEU"]).read(["BLEU"]).columns] == ["x"]
    renamed = ScoreTables([path], rename={"BLEU": "BLEU[published]"}).read(["BLEU"])
    assert [c.name for c in renamed.columns] == ["BLEU[published]", "x"]


def test_a_marked_measure_stands_beside_the_computed_one(tmp_path: Path) -> None:
    path = table(tmp_path, "system\tRBO\tMAP\na\t1\t2\n")
    board = ScoreTables(path, ["RBO", "MAP"], mark="published").read(["RBO"])
    assert [c.name for c in board.columns] == ["RBO[published]", "MAP"]


def test_a_column_in_two_tables_and_several_faults_at_once(tmp_path: Path) -> None:
    one = table(tmp_path, "system\tx\na\t1\n", "one.tsv")
    two = table(tmp_path, "system\tx\na\t2\n", "two.tsv")
    with pytest.raises(ConfigError, match=r"column x is in .*one\.tsv and in .*two\.tsv"):
        ScoreTables([one, two]).read()
    with pytest.raises(Problems, match=r"(?s)missing\.tsv: no such file.*none\.tsv: no such file"):
        ScoreTables([str(tmp_path / "missing.tsv"), str(tmp_path / "none.tsv")]).read()
    with pytest.raises(ConfigError, match=r"scores\.tables is not set"):
        ScoreTables().read()
    with pytest.raises(ConfigError, match=r"scores\.missing='x'"):
        ScoreTables(missing="x")


def test_an_embedded_table_is_named_or_refused() -> None:
    """What is in them is in the digests of the published experiments."""
    with pytest.raises(UnknownName, match=r"embedded score table 'europarl_cs'.*europarl_csen, europarl_deen"):
        table_path("embedded:europarl_cs")


@pytest.mark.parametrize(
    "cells", [("12,5", "13,5", "14,5"), ("23%", "24 %", "25%"), ("1_5", "1_6", "1_7"), ("1,5", "n/a", "3")]
)
def test_a_column_that_is_meant_as_numbers_never_vanishes(tmp_path: Path, cells: tuple[str, str, str]) -> None:
    rows = "".join(f"s{i}\t{cell}\t.{i}\n" for i, cell in enumerate(cells))
    tables = ScoreTables([table(tmp_path, f"system\tBLEU\tMAP\n{rows}")], ["MAP"])
    with pytest.raises(InputError, match=r"column 'BLEU'.*scores.metadata=\[BLEU\]") as raised:
        tables.read()
    assert all(repr(cell) in str(raised.value) for cell in cells if cell not in ("n/a", "3"))
    described = ScoreTables(tables.tables, ["MAP"], metadata=["BLEU"]).read()
    assert described.metadata["BLEU"] == cells


@pytest.mark.parametrize("cells", [("2020-01-02", "2020-02-03"), ("v1.2", "v1.3"), ("base", "23%"), ("n/a", "-")])
def test_texts_stay_texts(tmp_path: Path, cells: tuple[str, str]) -> None:
    rows = "".join(f"s{i}\t{cell}\t{i}\t.{i}\n" for i, cell in enumerate(cells))
    tables = ScoreTables([table(tmp_path, f"system\tkind\tBLEU\tMAP\n{rows}")], ["MAP"])
    assert tables.read().metadata["kind"] == cells
