"""What a start must not import, and where the program starts: without what Linux and macOS alone have."""

import os
import subprocess
import sys
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

from tests.conftest import PACKAGE as ROOT

NEVER = {
    "numba", "scipy.optimize", "scipy.special", "scipy.stats", "scipy.spatial", "pandas", "matplotlib",
    "sacrebleu", "torch", "requests",
}  # fmt: skip
OF_A_RERUN = {
    "antlr4", "attr", "charset_normalizer", "hydra", "ir_measures", "jinja2", "markupsafe", "numpy",
    "omegaconf", "packaging", "pytrec_eval", "pytrec_eval_ext", "scipy", "yaml",
}  # fmt: skip
"""Libraries that a run loads which finds all its results: none that compiles, starts workers or colours a terminal."""
NUMBERS = {"numpy", "scipy", "joblib", "ir_measures", "multiprocessing.connection"}
PAGES = {"rich", "jinja2"}
COUNTED = """
import sys
from clirbench.__main__ import main
try:
    main()
except SystemExit as end:
    assert not end.code, end.code
finally:
    print("imported", *sys.modules, file=sys.stderr)
"""


def imported(*arguments: str) -> set[str]:
    """The modules of a process that was the program with these arguments."""
    done = subprocess.run(
        [sys.executable, "-c", COUNTED, *arguments], cwd=ROOT, capture_output=True, text=True, check=False,
        env={**os.environ, "PYTHONPATH": ""},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return set(done.stderr.splitlines()[-1].split()[1:])


def test_help_imports_nothing_that_computes() -> None:
    found = imported("--help")
    assert "clirbench.__main__" in found
    assert found & (NEVER | NUMBERS | PAGES) == set()


@pytest.mark.slow
def test_a_run_and_a_comparison_import_no_more_than_they_need(tmp_path: Path) -> None:
    demo = ("+experiment=demo", f"paths.cache={tmp_path / 'store'}", f"hydra.run.dir={tmp_path / 'run'}")
    found = imported(*demo)
    assert "clirbench.steps" in found
    assert found & NEVER == set()
    again = {name.partition(".")[0] for name in imported(*demo)}
    assert again & packages_distributions().keys() - {"clirbench", "_distutils_hack"} <= OF_A_RERUN
    run = str(tmp_path / "run")
    assert imported("compare", run, run) & NEVER == set()


def test_an_answer_that_is_given_again_imports_no_library() -> None:
    code = "import sys; old = {*sys.modules}; import clirbench.files.direct; print(*sys.modules.keys() - old)"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    found = {name for name in done.stdout.split() if name.partition(".")[0] not in sys.stdlib_module_names}
    assert found == {"clirbench", "clirbench.files", "clirbench.files.direct"}
    assert not {"ast", "asyncio", "dataclasses", "inspect", "logging"} & {*done.stdout.split()}


WITHOUT = """
import os, runpy, sys
sys.modules.update(dict.fromkeys(("fcntl", "resource")))  # None: as if it were not there
for name in ("fork", "killpg"):
    delattr(os, name)
import clirbench
runpy.run_module("clirbench", run_name="__main__")
"""


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--help"], "python -m clirbench"),
        pytest.param(["+experiment=europarl_csen_published", "hydra.run.dir=run"], "strong", marks=pytest.mark.slow),
    ],
)
def test_without_fcntl_resource_fork_and_killpg(tmp_path: Path, arguments: list[str], said: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT, *arguments], cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert said in done.stdout
