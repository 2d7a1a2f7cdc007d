"""The run's folder: written at once and at the end, so that a half-written table is never seen; nothing is lost.

A folder that holds files of somebody else under our names is refused before any work starts. A folder that holds an
earlier run keeps it, moved to `previous-N/`.
"""

import json
import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from clirbench.errors import StoreError
from clirbench.experiment import Result, Retrieval
from clirbench.report import figures, markdown, tables
from clirbench.trec import write_qrels, write_run

NAMES = (
    "systems.tsv",
    "correlations.tsv",
    "per_topic.tsv",
    "trec",
    "report.md",
    "figures",
    "provenance.json",
)


@dataclass(frozen=True)
class RunFolder:
    """A folder that this run may write to."""

    path: Path

    @classmethod
    def claim(cls, path: Path) -> "RunFolder":
        """Make the folder; raises `StoreError` where it cannot be written or holds what is not ours."""
        try:
            path.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=path):
                pass
        except OSError as error:
            raise StoreError(f"{path}: cannot be written ({error.strerror}); choose hydra.run.dir=DIR") from None
        foreign = [name for name in NAMES if (path / name).exists()]
        if foreign and not _is_ours(path):
            raise StoreError(
                f"{path} holds {', '.join(foreign)} that no run of clirbench wrote; nothing is overwritten: choose "
                "another folder with hydra.run.dir=DIR"
            )
        return cls(path)

    def write(self, result: Result, provenance: Mapping[str, Any]) -> None:
        """Write every file of the run beside its place, then move all of them in."""
        try:
            with tempfile.TemporaryDirectory(dir=self.path, prefix=".writing-") as name:
                temporary = Path(name)
                _write_all(temporary, result, provenance)
                self._keep_previous()
                for written in sorted(temporary.iterdir(), key=lambda path: path.name == "provenance.json"):
                    written.replace(self.path / written.name)
        except OSError as error:
            raise StoreError(f"{self.path}: the run's files cannot be written ({error})") from error

    def _keep_previous(self) -> None:
        earlier = [self.path / name for name in NAMES if (self.path / name).exists()]
        if not earlier:
            return
        number = 1
        while (self.path / f"previous-{number}").exists():
            number += 1
        kept = self.path / f"previous-{number}"
        kept.mkdir()
        for path in earlier:
            shutil.move(path, kept / path.name)


def _is_ours(path: Path) -> bool:
    try:
        return "clirbench" in json.loads((path / "provenance.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False


def _write_all(folder: Path, result: Result, provenance: Mapping[str, Any]) -> None:
    folder.chmod(0o755)
    tables.write_tsv(folder / "systems.tsv", *tables.systems_table(result.board))
    tables.write_tsv(folder / "correlations.tsv", *tables.correlations_table(result.correlations))
    if result.retrieval:
        tables.write_tsv(folder / "per_topic.tsv", *tables.per_topic_table(result))
        for label, retrieval in result.retrieval.items():
            write_trec(folder / "trec" / label, retrieval, result.experiment.write_runs)
    figures.write(folder / "figures", result)
    (folder / "report.md").write_text(markdown.report(result), encoding="utf-8", newline="\n")
    text = json.dumps(provenance, indent=2, ensure_ascii=False, sort_keys=False)
    (folder / "provenance.json").write_text(text + "\n", encoding="utf-8", newline="\n")


def write_trec(folder: Path, retrieval: Retrieval, runs: str) -> None:
    """Judgments and runs of one set of topics; `runs` says which: all, ideal, none."""
    folder.mkdir(parents=True, exist_ok=True)
    for label, judged in retrieval.judged.items():
        write_qrels(folder / f"qrels{f'.{label}' if label else ''}.txt", judged.qrels)
    if runs != "none":
        write_run(folder / "ideal.run", retrieval.ideal, "ideal")
    if runs == "all":
        for system, run in retrieval.runs.items():
            write_run(folder / f"{file_name(system)}.run", run, system)


def file_name(system: str) -> str:
    """A file name for a system: what cannot stand in one becomes %XX, so that no name leaves the folder."""
    unsafe = '/\\:*?"<>|%\0'
    name = "".join(f"%{ord(c):02X}" if c in unsafe or ord(c) < 32 else c for c in system)
    if name.lower() in ("ideal", "") or name.startswith("."):
        return "%" + name
    return name
