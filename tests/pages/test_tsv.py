from math import nan
from pathlib import Path

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from clirbench.pages import Table, write_tsv


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_numbers_read_back_exactly(value: float) -> None:
    assert Table("t", "", ("a", "b"), [(value, np.float64(value))]).load().iloc[0].tolist() == [value, value]


def test_holes_are_empty_and_tabs_and_newlines_cannot_break_a_row(tmp_path: Path) -> None:
    write_tsv(tmp_path / "t.tsv", ["a", "b"], [["x\ty", "u\nv"], [nan, None], [np.float32("nan"), 'q"']])
    assert (tmp_path / "t.tsv").read_bytes() == b'a\tb\nx y\tu v\n\t\n\t"q"""\n'
