"""Tables 3 to 5 and 9 to 11 of Gowda et al. 2021: every cell and mark as printed, the known errors shown as such."""

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from hydra import compose, initialize_config_dir
from hydra.utils import instantiate

from clirbench.errors import ConfigError, MissingData, UnknownName
from clirbench.labs.papers.published import DATA, PaperCell
from clirbench.labs.papers.taus import PublishedTaus, decimals, half_up, leading, print_cell, thousandths
from tests.conftest import write_lines

CONF = DATA.parent / "conf" / "paper"


def table(name: str, *overrides: str) -> PublishedTaus:
    with initialize_config_dir(str(CONF), version_base="1.3"):
        return instantiate(compose(name, overrides=list(overrides)), _convert_="all")  # type: ignore[no-any-return]


def reproduce(published: PublishedTaus) -> list[PaperCell]:
    return list(published.cells())


def errors(cells: list[PaperCell]) -> list[tuple[str, str, str, str, str]]:
    return [
        (cell.verdict, cell.row, cell.metric, cell.printed, cell.shown)
        for cell in cells
        if cell.verdict not in ("as printed", "not printed")
    ]


@pytest.mark.parametrize(
    ("name", "cells", "known"),
    [
        ("gowda2021_table4", 72, [("published error", "BG-EN In", "BLEURTmedian", ".418", "x.418")]),
        ("gowda2021_table5", 12, []),
        ("gowda2021_table10", 90, []),
        (
            "gowda2021_table11",
            85,
            [("published error", "Wins", "BLEU", "4", "3"), ("published error", "Wins", "MicroF1", "2", "3")],
        ),
    ],
)
def test_every_printed_cell(name: str, cells: int, known: list[tuple[str, str, str, str, str]]) -> None:
    found = reproduce(table(name))
    assert sum(cell.verdict != "not printed" for cell in found) == cells
    assert errors(found) == known


def test_an_erratum_does_not_hide_another_difference() -> None:
    found = reproduce(table("gowda2021_table11", "p_value=exact"))
    changed = reproduce(table("gowda2021_table4", "alpha=0.5"))
    assert any(cell.verdict == "differs" for cell in changed)
    assert {cell.verdict for cell in found} <= {"as printed", "published error", "differs", "not printed"}


def test_table_9_says_what_is_missing_and_works_with_a_file(shared_data: Path, tmp_path: Path) -> None:
    with pytest.raises(MissingData, match="WMT 2019.*not shipped.*wmt-scores-2019.tsv.*paper.scores"):
        reproduce(table("gowda2021_table9"))
    given = shared_data / "papers" / "wmt-metrics" / "wmt-scores-2018.tsv"  # same layout, another year
    cells = reproduce(table("gowda2021_table9", f"+scores.WMT19={given}"))
    assert {cell.verdict for cell in cells} >= {"differs"}
    (mean,) = [c for c in reproduce(table("gowda2021_table10")) if (c.row, c.metric) == ("Mean", "MacroF1")]
    assert mean.shown == ".875"


def test_embedded_scores_are_the_authors_own(shared_data: Path) -> None:
    for year in ("17", "18"):
        file = shared_data / "papers" / "wmt-metrics" / f"wmt-scores-20{year}.tsv"
        number = {"17": 11, "18": 10}[year]
        own = table(f"gowda2021_table{number}")
        theirs = table(f"gowda2021_table{number}", f"scores.WMT{year}={file}")
        assert repr(reproduce(own)) == repr(reproduce(theirs))  # NaN is not equal to itself


def test_bad_input(tmp_path: Path) -> None:
    file = tmp_path / "scores.tsv"
    with pytest.raises(MissingData, match="no such score file"):
        reproduce(table("gowda2021_table9", f"+scores.X={file}"))
    file.write_text("group\tsystem\tHuman\nA\tone\t1\n")
    with pytest.raises(UnknownName, match=r"column in .* '\*BLEU'"):
        reproduce(table("gowda2021_table9", f"+scores.X={file}"))
    own = table("gowda2021_table4")
    with pytest.raises(ConfigError, match="exclude=some: choose from none"):
        replace(own, exclude="some")
    with pytest.raises(ConfigError, match="summaries="):
        replace(own, summaries=["Mode"])
    with pytest.raises(UnknownName, match="p_value of gowda2021_table4 'none'"):
        replace(own, p_value="none")


def test_numbers_are_printed_as_the_papers_do() -> None:
    assert [leading(x) for x in (0.0711, -0.0548, 1.0994, -0.0001)] == [".071", "-.055", "1.099", ".000"]
    assert leading(-0.000874, 5) == "-.00087"


def test_rounding() -> None:
    assert thousandths(-0.2) == -200
    assert thousandths(-0.2, absolute=True) == 200
    assert decimals(Fraction(7325, 10000)) == ".733"  # halves go up
    assert decimals(Fraction(1)) == "1.000"
    assert decimals(Fraction(-1, 5)) == "-.200"
    assert half_up(0.00045, 4) == 0.0005  # as it is written; its double lies below
    assert half_up(-0.0025, 3) == -0.003
    assert print_cell(0.345, 0.05, 0.05, False) == "x.345"
    assert print_cell(-0.345, 0.04, 0.05, True) == ".345"
    assert print_cell(float("nan"), float("nan"), 0.05, True) == "undefined"


def test_groups_are_spelt_as_printed_and_a_file_may_be_one_group(tmp_path: Path) -> None:
    write_lines(tmp_path / "one", ["Langs\tsystem\tx\ty", "de-en\ta\t1\t1", "fr-en\ta\t2\t1", "DE-EN\tb\t3\t1"])
    write_lines(tmp_path / "two", ["system\tx\ty", "a\t4\t1"])
    files = {"A": str(tmp_path / "one"), "B": str(tmp_path / "two")}
    own = table("gowda2021_table9")
    made = replace(own, scores=files, rename={"Langs": "group"}, metrics=["x"], measures=["y"])
    assert made._groups() == {"DE-EN": [("a", [1, 1]), ("b", [3, 1])], "fr-en": [("a", [2, 1])], "B": [("a", [4, 1])]}
