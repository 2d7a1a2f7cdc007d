"""Tables 4, 5, 10 and 11 of Gowda et al. 2021: every cell and mark as printed, the known errors shown as such."""

from dataclasses import replace
from pathlib import Path

import pytest
from hydra import compose, initialize_config_dir
from hydra.utils import instantiate

from clirbench.errors import ConfigError, InputError, MissingData, UnknownName
from clirbench.labs.papers.cells import PaperCell
from clirbench.labs.papers.published import DATA
from clirbench.labs.papers.taus import PublishedTaus

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


def test_the_missing_mark_is_explained() -> None:
    (cell,) = [cell for cell in reproduce(table("gowda2021_table4")) if cell.verdict == "published error"]
    assert cell.p_value == pytest.approx(0.087, abs=5e-4)
    assert "p = .087" in cell.remark


def test_signs_are_kept_where_the_paper_prints_none() -> None:
    cells = [cell for cell in reproduce(table("gowda2021_table10")) if cell.row == "TR-EN"]
    assert sum(cell.value < 0 for cell in cells) == 3
    assert all("|tau|" in cell.remark for cell in cells if cell.value < 0)


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
    header = "group\tsystem\tHuman\t*BLEU\tBLEU\tMacroF1\tMicroF1\tchrF1\n"
    file.write_text(header + "A\tone\t1\t2\tlots\t3\t4\t5\n")
    with pytest.raises(InputError, match="line 2: column BLEU: 'lots' is not a number"):
        reproduce(table("gowda2021_table9", f"+scores.X={file}"))
    file.write_text(header + "A\tone\t1\t2\n")
    with pytest.raises(InputError, match="line 2: 4 columns, the header has 8"):
        reproduce(table("gowda2021_table9", f"+scores.X={file}"))
    own = table("gowda2021_table4")
    with pytest.raises(ConfigError, match="exclude=some: choose from none"):
        replace(own, exclude="some")
    with pytest.raises(ConfigError, match="summaries="):
        replace(own, summaries=["Mode"])
    with pytest.raises(UnknownName, match="p_value of gowda2021_table4 'none'"):
        replace(own, p_value="none")
