"""provenance.json: what made these numbers: versions, configuration, signatures, inputs by content."""

import platform
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from itertools import chain
from pathlib import Path
from typing import Any

from clirbench import __version__
from clirbench.files.lines import Lines
from clirbench.result import Result
from clirbench.store.store import current_snapshot
from clirbench.text import sha256_of
from clirbench.types import TestSet, Translation

COMMAND = ("python", "-m", "clirbench")
IN_PYTHON = "made in Python"
"""How the command of a run begins: one that can be given again, or one that only its Python code can."""
PACKAGE = Path(__file__).resolve().parents[1]
HASHED = (".tsv", ".run", ".txt", ".tex")
"""How names of files that hold numbers end."""
LIBRARIES = ("numpy", "scipy", "pandas", "sacrebleu", "ir-measures", "pytrec-eval-terrier", "hydra-core")


def provenance(configuration: Any, command: Sequence[str], result: Result) -> dict[str, Any]:
    """Everything needed to say where the numbers of a run come from, as plain JSON values."""
    return {
        "clirbench": __version__,
        "python": platform.python_version(),
        "unicode": unicodedata.unidata_version,
        "platform": platform.platform(),
        "libraries": {name: _version(name) for name in LIBRARIES},
        "made": datetime.now(UTC).isoformat(timespec="seconds"),
        "command": list(command),
        "directory": str(Path.cwd()),
        **record(configuration, result),
    }


def record(configuration: Any, result: Result) -> dict[str, Any]:
    """What of it follows from the inputs and the command line, wherever and whenever a run is made."""
    return {
        "seed": result.experiment.seed,
        "signatures": {column.name: column.signature for column in result.board.columns},
        "inputs": inputs(result),
        "read": _read(),
        "near_copies": [list(pair) for pair in result.resemblances.near],
        "stems": dict(result.resemblances.stems),
        "configuration": configuration,
    }


def _read() -> dict[str, str]:
    """sha256 of the unpacked bytes of every file that was read, by its path; what ships with the program apart."""
    seen = current_snapshot().seen
    ours = shipped()
    return {path: seen[path] for path in sorted(seen) if not any(map(Path(path).is_relative_to, ours))}


def shipped() -> tuple[Path, ...]:
    """The package, and its manifests, which lie beside it in a checkout: no input, for another checkout has its own."""
    return PACKAGE, PACKAGE.parent / "data_manifests"


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def inputs(result: Result) -> Mapping[str, Any]:
    """What was read, by content: sizes and sha256 of the collection, the test set, topics, judgments, and systems."""
    if result.inputs is None:
        return {}
    corpus, test = result.inputs.corpus, result.inputs.corpus.test
    return {
        "collection": {"documents": len(corpus.english), "sha256": corpus.english.text.fingerprint},
        "texts": {
            "source": sha256_of(_joined(test.source)) if test.source else None,
            "references": [sha256_of(_joined(reference)) for reference in test.references] if test else [],
        },
        "test_segments": len(test),
        "test_sha256": references_sha256(test),
        "topics": {label or "first": len(topics) for label, topics in result.inputs.topics.items()},
        "systems": {translation.system: _sides(translation) for translation in result.inputs.translations},
        "baselines": {translation.system: _sides(translation) for translation in result.inputs.baselines},
    }


def references_sha256(test: TestSet) -> str:
    """sha256 of the references (and the source) that the metrics were computed against."""
    sides = (*test.references, test.source or ())
    return sha256_of(piece for side in sides for piece in chain(_joined(side), [b"\0"]))


def _sides(translation: Translation) -> dict[str, str]:
    sides = {"test": translation.test, "collection": translation.collection}
    return {side: text.fingerprint for side, text in sides.items() if text is not None}


def _joined(lines: Sequence[str]) -> Iterable[bytes]:
    return lines.joined() if isinstance(lines, Lines) else ["\n".join(lines).encode("utf-8", "replace")]
