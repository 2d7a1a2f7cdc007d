"""`analysis=[imbalance]` on the command line."""

from pathlib import Path

from clirbench.files.tables import read_table
from tests.conftest import Cli, write_lines


def test_the_file_and_the_recommendation(cli: Cli, small_folder: Path) -> None:
    write_lines(cli.cwd / "big.tgt.txt", ["# n_seqs: 10", "a\t300", "b\t200", "c\t150"])
    write_lines(cli.cwd / "rare.tgt.txt", ["# n_seqs: 10", "a\t300", "b\t200", "c\t150", "d\t3"])
    done = cli(
        f"folder={small_folder}", "measures=[]", "metric=[BLEU]", "analysis=[imbalance]",
        "analyses.imbalance.statistics=[big.tgt.txt,rare.tgt.txt]", "hydra.run.dir=out",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    file = read_table(cli.cwd / "out" / "imbalance.tsv")
    assert file.header == ("name", "classes", "D", "D_published", "F95", "mu")
    assert [(r["name"], r["classes"], r["F95"], r["mu"]) for r in file.records()] == [
        ("big", "3", "150.0", "65.0"), ("rare", "4", "3.0", "65.3"),
    ]  # fmt: skip
    assert "is big (3 classes)" in (cli.cwd / "out" / "report.md").read_text(encoding="utf-8")


def test_nothing_to_measure_is_an_error(cli: Cli) -> None:
    done = cli("+experiment=europarl_csen_published", "analysis=[imbalance]", "hydra.run.dir=out")
    assert done.returncode == 1
    assert "analysis imbalance has no vocabulary" in done.stderr
