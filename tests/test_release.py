"""What no test can run here: the workflows, the container, and what must hold before a tag becomes a release."""

import inspect
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import ir_measures
import pytest
import yaml
from hydra._internal.utils import get_args_parser

import clirbench.__main__  # noqa: F401  without its patch argparse of 3.14 refuses a parser of Hydra
from tests.conftest import PACKAGE as ROOT, put

WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
PIN = re.compile(r"^([\w.-]+)==(\S+?)(?: ;[^\\]*)?((?: \\\n    --hash=sha256:[0-9a-f]{64})+)$", re.M)
"""A package of a lock: name, version, hashes."""


def locked(name: str) -> dict[str, tuple[str, str]]:
    return {found[1]: (found[2], found[3]) for found in PIN.finditer((ROOT / name).read_text(encoding="utf-8"))}


def jobs(path: Path) -> dict[str, Any]:
    return dict(yaml.safe_load(path.read_text(encoding="utf-8"))["jobs"])


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_an_action_is_pinned_by_the_whole_hash_of_a_commit_and_names_its_tag(path: Path) -> None:
    used = re.findall(r"^.*\buses: (.*)$", path.read_text(encoding="utf-8"), re.M)
    assert used
    assert [one for one in used if not re.fullmatch(r"actions/[a-z-]+@[0-9a-f]{40}  # v\d+\.\d+\.\d+", one)] == []
    assert yaml.safe_load(path.read_text(encoding="utf-8"))["permissions"] == {"contents": "read"}


def test_the_release_is_published_after_all_checks_and_without_a_password() -> None:
    release = jobs(ROOT / ".github" / "workflows" / "release.yml")
    assert {**release["publish"]["permissions"], "needs": release["publish"]["needs"]} == {
        "id-token": "write", "needs": ["build", "wheel"],
    }  # fmt: skip
    assert "secrets." not in (ROOT / ".github" / "workflows" / "release.yml").read_text(encoding="utf-8")
    assert [step["run"] for step in release["build"]["steps"] if "run" in step][1:3] == [
        '.venv/bin/python .ci/release "$GITHUB_REF_NAME"', ".ci/run",
    ]  # fmt: skip
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    tried = release["wheel"]["strategy"]["matrix"]
    promised = {one.rpartition(" ")[2] for one in project["classifiers"] if re.search(r":: 3\.\d+$", one)}
    assert {*tried["python"]} == promised
    assert release["wheel"]["continue-on-error"] == "${{ matrix.system == 'macos-latest' }}"


def test_the_lock_for_running_has_the_versions_and_hashes_of_the_whole_lock() -> None:
    of_all, of_run = locked("requirements.lock"), locked("requirements-run.lock")
    lines = (ROOT / "requirements-run.lock").read_text(encoding="utf-8").splitlines()
    assert len(of_run) == sum("==" in line for line in lines)
    assert of_run.items() <= of_all.items()
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert {re.match(r"[\w-]+", needed)[0] for needed in project["dependencies"]} <= of_run.keys()  # type: ignore[index]
    assert not {"pytest", "mypy", "ruff", "torch", "ray", "selenium"} & of_run.keys()
    assert len(of_run) < len(of_all) / 2


def test_what_is_patched_for_python_3_14_is_still_to_be_patched() -> None:
    """argparse of 3.14 computes `"%" in help` for every help (python/cpython, 124899), and its `ast` has no Num."""
    helps = [action.help for action in get_args_parser()._actions if action.help]
    assert any(not isinstance(text, str) for text in helps)
    assert "ast.Num" in inspect.getsource(ir_measures.util)


def test_the_container_installs_what_running_needs_alone() -> None:
    text = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    steps = [line for line in text.splitlines() if line and not line.startswith("#")]
    last = steps[max(place for place, line in enumerate(steps) if line.startswith("FROM ")) :]
    assert not [line for line in last if "make " in line or "apt-get" in line or "requirements.lock" in line]
    assert "RUN pip install --no-cache-dir --require-hashes --requirement /requirements-run.lock" in last
    assert [line for line in last if line.startswith("COPY ")] == [
        "COPY requirements-run.lock /", "COPY --from=wheel /wheel /wheel",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("tag", "version", "heading", "said"),
    [
        ("v1.2.3", "1.2.3", "1.2.3 (2026-12-01)", ""),
        ("1.2.3", "1.2.3", "1.2.3 (2026-12-01)", "'1.2.3' is no tag of a release: vMAJOR.MINOR.PATCH was expected"),
        ("v1.2.4", "1.2.3", "1.2.4 (2026-12-01)", "__version__ is '1.2.3'; make it '1.2.4', or tag another version"),
        ("v1.2.3", "1.2.3", "1.2.3", "headed '1.2.3'; write: ## 1.2.3 (2"),
        ("v1.2.3", "1.2.3", "1.2.3 (2026-13-01)", "headed '1.2.3 (2026-13-01)'; write: ## 1.2.3 (2"),
        ("v1.2.3", "1.2.3", "1.2.2 (2026-12-01)", "headed '1.2.2 (2026-12-01)'; write: ## 1.2.3 (2"),
    ],
)
def test_a_tag_is_released_with_its_own_version_and_dated_changes(
    tmp_path: Path, tag: str, version: str, heading: str, said: str
) -> None:
    (tmp_path / ".ci").mkdir()
    shutil.copy2(ROOT / ".ci" / "release", tmp_path / ".ci" / "release")
    put(tmp_path / "clirbench" / "__init__.py", f'__version__ = "{version}"\n')
    (tmp_path / "CHANGELOG.md").write_text(f"# Changelog\n\n## {heading}\n\n- A change.\n", encoding="utf-8")
    command = [sys.executable, str(tmp_path / ".ci" / "release"), tag]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == (1 if said else 0)
    assert said in done.stderr
    assert not said or len(done.stderr.splitlines()) == 1


def test_every_path_that_the_checks_hand_to_pytest_exists() -> None:
    text = "".join((ROOT / name).read_text(encoding="utf-8") for name in (".ci/run", "Makefile"))
    assert [path for path in re.findall(r"\btests/[\w./]+", text) if not (ROOT / path).exists()] == []
