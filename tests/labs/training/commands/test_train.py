"""`clirbench train`: from parallel text to a report, with a trainer of a few lines and with the default one."""

import json
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from clirbench.files.tables import read_table
from clirbench.labs.training.commands import train
from tests.conftest import DEMO, Cli
from tests.labs.training.toys import text, trainer


def keys(folder: Path) -> list[str]:
    """The toy grid: two sizes, two seeds, two checkpoints; the 13th seed is killed by its program."""
    text(folder / "pairs", (DEMO / "reference.txt").read_text(encoding="utf-8").split("\n")[:60])
    made = trainer(folder)
    return [
        "grid=mine", f"grid.folder={folder}/grid", f"grid.data.folder={folder}/pairs", "grid.data.source=xx",
        "grid.sizes=[20,40]", "grid.vocabularies=[char]", "grid.steps=20", "grid.save_every=10", "grid/trainer=command",
        f'grid.trainer.command="{made.command}"', f'grid.trainer.models="{made.models}"',
        f'grid.trainer.translator="{made.translator}"', "metric=[BLEU]", "measures=[MAP]", "relevance.k=2",
        "output.quiet=true", f"hydra.run.dir={folder}/out",
    ]  # fmt: skip


def test_a_grid_ends_in_a_report_that_names_what_failed(cli: Cli) -> None:
    done = cli("train", *keys(cli.cwd), "grid.seeds=[1,13]", "then=run", "engine=serial")
    assert done.returncode == 2, done.stderr
    assert "2 of 4 training runs are done" in done.stdout
    assert (
        "20-char-tiny-13 is left out: the command: exit status 1; stderr ends: trained to 10 / no luck" in done.stdout
    )
    systems = read_table(cli.cwd / "out" / "systems.tsv")
    assert {"run", "size", "vocabulary", "seed", "step", "classes", "F95", "D", "BLEU", "MAP"} <= set(systems.header)
    assert "group" not in systems.header
    assert systems.column("system")[0] == "20-char-tiny-1-step10"
    assert len(systems.rows) == 4
    cells = list(read_table(cli.cwd / "out" / "training.tsv").records())
    assert [(row["size"], row["runs"]) for row in cells] == [("20", "1"), ("40", "1")]
    # A model with a higher number drops fewer words: it rises with the size, the step and the seed.
    assert float(cells[0]["BLEU"]) < float(cells[1]["BLEU"])
    report = (cli.cwd / "out" / "report.md").read_text(encoding="utf-8")
    assert "Training run 20-char-tiny-13 is left out: the command" in report
    assert "Checkpoints of two runs cannot validate a metric" in report
    told = json.loads((cli.cwd / "out" / "results.json").read_text(encoding="utf-8"))
    assert "Checkpoints of two runs cannot validate a metric" in json.dumps(told)
    told = cli("status", str(cli.cwd / "grid"))
    assert told.returncode == 1
    assert "4 cells: 2 done, 0 begun, 0 missing, 2 failed" in told.stdout


def test_what_cannot_be_begun_is_said_in_a_line(cli: Cli, capsys: pytest.CaptureFixture[str]) -> None:
    made = keys(cli.cwd)
    for arguments, said in (
        (made[1:], "clirbench train: name a grid"),
        ([*made, "then=go"], "unknown then 'go'"),
        ([*made, "grid.sizes=[9000]"], "9000 pairs are wanted"),
        ([*made, "grid.trainer.translator=''", "then=run"], "then=run: set grid.trainer.translator"),
        ([*made, "grid.trainer.comand=x"], "unknown key in grid.trainer 'comand'. Did you mean 'command'?"),
        ([*made, "grid.size=[20]"], "unknown key in grid 'size'. Did you mean 'sizes'?"),
        ([*made, "grid.architectures={a.b: {}}"], "'a.b': a name of letters, digits, - and _ was expected"),
        ([*made, "topic=keyterms"], "there is no key 'topic'. Type topics=keyterms"),
        ([*made, "grid.folder=/proc/none"], "the grid's folder cannot be written"),
    ):
        assert train.main(arguments) == 1, arguments
        assert said in capsys.readouterr().err
    if find_spec("torch") is None:
        assert train.main(["grid=mine", f"grid.data.folder={cli.cwd}/pairs"]) == 1
        assert "pip install '.[train]'" in capsys.readouterr().err


def test_a_grid_is_no_key_of_a_run(cli: Cli, small_folder: Path) -> None:
    done = cli(f"folder={small_folder}", "grid=tiny", "check=true")
    assert done.returncode == 1
    assert "grid: is a key of another command, and no key of a run" in done.stderr


def test_evaluation_never_loads_what_trains() -> None:
    code = (
        "import sys, clirbench.__main__, clirbench.labs.training.commands.train, clirbench.commands.status;"
        "import clirbench.labs.training.curves;"
        "print(*sorted({name.partition('.')[0] for name in sys.modules}))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not {"torch", "transformers", "accelerate", "ctranslate2", "sentencepiece"} & set(done.stdout.split())


@pytest.mark.slow
def test_the_tiny_grid_in_small_on_real_text(cli: Cli, shared_data: Path) -> None:
    if missing := [name for name in ("torch", "transformers", "accelerate", "ctranslate2") if find_spec(name) is None]:
        pytest.skip(f"EXTRA ABSENT: pip install '.[train]' ({', '.join(missing)}); training is not tested")
    home = shared_data / "europarl" / "fr-en-training"
    for end in ("fr", "en"):
        subprocess.run(f"zcat {home}/dev.{end}.gz | head -100 > {cli.cwd}/dev.{end}", shell=True, check=True)
    done = cli(
        "train", "grid=tiny", "then=run", f"grid.data.folder={home}",
        f"grid.data.valid=[{cli.cwd}/dev.fr,{cli.cwd}/dev.en]",
        "grid.sizes=[200,400]", "grid.vocabularies=[bpe200]", "grid.steps=8", "grid.save_every=4", "engine=serial",
        "grid.architectures.tiny.d_model=32", "grid.trainer.max_tokens=32", "metric=[BLEU,MacroF1]",
        "hydra.run.dir=out",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    systems = read_table(cli.cwd / "out" / "systems.tsv")
    assert len(systems.rows) == 8
    assert set(systems.column("step")) == {"4", "8"}
    assert len(set(systems.column("run"))) == 4
    assert (cli.cwd / "out" / "report.html").stat().st_size > 10_000
    assert cli("status", "runs/train/tiny").stdout.endswith("4 cells: 4 done, 0 begun, 0 missing, 0 failed\n")
