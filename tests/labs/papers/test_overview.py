"""Table 3 of Gowda et al. 2021: the rows of 2017 and 2018 as printed, that of 2019 without scores."""

from hydra import compose, initialize_config_dir
from hydra.utils import instantiate

from clirbench.engines.local import Serial
from clirbench.labs.papers.published import DATA
from clirbench.result import Experiment, Result
from clirbench.scoreboard import Scoreboard

CONF = DATA.parent / "conf" / "paper"


def test_table_3() -> None:
    with initialize_config_dir(str(CONF), version_base="1.3"):
        overview = instantiate(compose("gowda2021_table3"), _convert_="all")
    cells = list(overview.cells())
    assert len(cells) == 45
    odd = [(c.verdict, c.row, c.metric, c.printed, c.shown) for c in cells if c.verdict != "as printed"]
    assert [cell for cell in odd if cell[0] != "no scores"] == [
        ("published error", "WMT17 Wins", "BLEU", "4", "3"),
        ("published error", "WMT17 Wins", "MicroF1", "2", "3"),
    ]
    missing = [c for c in cells if c.verdict == "no scores"]
    assert len(missing) == 15
    assert all(c.row.startswith("WMT19") and "wmt-scores-2019.tsv" in c.remark for c in missing)
    _, *parts = overview.tables(Result(Experiment("test", Serial()), Scoreboard((), ()), ()))
    assert len(parts) == 2
