"""`analysis=[training]` on a score table of a grid whose numbers are worked by hand."""

from pathlib import Path

import numpy as np
import pytest
from scipy.stats import kendalltau

from clirbench.files.tables import read_table
from clirbench.labs.training.curves import Configuration, cell_table, rule_table
from clirbench.scoreboard import Column, Scoreboard
from tests.conftest import Cli, write_lines

GRID = [
    # size, vocabulary, F95, classes, then MAP and TER of seeds 1 and 2 at the last step
    (1000, "bpe500", 120, 500, (0.30, 0.32), (70, 72)),
    (1000, "bpe2000", 110, 1900, (0.20, 0.24), (60, 64)),
    (1000, "bpe8000", 9, 6000, (0.10, 0.10), (80, 80)),
    (2000, "bpe500", 250, 500, (0.40, 0.40), (60, 60)),
    (2000, "bpe2000", 220, 1950, (0.50, 0.52), (50, 50)),
    (2000, "bpe8000", 20, 7000, (0.45, 0.41), (55, 55)),
]


def written(folder: Path, best: float = 12) -> Path:
    """The table; the best system has that BLEU."""
    rows = ["system\trun\tsize\tvocabulary\tseed\tstep\tF95\tclasses\tD\tMAP\tTER\tBLEU"]
    for size, name, f95, classes, *scores in GRID:
        for at, seed in enumerate((1, 2)):
            for step in (100, 200):
                last = [side[at] if step == 200 else 0.01 for side in scores]
                run = f"{size}-{name}-{seed}"
                bleu = best * scores[0][at] / 0.52 if step == 200 else 0.1
                cells = (f"{run}-{step}", run, size, name, seed, step, f95, classes, 0.5, *last, bleu)
                rows.append("\t".join(map(str, cells)))
    write_lines(folder / "grid.tsv", rows)
    return folder / "grid.tsv"


def test_the_cells_the_rule_and_the_seeds(cli: Cli) -> None:
    table = written(cli.cwd)
    done = cli(
        f"scores.tables=[{table}]", "scores.measures=[MAP]", "scores.lower_is_better=[TER]",
        "scores.metadata=[size,seed,step,F95,classes,D]", "analysis=[training]", "hydra.run.dir=out",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    cells = read_table(cli.cwd / "out" / "training.tsv")
    assert cells.header[:7] == ("size", "vocabulary", "classes", "F95", "D", "runs", "MAP")
    first = next(cells.records())
    assert (first["runs"], first["MAP"], first["TER"]) == ("2", "0.31", "71.0")
    # The size of the text alone: the last checkpoints of 12 runs, each smaller one below each larger one.
    (alone,) = read_table(cli.cwd / "out" / "size_alone.tsv").records()
    runs = [(size, of_map, of_ter) for size, *_, maps, ters in GRID for of_map, of_ter in zip(maps, ters, strict=True)]
    sizes, maps, ters = (list(values) for values in zip(*runs, strict=True))
    assert float(alone["size"]) == pytest.approx(kendalltau(sizes, maps).statistic)
    assert float(alone["TER"]) == pytest.approx(-kendalltau(ters, maps).statistic)
    assert float(alone["BLEU"]) == pytest.approx(1)
    rule = list(read_table(cli.cwd / "out" / "rule_of_thumb.tsv").records())
    by_map = {
        r["size"]: (r["recommended"], r["best"], round(float(r["regret"]), 6)) for r in rule if r["column"] == "MAP"
    }
    # bpe2000 is the largest with F95 of 100 or more; by MAP that costs .31 - .22 at 1,000 pairs and nothing at 2,000.
    assert by_map == {"1000": ("bpe2000", "bpe500", 0.09), "2000": ("bpe2000", "bpe2000", 0.0)}
    by_ter = {r["size"]: (r["value"], r["best"], r["regret"]) for r in rule if r["column"] == "TER"}
    assert by_ter == {"1000": ("62.0", "bpe2000", "0.0"), "2000": ("50.0", "bpe2000", "0.0")}
    spread = {r["column"]: r for r in read_table(cli.cwd / "out" / "seed_spread.tsv").records()}
    # Within cells: differences .02, .04, 0, 0, .02, .04; each gives half its square, over 6 degrees of freedom.
    assert round(float(spread["MAP"]["sd"]), 9) == round((0.002 / 6) ** 0.5, 9)
    assert (spread["MAP"]["degrees_of_freedom"], spread["MAP"]["low"]) == ("6", "")
    report = (cli.cwd / "out" / "report.md").read_text(encoding="utf-8")
    assert "MAP: the best in 1 of 2 sizes; regret 0.045 on average, 0.09 at most." in report
    assert "train with more seeds" in report
    assert "No finding" not in report
    assert (cli.cwd / "out" / "figures" / "training.svg").stat().st_size > 1000


@pytest.mark.parametrize(("best", "said"), [(10.001, False), (10.0, True), (0.008, True), (float("nan"), False)])
def test_nothing_is_concluded_from_weak_systems(best: float, said: bool) -> None:
    names = {"size": ("1000", "1000"), "vocabulary": ("a", "b"), "F95": ("200", "5"), "run": ("1", "2")}
    columns = (Column("BLEU", "metric", np.array([best, best / 2])), Column("MAP", "measure", np.array([0.2, 0.1])))
    board = Scoreboard(("one", "two"), columns, names)
    cells = [Configuration({name: values[row] for name, values in names.items()}, (row,)) for row in (0, 1)]
    words = f"No finding: nothing is concluded unless a system has a BLEU above 10; the best has {best:.2g}."
    assert (cell_table(board, cells).text[0] == words) == said
    judged = rule_table(board, cells, 100.0).text[1:]
    assert (list(judged) == [words]) == said
    assert ("MAP: the best in 1 of 1 sizes; regret 0 on average, 0 at most." in judged) != said


def test_a_floor_that_no_vocabulary_reaches_and_a_run_without_sizes(cli: Cli) -> None:
    table = written(cli.cwd, best=10.1)
    keys = (f"scores.tables=[{table}]", "scores.measures=[MAP]", "scores.metadata=[size,seed,step,F95,classes,D]")
    done = cli(*keys, "analysis=[training]", "analyses.training.floor=1000", "hydra.run.dir=out")
    assert done.returncode == 0, done.stderr
    assert "MAP: no size has a vocabulary with an F95 that high" in (cli.cwd / "out" / "report.md").read_text("utf-8")
    done = cli("+experiment=europarl_csen_published", "analysis=[training]", "hydra.run.dir=none")
    assert done.returncode == 1
    assert "analysis training: the systems have no column size, vocabulary" in done.stderr
