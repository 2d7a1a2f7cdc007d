"""The figures of the findings are those of the tables that the documentation has."""

from pathlib import Path

import pytest

from clirbench.errors import InputError
from clirbench.files.tables import read_table
from clirbench.labs.collections.atlas_figures import DATA, figures

DOCS = Path(__file__).resolve().parents[3] / "docs"


def test_the_figures_of_the_documentation_are_those_of_its_data_files() -> None:
    drawn = figures(DOCS / "data")
    assert list(drawn) == ["references", "range", "exchange", "cost"]
    for name, svg in drawn.items():
        kept = (DOCS / "pictures" / f"findings-{name}.svg").read_text(encoding="utf-8")
        assert svg == kept, "python docs/generator/findings.py draws the figures again"


def test_every_row_of_a_table_has_its_mark() -> None:
    """A circle or a corner shape for each row (exchange, cost), for two of each metric's (range), and in the legend."""
    drawn = figures(DOCS / "data")
    marks = {name: svg.count("<circle") + svg.count("<polygon") for name, svg in drawn.items()}
    rows = {name: len(list(read_table(DOCS / "data" / path).records())) for name, path in DATA.items()}
    groups = len(set(read_table(DOCS / "data" / DATA["exchange"]).column("group")))
    assert marks["range"] == 2 * rows["range"] + 2
    assert marks["exchange"] == rows["exchange"] + groups
    assert marks["cost"] == rows["cost"] + 2


def test_a_missing_table_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"atlas\.tsv"):
        figures(tmp_path)
