from pathlib import Path

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from clirbench.pages import exact, write_tsv


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_numbers_read_back_exactly(value: float) -> None:
    assert float(exact(value)) == value
    assert float(exact(np.float64(value))) == value


def test_holes_are_empty_cells() -> None:
    assert exact(float("nan")) == ""
    assert exact(None) == ""


def test_tabs_and_newlines_cannot_break_a_row(tmp_path: Path) -> None:
    write_tsv(tmp_path / "t.tsv", ["a", "b"], [["x\ty", "u\nv"]])
    assert (tmp_path / "t.tsv").read_bytes() == b"a\tb\nx y\tu v\n"
