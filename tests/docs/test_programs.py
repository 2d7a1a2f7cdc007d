"""The programs of docs/how-to/programs.md run as they are, are short, and pass mypy --strict."""

import json
import runpy
import subprocess
import sys
import warnings
from pathlib import Path
from xml.etree import ElementTree

import matplotlib
import pytest

import clirbench as cb
from clirbench.labs.watching.commands import watch
from docs.generator import notebooks, recordings
from tests.docs import materials
from tests.docs.pages import ROOT, Block, blocks

PROGRAMS = [block for block in blocks(ROOT / "docs" / "how-to" / "programs.md") if block.title]
SAID = {
    "from_pandas.py": "system pairs as MAP does",
    "from_polars.py": "system pairs as MAP does",
    "from_pyterrier.py": "{'AP': 0.75, 'nDCG@10': 0.815",  # by hand: AP (1/2 + 1) / 2, nDCG (1/log2(3) + 1) / 2
    "from_ir_measures.py": "system pairs as retrieval does",
    "from_comet.py": "Checkpoints of two runs cannot validate a metric",
    "from_metricx.py": "Checkpoints of two runs cannot validate a metric",
    "in_a_notebook.py": "<table",
    "from_mt_metrics_eval.py": "system pairs as retrieval does",
    "to_mlflow.py": "/artifacts/paper.md",
    "events_in_a_notebook.py": "systems",
    "events_to_tensorboard.py": "run2-step6000 BLEU",
    "events_to_mlflow.py": "systems ",
}
NEEDS = {
    "from_polars.py": "polars",
    "to_mlflow.py": "mlflow sqlalchemy",
    "events_to_tensorboard.py": "tensorboardX",
    "events_to_mlflow.py": "mlflow sqlalchemy",
}
"""Libraries of others without which a program is not run."""


@pytest.fixture(scope="module")
def at_work(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("programs")
    for name in PROGRAMS[0].directives["materials"].split():
        materials.MATERIALS[name](folder)
    for program in PROGRAMS:
        (folder / program.title).write_text("\n".join(program.lines) + "\n", encoding="utf-8")
    return folder


def test_every_program_is_short_and_has_what_it_says() -> None:
    assert [program.title for program in PROGRAMS] == list(SAID)
    assert all(len([line for line in program.lines if line.strip()]) <= 10 for program in PROGRAMS)


@pytest.mark.slow
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.title)
def test_a_program_runs(program: Block, at_work: Path, monkeypatch: pytest.MonkeyPatch, capfd) -> None:  # type: ignore[no-untyped-def]
    if program.title in NEEDS:
        for library in NEEDS[program.title].split():
            pytest.importorskip(library, reason=f"{library.upper()} ABSENT: {program.title} is not run")
    matplotlib.use("agg")
    monkeypatch.chdir(at_work)
    if program.title == "events_to_tensorboard.py":
        of_sweep = [
            "folder=data", "systems=checkpoints", "systems.pattern='exp/run%run%/ckpt_%step%.txt'", "relevance.k=3",
        ]  # fmt: skip
        assert watch.main(["--once", *of_sweep, "metric=[BLEU]", "systems.quiet=0", "hydra.run.dir=runs/watch"]) == 0
    if program.title == "events_to_mlflow.py":
        cb.run(folder="talks", metric=["BLEU"], measures=["MAP"], relevance__k=3).save("runs/talks")
    with warnings.catch_warnings():
        if "mlflow" in program.title:
            warnings.simplefilter("default")  # of other libraries: the database that MLflow makes
        runpy.run_path(program.title)
    assert SAID[program.title] in capfd.readouterr().out


@pytest.mark.slow
def test_the_programs_are_typed(at_work: Path) -> None:
    command = [sys.executable, "-m", "mypy", "--strict", "--config-file", str(ROOT / "pyproject.toml")]
    names = [str(at_work / program.title) for program in PROGRAMS]
    done = subprocess.run([*command, *names], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


NOTEBOOKS = sorted((ROOT / "docs" / "notebooks").glob("*.ipynb"))


@pytest.mark.slow
@pytest.mark.parametrize(
    "path",
    [NOTEBOOKS[0], *(pytest.param(path, marks=pytest.mark.release) for path in NOTEBOOKS[1:])],
    ids=lambda p: p.stem,
)
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_notebook_runs_and_shows_what_its_page_shows(monkeypatch: pytest.MonkeyPatch, path: Path) -> None:
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    (made,) = notebooks.executed([path])
    kept = json.loads(path.read_text(encoding="utf-8"))
    again = f"{path.name}: run {sys.executable} docs/generator/notebooks.py"
    assert notebooks.said(made) == notebooks.said(kept), again


@pytest.mark.slow
@pytest.mark.parametrize("name", ["terminal-demo", "terminal-check"])
def test_a_recording_is_what_is_printed(name: str, tmp_path: Path) -> None:
    kept = (ROOT / "docs" / "pictures" / f"{name}.svg").read_text(encoding="utf-8")
    assert recordings.recorded(name, tmp_path) == kept, "python docs/generator/pictures.py makes the pictures anew"
    assert len(kept) < 60_000
    assert not [e for e in ElementTree.fromstring(kept).iter() if e.tag.endswith(("image", "script", "use"))]
