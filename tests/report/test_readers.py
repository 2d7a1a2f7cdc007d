"""Every table of a run is read alike by csv, pandas, polars and R."""

import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clirbench.errors import escape_unseen
from clirbench.files.tables import read_table
from clirbench.pages import BLANKS, write_tsv
from tests.conftest import PACKAGE, Cli
from tests.report.readers import READERS, by_csv, differing

# What cells are made of where tables go wrong: quotes, tabs, ends of lines, blanks, other scripts.
PIECES = st.sampled_from(
    ['"', '""', "'", "\t", "\n", "\r", "#", " ", "a", "NA", "null", "é", "\u2028", "\x00", "1.5", ","]
)
CELLS = st.lists(PIECES, max_size=5).map("".join)


@given(st.lists(st.tuples(CELLS, CELLS, CELLS), max_size=6))
def test_any_text_is_read_alike(tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, ...]]) -> None:
    path = tmp_path_factory.mktemp("cells") / "t.tsv"
    rows = [("x", *row) for row in rows]
    write_tsv(path, ["system", "a", "b b", "c"], rows)
    expected = [["system", "a", "b b", "c"], *([escape_unseen(cell.translate(BLANKS)) for cell in row] for row in rows)]
    assert by_csv(path) == expected
    assert differing(path) == []
    assert [list(row) for row in read_table(path).rows] == expected[1:]


@pytest.mark.parametrize("reader", READERS)
def test_a_reader_that_passes_over_rows_would_be_seen(tmp_path: Path, reader: str) -> None:
    """A lone quote that is not quoted joins rows, in every reader."""
    (tmp_path / "t.tsv").write_text('type\tcount\n"\t3\nthe\t2\n"\t1\nof\t5\n')
    assert len(READERS[reader](tmp_path / "t.tsv")) < 5


def test_the_tables_of_an_experiment_are_read_alike(cli: Cli, small_folder: Path) -> None:
    """Word types have quotes, and every other sign."""
    for path in small_folder.rglob("*.txt"):
        path.write_text(path.read_text(encoding="utf-8").replace(", ", ' " # '), encoding="utf-8")
    overrides = (
        f"folder={small_folder}",
        "analysis=[types,choice,segment_level]",
        "analyses.segment_level.gold=MAP",
        "pair=[every2,every9]",
        "metric=[BLEU,MacroF1]",
        "relevance.k=2",
    )
    done = cli(*overrides, "hydra.run.dir=run")
    assert done.returncode == 0, done.stderr
    tables = {path.stem: path for path in (cli.cwd / "run").glob("*.tsv") if path.stem != "plan"}
    assert {"types", "systems", "correlations", "per_topic", "segment_level"} <= tables.keys()
    assert {name: found for name, path in tables.items() if (found := differing(path))} == {}
    assert {'"', "#"} <= {cell for row in by_csv(tables["types"]) for cell in row}


EXPERIMENTS = sorted({path.stem for path in (PACKAGE / "conf" / "experiment").glob("*.yaml")} - {"folder", "scores"})
ABSENT = ("is not here", "not shipped", "lie nowhere", "no such")


@pytest.mark.release
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("experiment", EXPERIMENTS)
def test_every_experiment_s_tables_are_read_alike(experiment: str, cli: Cli, shared_data: Path) -> None:
    """Every experiment whose data are here."""
    folders = ("hydra.run.dir=run", "hydra.sweep.dir=run")  # one of them is a sweep
    done = cli(f"+experiment={experiment}", f"paths.mirror={shared_data}", *folders, timeout=3500)
    if done.returncode and any(said in done.stderr for said in ABSENT):
        pytest.skip(f"DATA ABSENT: {experiment}")
    tables = [path for path in (cli.cwd / "run").rglob("*.tsv") if path.stem != "plan"]
    assert tables, done.stderr
    assert {str(path): found for path in tables if (found := differing(path))} == {}


@pytest.mark.skipif(shutil.which("Rscript") is None, reason="R is not installed")
def test_r_itself_reads_as_its_rules_here_say(tmp_path: Path) -> None:
    path = tmp_path / "t.tsv"
    write_tsv(path, ["a", "b"], [['say "x"', "'"], ["#", '"'], ["NA", ""], ["tab\t", "é"]])
    code = (
        f"t <- read.delim('{path}', colClasses='character', na.strings=character(0), check.names=FALSE);"
        "cat(paste(t(as.matrix(t)), collapse='|'))"
    )
    done = subprocess.run(["Rscript", "-e", code], capture_output=True, text=True, check=True)
    assert done.stdout == "|".join(cell for row in READERS["R"](path)[1:] for cell in row)
