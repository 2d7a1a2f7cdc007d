"""A wheel of the core without any laboratory, in an environment of its own: what README promises works there."""

import os
import shutil
import site
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
LABS = '[project.entry-points."clirbench.labs"]'
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
