"""Figure 1 of Gowda et al. 2021: every cell of the authors' reports of word types."""

from pathlib import Path

import pytest

from clirbench.errors import InputError
from clirbench.labs.papers.author_files import read_author_table
from tests.conftest import write_lines
from tests.labs.papers.composed import tables, verdicts


@pytest.mark.parametrize("name", ["gowda2021_figure1", "gowda2021_figure1_ende"])
def test_every_type_agrees(shared_data: Path, name: str) -> None:
    table, curves = tables(name, f"paths.mirror={shared_data}")
    assert verdicts(table) == {"as printed": 44}
    assert len(curves.rows) == 500


def test_unmt_leads_on_the_most_frequent_types_and_snmt_on_the_rest(shared_data: Path) -> None:
    _, curves = tables("gowda2021_figure1", f"paths.mirror={shared_data}")
    assert all(unmt > snmt for _, snmt, unmt in curves.rows[4:150])
    assert curves.rows[-1][1] > curves.rows[-1][2]


def test_a_file_of_another_form_is_refused(tmp_path: Path) -> None:
    write_lines(tmp_path / "x", ["no report"])
    with pytest.raises(InputError, match="no line begins with `Type`"):
        read_author_table(tmp_path / "x", first="Type")
    write_lines(tmp_path / "y", ["Type\tScore\tRefs\tPreds\tMatch\tF1\tPrecisn\tRecall", "the\t1"])
    with pytest.raises(InputError, match="line 2: 2 columns, the header has 8"):
        read_author_table(tmp_path / "y", first="Type")


def test_another_pair_from_a_folder(shared_data: Path, tmp_path: Path) -> None:
    """With the authors' reports in the folder every cell is compared; without them the curves alone are made."""
    folder = shared_data / "papers" / "snmt-vs-unmt" / "en-de"
    table, curves = tables("gowda2021_figure1", f"++paper.folders={{EN-DE: {folder}}}")
    assert verdicts(table) == {"as printed": len(table.rows)}
    assert len(curves.rows) == 500
    (tmp_path / "systems").mkdir()
    for name in ("reference.txt", "systems/snmt.txt", "systems/unmt.txt"):
        (tmp_path / name).write_bytes((folder / name).read_bytes())
    table, again = tables("gowda2021_figure1", f"++paper.folders={{FR-EN: {tmp_path}}}")
    assert verdicts(table) == {"not printed": len(table.rows)}
    assert again.rows == curves.rows
