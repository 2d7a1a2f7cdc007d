"""What a table knows of its columns, what every writer makes of a cell, and what a file of it reads back as."""

import json
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st

from clirbench.pages import KNOWN, Cell, Table, is_hole, write_tsv
from clirbench.report import latex, markdown, terminal
from clirbench.report.html.page import rows_of
from clirbench.statistics.correlation import Correlation

NAN = float("nan")
ROOT = Path(__file__).resolve().parents[2]
MADE = Table(
    "made",
    "Made",
    ("system", "p_value", "n", "flag", "note"),
    (
        ("a", 0.04567, 3, True, ""),
        ("b", NAN, 12, False, "x|y"),
        ("c", Cell(np.float64(123.456), "x", best=True), 1, True, ""),
    ),
)


def test_the_kind_of_a_column_is_that_of_its_values() -> None:
    assert [column.kind for column in MADE.columns] == ["text", "number", "number", "text", "text"]
    assert MADE.columns[1].meaning == KNOWN["p_value"]["meaning"]
    assert Table("t", "T", ("p_value",), (), about={"p_value": "of this table"}).columns[0].meaning == "of this table"


def test_pages_leave_out_empty_columns_and_say_a_shared_note_once() -> None:
    rows = (("a", NAN, "", Cell(NAN), "held"), ("b", NAN, "", Cell(NAN), "held"))
    shown = Table("t", "T", ("system", "p_value", "seed", "MAP", "note"), rows, ("First.",)).compact()
    assert (shown.header, shown.text) == (("system", "MAP"), ("First.", "All rows: held."))
    assert [row[0] for row in shown.rows] == ["a", "b"]
    assert MADE.compact() == MADE
    matrix = Table("t", "T", ("measure", "BLEU"), (("MAP", NAN),), matrix=True)
    assert matrix.compact() is matrix


def test_every_writer_shows_the_same_digits() -> None:
    """.04567 has the four decimals .0457, 123.456 one: 123.5."""
    assert MADE.cells(MADE.rows) == [
        ["a", "0.0457", "3", "true", ""],
        ["b", "", "12", "false", "x|y"],
        ["c", "123.5 x", "1", "true", ""],
    ]
    assert terminal.lines_of(MADE)[1:] == MADE.cells(MADE.rows)
    assert markdown.table(MADE, MADE.rows).split("\n")[2:] == [
        "| a | 0.0457 | 3 | true |  |",
        r"| b |  | 12 | false | x\|y |",
        "| c | 123.5 x | 1 | true |  |",
    ]
    assert latex.cells(MADE) == [
        ["a", "$0.0457$", "3", "true", ""],
        ["b", "--", "12", "false", r"x\textbar{}y"],
        ["c", r"\textbf{123.5}\,\texttimes", "1", "true", ""],
    ]
    assert [[cell["text"] for cell in row] for row in rows_of(MADE)] == [
        ["a", "0.0457", "3", "true", ""],
        ["b", "–", "12", "false", "x|y"],
        ["c", "123.5 x", "1", "true", ""],
    ]


def test_a_meaning_is_the_tooltip_the_schema_and_the_page_of_columns() -> None:
    schema = json.loads((ROOT / "clirbench" / "data" / "results.schema.json").read_text(encoding="utf-8"))
    described = schema["properties"]["correlations"]["items"]["properties"]
    assert [field.name for field in fields(Correlation)] == list(described)
    for name, node in described.items():
        assert node["description"] == KNOWN[name]["meaning"], name
    for name in ("differs", "halves"):  # of topic_kinds.tsv
        assert KNOWN[name]["meaning"], name


def test_a_file_has_the_values_to_the_last_bit() -> None:
    assert list(MADE.values())[2] == ["c", 123.456, 1, True, ""]
    frame = MADE.load()
    assert frame.p_value.tolist() == pytest.approx([0.04567, NAN, 123.456], abs=0, nan_ok=True)
    assert frame.flag.tolist() == ["True", "False", "True"]


def test_streamed_rows_are_made_each_time() -> None:
    rows = [("a", 1.0), ("b", 2.0)]
    made = Table("t", "T", ("name", "value"), (), texts=frozenset({"name"}), stream=lambda: iter(rows))
    assert [list(made.values()), list(made.values())] == [rows, rows]
    assert made.load().to_numpy().tolist() == [[*row] for row in rows]
    assert made.compact() is made


def test_a_hole_is_an_undefined_number() -> None:
    assert [is_hole(value) for value in (NAN, np.float64("nan"), 0.0, "", None)] == [True, True, False, False, False]


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_numbers_read_back_exactly(value: float) -> None:
    assert Table("t", "", ("a", "b"), [(value, np.float64(value))]).load().iloc[0].tolist() == [value, value]


def test_holes_are_empty_and_tabs_and_newlines_cannot_break_a_row(tmp_path: Path) -> None:
    write_tsv(tmp_path / "t.tsv", ["a", "b"], [["x\ty", "u\nv"], [NAN, None], [np.float32("nan"), 'q"']])
    assert (tmp_path / "t.tsv").read_bytes() == b'a\tb\nx y\tu v\n\t\n\t"q"""\n'
