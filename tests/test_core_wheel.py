"""A wheel of the core without any laboratory, in an environment of its own: what README promises works there.

So do tests of the core; and each laboratory, copied there alone, finds all that its tests import.
"""

import os
import shutil
import site
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
LABS = '[project.entry-points."clirbench.labs"]'
NAMES = sorted(path.parent.name for path in (ROOT / "clirbench" / "labs").glob("*/__init__.py"))
OF_ALL = ("docs", "labs", "test_architecture.py", "test_core_wheel.py", "configuration/test_reach.py")
"""Tests of the whole project."""
QUICK = ("test_oracles.py", "test_rules.py", "test_search.py", "test_made.py")
"""Those of the core that run here; of the others it is checked that they can be loaded."""
NOTEBOOK = """
import clirbench as cb
print(cb.__file__)
r = cb.run("europarl_csen_published")
print(r.answer)
r.plot("MAP", "BLEU")
cb.pool
"""


@pytest.fixture(scope="module")
def core(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Python of an environment with the core alone, and the libraries of this one."""
    place = tmp_path_factory.mktemp("core")
    tree, environment = place / "tree", place / "environment"
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name in filter(None, listed.split("\0")):
        if not name.startswith(("clirbench/labs/", "tests/")) and (ROOT / name).is_file():
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, tree / name)
    project = (tree / "pyproject.toml").read_text(encoding="utf-8")
    before, _, after = project.partition(LABS)
    assert after, "the laboratories of the project are no longer declared there"
    (tree / "pyproject.toml").write_text(before + "[" + after.partition("\n[")[2], encoding="utf-8")
    built = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(place)]
    subprocess.run(built, cwd=tree, check=True, capture_output=True)
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(environment)], check=True)
    python = environment / "bin" / "python"
    (packages,) = environment.glob("lib/*/site-packages")
    (wheel,) = place.glob("*.whl")
    shutil.unpack_archive(wheel, packages, "zip")
    (packages / "libraries.pth").write_text("\n".join(site.getsitepackages()) + "\n")
    return python


def run(python: Path, cwd: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    command = [str(python), *arguments]
    return subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, check=False)


@pytest.mark.slow
def test_the_core_alone_does_what_readme_says(core: Path, small_folder: Path, tmp_path: Path) -> None:
    def program(*arguments: str, status: int = 0) -> str:
        done = run(core, tmp_path, "-m", "clirbench", *arguments)
        assert done.returncode == status, done.stderr
        return done.stdout + done.stderr

    assert not list(core.parents[1].glob("lib/*/site-packages/clirbench/labs/*/"))
    program("hydra.run.dir=demo")
    folder = [f"folder={small_folder}", "topics.n=8", "metric=[BLEU,MacroF1]", "measures=[MAP,RBO]"]
    program("+experiment=folder", *folder, "hydra.run.dir=own")
    program("compare", "own", "demo")
    program("status", "own")
    program("store")
    assert "the same bytes" in program("rerun", "own/provenance.json", "--trust")
    notebook = run(core, tmp_path, "-c", NOTEBOOK)
    where, answer = notebook.stdout.splitlines()[:2]
    assert Path(where).is_relative_to(core.parents[1])
    assert "BLEU" in answer
    assert notebook.stderr.splitlines()[-1] == (
        "AttributeError: clirbench.pool: its laboratory clirbench.labs.collections is not installed"
    )
    assert "unknown retrieval 'dense'" in program("+experiment=folder", *folder, "retrieval=dense", status=1)


@pytest.fixture(scope="module")
def checkout(core: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the tests of the core beside the installed package, as in a checkout."""
    place = tmp_path_factory.mktemp("checkout")
    shutil.copytree(ROOT / "tests", place / "tests", ignore=shutil.ignore_patterns("__pycache__"))
    for name in OF_ALL:
        path = place / "tests" / name
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    (packages,) = core.parents[1].glob("lib/*/site-packages")
    (place / "clirbench").symlink_to(packages / "clirbench")
    for name in ("conf", "docs", "benchmarks", "data_manifests", "pyproject.toml"):
        (place / name).symlink_to(ROOT / name)
    return place


def passed(core: Path, checkout: Path, *arguments: str) -> str:
    done = run(core, checkout, "-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider", *arguments)
    assert done.returncode == 0, done.stdout[-4000:]
    return done.stdout


@pytest.mark.release  # test_architecture.py finds by reading what would fail here
def test_tests_of_the_core_need_no_laboratory(core: Path, checkout: Path) -> None:
    chosen = ("-m", "not slow and not release", "-k", " or ".join(QUICK))
    passed(core, checkout, *chosen, "tests", "--ignore=tests/statistics/test_validity.py")


@pytest.mark.release
@pytest.mark.parametrize("name", NAMES)
def test_a_laboratory_needs_no_other(core: Path, checkout: Path, name: str) -> None:
    """Its tests are loaded beside the core and no other laboratory."""
    (packages,) = core.parents[1].glob("lib/*/site-packages")
    installed, tests = packages / "clirbench" / "labs", checkout / "tests" / "labs"
    try:
        shutil.copytree(ROOT / "clirbench" / "labs" / name, installed / name)
        shutil.copytree(ROOT / "tests" / "labs" / name, tests / name)
        passed(core, checkout, "--collect-only", f"tests/labs/{name}")
    finally:
        shutil.rmtree(installed)
        shutil.rmtree(tests)
