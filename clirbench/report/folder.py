"""The run's folder and what is in it: tables, results.json, paper.md, pages, figures, TREC runs.

It is written at once and at the end, so that a half-written table is never seen; nothing is lost. A folder that holds
anything of somebody else is refused before any work starts. One that holds an earlier run (its marker lists the files)
keeps it, moved to `previous-N/`.

    .writing-WRITER   files are being written; left by a killed process, it is swept by the next run
    .ready-WRITER     all are written: the earlier run is moved to .keeping-WRITER, then that becomes previous-N
    .placing-WRITER   the files are moved in, the marker and then the seal (manifest.json) last

A process that is killed after `.ready` leaves work that the next run ends first: no run stays half here, half there.
"""

import json
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from math import inf, isnan
from pathlib import Path
from typing import Any

from clirbench import __version__
from clirbench.errors import ClirbenchError, StoreError, escape_unseen, file_of
from clirbench.files.run_files import (
    EVENTS,
    MANIFEST,
    MARKER,
    PROVENANCE,
    RESULTS,
    Journal,
    marker_text,
    read_marker,
    refuse_links,
    seal,
)
from clirbench.files.trec import run_file_names, write_qrels, write_run
from clirbench.pages import Page, Section, Table, points, written
from clirbench.report import figures, latex, markdown
from clirbench.report.answer import answered, sentences
from clirbench.report.decision import decision_findings, decision_sentences
from clirbench.report.facts import counts, data_name, first_names, set_up, set_up_lines, warnings
from clirbench.report.html.page import plain, write_page
from clirbench.report.html.report import Live, program, run_page
from clirbench.report.provenance import HASHED, inputs
from clirbench.report.tables import run_tables
from clirbench.result import MANY_SYSTEMS, Result, Retrieval
from clirbench.store.cached import PLAN
from clirbench.store.store import WRITING, is_abandoned, sweep, writer
from clirbench.text import sha256_of

VERSION = 1
"""Of results.json (JSON Schema: `clirbench/data/results.schema.json`): keys are added, none changes its meaning."""

COLUMN_KEYS = ("name", "role", "origin", "higher_is_better", "table", "signature", "parts", "declared")


def results(result: Result) -> dict[str, Any]:
    """The run as plain JSON values; a number that is undefined is null."""
    answer, tables, decided = answered(result), run_tables(result), decision_findings(result)
    decision = tables.get("decision")
    # Readers of the tables alone would choose the first row of `decision`.
    unsure = [str(found) for found in decided if found.kind == "near reference" or "by_other" in found.values]
    found = {
        "version": VERSION,
        "clirbench": __version__,
        "name": result.experiment.name,
        "answer": str(answer),
        "measure": answer.measure,
        "findings": [found.as_dict() for found in (*answer.findings, *decided)],
        "decision": decision and [dict(zip(decision.header, row, strict=True)) for row in decision.values()],
        "correlations": [asdict(row) for row in result.correlations],
        "coefficients": result.experiment.coefficients,
        "units": {"said": result.units.said, "number": result.units.number, "source": result.units.source},
        "set_up": set_up(result),
        "systems": result.board.systems,
        "failed": result.failed,
        "columns": [{key: getattr(column, key) for key in COLUMN_KEYS} for column in result.board.columns],
        "inputs": {key: value for key, value in inputs(result).items() if key != "systems"},
        "topics": [{"label": label, **asdict(found)} for label, found in counts(result).items()],
        "tables": {
            name: {"columns": table.header, "text": [c.name for c in table.columns if c.kind == "text"]}
            for name, table in tables.items()
        },
        "warnings": [*unsure, *warnings(result)],
        **({"objective": result.objective} if result.experiment.objective else {}),
    }
    return dict(plain(found))


def as_json(values: Mapping[str, Any]) -> str:
    """The text of a JSON file, every control character in it visible."""
    return escape_unseen(json.dumps(values, indent=2, ensure_ascii=False)) + "\n"


HEADER = ("metric", "tau", "low", "high", "p", "grade")
ABOUT = (
    "tau: Kendall's tau-b between independent groups, with its 95 % interval, corrected for all metrics together; the "
    "grade rests on its low end. p: one-sided, of tau <= 0, corrected likewise."
)
SHARED = ("dropped", "counts", "versions", "signatures")
"""What paper.md has of the page of the run."""


def paper_page(result: Result, provenance: Mapping[str, Any], page: Page) -> Page:
    """The page of paper.md: a paragraph, a table of the metrics, the set-up, and what it shares with the run's `page`.

    Sentences are those of the answer and the decision without the limit on words; every number is a cell of a table.
    """
    found = answered(result).findings
    agreements = [one for one in found if one.kind == "agreement"]
    said = " ".join((*sentences(found, inf), *decision_sentences(result), f"Computed with {program(provenance)}."))
    rows = []
    for one in agreements:
        chance = "" if isnan(one["p_adjusted"]) else written("p_value", one["p_adjusted"])
        rows.append((one["metric"], one["tau"], one["low"], one["high"], chance, one["grade"] or "not tested"))
    metrics = Table("paper", "", HEADER, rows, shown=len(rows), formats=dict.fromkeys(HEADER[1:4], "coefficient"))
    sections = [Section("paragraph", "", (said,))]
    if rows:
        sections.append(Section("metrics", f"Metrics by {agreements[0]['measure']}", (metrics, ABOUT)))
    sections += points("set-up", f"Set-up of {data_name(result, provenance)}", [*set_up_lines(result)])
    return Page("For a paper", (*sections, *(section for section in page.sections if section.name in SHARED)))


READY = ".ready-"
PLACING = ".placing-"
KEEPING = ".keeping-"


@dataclass(frozen=True)
class RunFolder:
    """A folder that this run may write to."""

    path: Path

    @classmethod
    def claim(cls, path: Path) -> "RunFolder":
        """Make the folder and mark it; raises `StoreError` where it cannot be written or holds what is not ours.

        Raises `InputError` for a link in it, or a marker that names what is elsewhere: somebody may have sent it.
        """
        try:
            path.mkdir(parents=True, exist_ok=True)
            refuse_links(path)
            foreign = sorted(entry.name for entry in path.iterdir() if not entry.name.startswith("."))
            marker = path / MARKER
            if foreign and not marker.is_file():
                raise StoreError(
                    f"{path} holds {first_names(foreign)}, and no run of clirbench wrote that; nothing is overwritten: "
                    "choose an empty folder with hydra.run.dir=DIR"
                )
            marker.touch()
            read_marker(path)
            sweep(path)
            for left in [*path.glob(f"{READY}*"), *path.glob(f"{PLACING}*")]:
                name = left.name.partition("-")[2]
                if is_abandoned(name):
                    cls(path)._move_in(name)
            read_marker(path)  # which may have come from what was moved in
        except OSError as error:
            raise StoreError(f"{path}: cannot be written ({error.strerror}); choose hydra.run.dir=DIR") from None
        return cls(path)

    @classmethod
    @contextmanager
    def starting(cls, path: Path) -> Iterator["RunFolder"]:
        """Claim the folder for the block; a new one goes again where an error ends the block before its first step."""
        new = [one for one in (path, *path.parents) if not one.exists()]
        folder = cls.claim(path)
        try:
            yield folder
        except ClirbenchError:
            if path in new and not any(event["event"] == "begun" for event in Journal(path / EVENTS)):
                for name in (EVENTS, PLAN, MARKER):
                    (path / name).unlink(missing_ok=True)
                with suppress(OSError):  # what holds more stays
                    for one in new:
                        one.rmdir()
            raise

    def write(self, result: Result, provenance: Mapping[str, Any], live: Live | None = None) -> None:
        """Write every file of the run.

        live: the run is one look of many; it takes the place of the look before, which is not kept.
        """
        read = provenance.get("read", {})
        self.put(lambda unfinished: _write_all(unfinished, result, provenance, live), read, keep=live is None)

    def put(
        self, write: Callable[[Path], None], read: Mapping[str, str], made_by: str = __version__, *, keep: bool = True
    ) -> None:
        """Have all files written to a folder beside their place, seal them, then move them in.

        read: sha256 of every input, by path. made_by: the version of clirbench that computed the run, not the one that
        copies it. keep: an earlier run is kept.
        """
        name = writer()
        unfinished = self.path / f"{WRITING}{name}"
        try:
            unfinished.mkdir()
            write(unfinished)
            names = {MANIFEST, *(path.name for path in unfinished.iterdir())}
            (unfinished / MARKER).write_text(marker_text(names), encoding="utf-8", newline="\n")
            seal(unfinished, self.path, made_by, read)
            unfinished.rename(self.path / f"{READY}{name}")
            try:
                self._move_in(name, keep=keep)
            except KeyboardInterrupt:
                self._move_in(name, keep=keep)  # a few names more, so that Ctrl-C leaves one whole run
                raise
        except OSError as error:
            wrong = f"{file_of(error)}: {error.strerror or error}"
            raise StoreError(f"{self.path}: the run's files cannot be written ({wrong})") from error
        finally:
            shutil.rmtree(unfinished, ignore_errors=True)

    def _move_in(self, name: str, keep: bool = True) -> None:
        """Move in what the writer of this name has ready; goes on wherever it was left."""
        ready, placing = self.path / f"{READY}{name}", self.path / f"{PLACING}{name}"
        if ready.is_dir():
            if keep:
                self._keep_previous(self.path / f"{KEEPING}{name}")
            else:
                self._remove_all_but({path.name for path in ready.iterdir()})
            ready.rename(placing)
        if not placing.is_dir():
            return
        last = [PROVENANCE, MARKER, MANIFEST]
        for path in sorted(placing.iterdir(), key=lambda path: path.name in last and last.index(path.name) + 1):
            if (self.path / path.name).is_dir():
                shutil.rmtree(self.path / path.name)
            path.replace(self.path / path.name)
        placing.rmdir()

    def _remove_all_but(self, names: set[str]) -> None:
        """Remove the earlier run's files that take no new file's place, which the seal would not know."""
        for path in (self.path / name for name in read_marker(self.path) if name not in names):
            shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)

    def _keep_previous(self, keeping: Path) -> None:
        earlier = [self.path / name for name in read_marker(self.path) if (self.path / name).exists()]
        if earlier:
            keeping.mkdir(exist_ok=True)
        for path in earlier:
            shutil.move(path, keeping / path.name)
        if keeping.is_dir():
            number = 1
            while (self.path / f"previous-{number}").exists():
                number += 1
            keeping.rename(self.path / f"previous-{number}")


def _write_all(folder: Path, result: Result, provenance: Mapping[str, Any], live: Live | None) -> None:
    for name, table in run_tables(result).items():
        table.write(folder)
        if "parquet" in result.experiment.table_formats:
            table.load().to_parquet(folder / f"{name}.parquet", index=False)
    for label, retrieval in result.retrieval.items():
        write_trec(folder / "trec" / label, retrieval, result.experiment.write_runs)
        if topics := result.inputs and result.inputs.asked(retrieval.topic_label)[0]:
            lines = [f"{topic.topic_id}\t{' '.join(escape_unseen(topic.text).split())}\n" for topic in topics]
            text = "".join(["topic_id\ttext\n", *lines])
            (folder / "trec" / label / "topics.tsv").write_text(text, encoding="utf-8", newline="\n")
    figures.write(folder / "figures", result)
    page = run_page(result, provenance, live)
    for name, made in (("report.md", page), ("paper.md", paper_page(result, provenance, page))):
        (folder / name).write_text(escape_unseen(markdown.page(made)), encoding="utf-8", newline="\n")
    write_page(folder / "report.html", page)
    latex.write(folder / "latex", page)
    for name, values in ((RESULTS, results(result)), (PROVENANCE, {**provenance, "files": _hashes(folder)})):
        (folder / name).write_text(as_json(values), encoding="utf-8", newline="\n")


def _hashes(folder: Path) -> dict[str, str]:
    """sha256 of every file of the run that holds numbers."""
    paths = sorted(path for path in folder.rglob("*") if path.name.endswith(HASHED))
    return {path.relative_to(folder).as_posix(): sha256_of([path.read_bytes()]) for path in paths}


def write_trec(folder: Path, retrieval: Retrieval, runs: str) -> None:
    """Judgments and runs of one set of topics; `runs` says which: all, ideal, none, auto."""
    folder.mkdir(parents=True, exist_ok=True)
    for label, judged in retrieval.judged.items():
        measures = [name for judgments, name in retrieval.per_topic if judgments == label]
        scored = {topic_id for measure in measures for topic_id in retrieval.topics(label, measure)}
        qrels = judged.qrels.only(topic_id for topic_id in judged.topic_ids if topic_id in scored)
        write_qrels(folder / f"qrels{f'.{label}' if label else ''}.txt", qrels)
    if runs != "none" and len(retrieval.ideal):
        write_run(folder / "ideal.run", retrieval.ideal, "ideal")
    if runs == "all" or (runs == "auto" and len(retrieval.runs) <= MANY_SYSTEMS):
        files = run_file_names(retrieval.runs)
        for system, run in retrieval.runs.items():
            write_run(folder / files[system], run, system)
