"""provenance.json: what made these numbers: versions, configuration, signatures, inputs by content."""

import platform
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from clirbench import __version__
from clirbench.result import Result
from clirbench.store.snapshot import current_snapshot
from clirbench.text import sha256_of
from clirbench.types import TestSet

COMMAND = ("python", "-m", "clirbench")
IN_PYTHON = "made in Python"
"""How the command of a run begins: one that can be given again, or one that only its Python code can."""
PACKAGE = Path(__file__).resolve().parents[1]
LIBRARIES = ("numpy", "scipy", "pandas", "numba", "sacrebleu", "ir-measures", "pytrec-eval-terrier", "hydra-core")


def provenance(configuration: Any, command: Sequence[str], result: Result) -> dict[str, Any]:
    """Everything needed to say where the numbers of a run come from, as plain JSON values."""
    return {
        "clirbench": __version__,
        "made": datetime.now(UTC).isoformat(timespec="seconds"),
        "command": list(command),
        "directory": str(Path.cwd()),
        "python": platform.python_version(),
        "platform": platform.platform(),
        "libraries": {name: _version(name) for name in LIBRARIES},
        "seed": result.experiment.seed,
        "signatures": {column.name: column.signature for column in result.board.columns},
        "lower_is_better": [column.name for column in result.board.columns if not column.higher_is_better],
        "inputs": inputs(result),
        "read": _read(),
        "notes": list(result.notes),
        "configuration": configuration,
    }


def _read() -> dict[str, str]:
    """sha256 of the unpacked bytes of every file that was read, by its path; what ships with the package apart."""
    seen = current_snapshot().seen
    return {path: seen[path].sha256 for path in sorted(seen) if not Path(path).is_relative_to(PACKAGE)}


def _references(test: TestSet) -> str:
    """sha256 of the references (and the source) that the metrics were computed against."""
    sides = (*test.references, test.source or ())
    return sha256_of("\n".join(side).encode("utf-8", "replace") + b"\0" for side in sides)


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def inputs(result: Result) -> Mapping[str, Any]:
    """What was read, by content: sizes and sha256 of the collection, the test set and every system's texts."""
    if result.inputs is None:
        return {}
    corpus = result.inputs.corpus
    return {
        "collection": {"documents": len(corpus.english), "sha256": corpus.english.text.fingerprint},
        "test_segments": len(corpus.test),
        "test_sha256": _references(corpus.test),
        "references": len(corpus.test.references),
        "topics": {label or "first": len(topics) for label, topics in result.inputs.topics.items()},
        "systems": {
            translation.system: {
                side: text.fingerprint
                for side, text in (("test", translation.test), ("collection", translation.collection))
                if text is not None
            }
            for translation in result.inputs.translations
        },
    }
