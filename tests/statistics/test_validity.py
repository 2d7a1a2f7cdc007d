"""A selection of benchmarks/validity.py with a fixed seed: worlds with known truth, in which every promise is kept."""

import numpy as np
import pytest

from benchmarks.tables import DOCS, read_rows
from benchmarks.validity import repetitions, rows
from benchmarks.validity_page import DATA, FAILS, PAGE, Row, page

SELECTION = {
    "tau .6: base": 1000,
    "tau .6: 6 systems": 600,
    "tau .6: ties in both": 400,
    "tau .6: t copula, 8 systems": 400,
    "tau .6: 8 families of 5, alike 0.8": 200,
    "tau .6: units of 1 to 8, near-copies": 400,
    "tau 0: base": 1500,
    "tau 0: 15 metrics, 38 systems": 100,
    "tau 0: 5 families of 8, alike 0.98": 200,
    "tau 0: 8 families of 5, alike 0.98": 500,
    "tau 0: 7 units, one of 10": 400,
    "given: covariate 0.95": 500,
    "given: grid of 8 by 2, covariate 0.9": 800,
    "noise: base": 400,
    "noise: 8 families of 5, alike 0.8": 300,
    "interval: copula, t, tau 0.6, 16 systems": 300,
    "interval: copula, clayton, tau 0.85, 8 systems": 300,
    "baseline: 12 topics": 400,
}
"""Repetitions, some 100 s of processor time in all: for each kind of claim so many that .10 instead of .05 is seen."""
EACH = (
    "tau .6: base", "tau 0: 5 families of 8, alike 0.98",
    "given: covariate 0.95", "noise: base", "interval: copula, t, tau 0.6, 16 systems", "baseline: 12 topics",
)  # fmt: skip
"""One world of each kind of claim for every change; a release has all."""


@pytest.mark.slow
@pytest.mark.parametrize("world", [w if w in EACH else pytest.param(w, marks=pytest.mark.release) for w in SELECTION])
def test_no_promise_is_broken(world: str) -> None:
    found = rows({world: repetitions(world, SELECTION[world], seed=16)})
    assert any(row.kind in ("cover", "error") for row in found)
    assert [row for row in found if row.verdict in ("above", "below")] == []


def judged(**columns: np.ndarray) -> dict[str, str]:
    """Verdicts by the name of what was said, in the base world."""
    told = {name.replace("_", " "): column for name, column in columns.items()}
    return {row.what: row.verdict for row in rows({"tau .6: base": told})}


def share(p: float, n: int = 1000) -> np.ndarray:
    return (np.arange(n) < p * n).astype(np.float64)


@pytest.mark.parametrize(
    ("columns", "verdict"),
    [
        ({"cover_x": share(0.95)}, "holds"),
        ({"cover_x": share(0.90)}, "below"),
        ({"error_x": share(0.05)}, "holds"),
        ({"error_x": share(0.10)}, "above"),
        ({"predicted_x": share(0.92)}, "holds"),
        ({"cover_x": share(0.97), "width_x": np.full(1000, 1.3), "oracle_x": np.ones(1000)}, "wide"),
        ({"cover_x": np.where(np.arange(1000) < 100, np.nan, share(0.99))}, "quiet"),
        ({"error_x": np.full(1000, np.nan)}, "not said"),
    ],
)
def test_a_broken_bound_is_seen(columns: dict[str, np.ndarray], verdict: str) -> None:
    assert judged(**columns) == {"x": verdict}


def test_the_page_names_what_fails_and_what_is_not_said() -> None:
    told = {"error x": share(0.2), "error y": np.full(1000, np.nan)}
    text = page(rows({"tau 0: base": told}))
    assert f'* **{FAILS["above"]}: 1.**\n    * x, such as in "tau 0: base": .200.\n' in text
    assert "clirbench made 1 promises and kept 0. In 1 further cases" in text


def test_the_page_of_the_documentation_is_made_from_its_data_file() -> None:
    assert (DOCS / PAGE).read_text(encoding="utf-8") == page(read_rows(DOCS / DATA, Row))
