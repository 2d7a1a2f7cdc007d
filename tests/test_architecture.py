"""Rules of the design that no single module can break unseen."""

import ast
import subprocess
import sys
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1] / "clirbench"
HEAVY = {"numba", "matplotlib", "jnius", "torch", "pandas", "nltk", "ir_measures", "hydra", "omegaconf", "joblib"}


def imported(path: Path) -> set[str]:
    """Top-level names of everything a module imports, anywhere in it."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names.add(node.module.split(".")[0])
    return names


def test_hydra_stops_at_the_command_line_and_the_configuration() -> None:
    users = {
        str(path.relative_to(PACKAGE)) for path in PACKAGE.rglob("*.py") if imported(path) & {"hydra", "omegaconf"}
    }
    assert users == {"__main__.py", "config.py"}


def test_the_domain_knows_neither_engine_nor_store() -> None:
    domain = ["corpora", "topics", "metrics", "retrieval", "relevance", "measures", "analysis"]
    for folder in domain:
        for path in (PACKAGE / folder).rglob("*.py"):
            source = path.read_text(encoding="utf-8")
            assert "clirbench.engine" not in source, path
            assert "clirbench.store" not in source, path
            assert "clirbench.config" not in source, path


def test_no_pickle_is_ever_loaded() -> None:
    users = [str(path) for path in PACKAGE.rglob("*.py") if imported(path) & {"pickle", "cloudpickle", "dill"}]
    assert users == []


def test_importing_is_silent_and_light() -> None:
    code = "import sys, clirbench, clirbench.types, clirbench.measures; print(*sorted(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr == ""
    assert not HEAVY & {name.split(".")[0] for name in done.stdout.split()}
