"""`clirbench verify RUN [--data DIR]`: checks that a run's folder is whole, and that its tables follow from its texts.

First the seal: every file has the size and sha256 of manifest.json, every input the sha256 of then. Then everything is
computed again, in a process that starts no program, reaches no machine and writes nowhere else, with no earlier result.
Texts are equal, numbers within 1e-12 relative. `--data DIR`: where the inputs are now, if not where they were.

Exit status: 0 where these tables follow from these texts, with what was copied or not checked; 4 where they do not,
with the first difference; 5 where that cannot be checked, with the columns that a command, a server or somebody else's
code made, or that were imported though clirbench can compute them; 1 where an input is missing.
"""

import json
import os
import re
import signal
import subprocess
import sys
import unicodedata
from argparse import Namespace
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import clirbench
from clirbench import __version__
from clirbench.commands.base import command_parser, run_command
from clirbench.commands.faults import CANNOT_CHECK, DOES_NOT_FOLLOW
from clirbench.commands.rerun import KEPT
from clirbench.errors import InputError, ResourceError, one_line
from clirbench.files.manifest import STAYING, broken, read_manifest
from clirbench.files.run_files import MANIFEST, MARKER, PROVENANCE, RESULTS, read_provenance, read_results
from clirbench.files.score_tables import EMBEDDED, table_path
from clirbench.files.tables import read_table
from clirbench.labs.verifying.following import compared, not_following, unchecked
from clirbench.labs.verifying.recomputing import (
    JOB,
    MAKING,
    RUN,
    Unchecked,
    Verdict,
    can_compute,
    do_job,
    input_places,
    no_command_line,
    placed,
    read_verdict,
    with_names,
)
from clirbench.report.html.report import WHERE, is_where
from clirbench.report.provenance import COMMAND, HASHED
from clirbench.text import TextFile

ENDS = (signal.SIGINT, signal.SIGTERM)
SHORT = re.compile(r"[\w.+!-]{1,60}")
"""A library and its version, which no sentence fits into."""
WAIT = 10
"""Seconds in which the process that computes ends after SIGTERM."""


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line; `--job FOLDER` is the process that computes."""
    parser = command_parser("verify", __doc__)
    given = sys.argv[1:] if arguments is None else list(arguments)
    if given[:1] == ["--job"]:
        parser.add_argument("--job", type=Path)
        return run_command(parser, given, _job)
    parser.add_argument("run", type=Path, metavar="RUN", help="the folder of a finished run")
    parser.add_argument("--data", type=Path, metavar="DIR", help="the folder that holds the inputs now")
    return run_command(parser, given, _verify)


def _job(options: Namespace) -> int:
    signal.pthread_sigmask(signal.SIG_UNBLOCK, ENDS)
    do_job(options.job)
    return 0


def _verify(options: Namespace) -> int:
    folder = options.run
    if not any((folder / name).exists() for name in (MANIFEST, MARKER, RESULTS)):
        raise InputError(f"{folder}: not the folder of a finished run: it has no {MANIFEST}")
    if lines := list(broken(folder)):
        return _failed(lines)
    try:
        recorded, results = read_provenance(folder, KEPT), read_results(folder, ("columns", "tables"))
    except InputError as error:
        return _failed([str(error)])
    sealed = read_manifest(folder)
    if sealed.inputs != recorded["read"]:
        return _failed([f"{MANIFEST}: names other inputs than {PROVENANCE}"])
    for name, version in ((MANIFEST, sealed.clirbench), (RESULTS, results.get("clirbench"))):
        if version != recorded.get("clirbench"):
            return _failed([f"{name}: clirbench: is another version than that of {PROVENANCE}"])
    said = {"": recorded.get("python"), **(recorded.get("libraries") or {})}
    if prose := [name or "python" for name, version in said.items() if not SHORT.fullmatch(f"{name}{version}")]:
        return _failed([f"{PROVENANCE}: {prose[0]}: is no version"])
    if cannot := no_command_line(recorded["command"]):
        return _tell(folder, folder, Verdict((Unchecked(cannot),)), recorded, results)
    places = input_places(recorded, options.data)
    if options.data and recorded["read"] and not places:
        missing = "no such folder" if not options.data.is_dir() else f"has no {Path(min(recorded['read'])).name}"
        raise InputError(f"{options.data}: {missing}; name the folder that holds the inputs now, --data DIR")
    if lines := list(_changed_inputs(recorded["read"], places, options.data)):
        return _failed(lines)
    with TemporaryDirectory(prefix="clirbench-verify-") as name:
        work = Path(name).resolve()
        job = {"provenance": recorded, "columns": results["columns"], "places": places}
        verdict = compute(job, work)
        return _tell(folder, work / RUN, verdict, recorded, results)


def _changed_inputs(read: Mapping[str, str], places: Mapping[str, str], data: Path | None) -> Iterator[str]:
    """A line for each input that is not what the run read; raises `InputError` for one that is not there."""
    for name, sha256 in read.items():
        path = placed(name, places)
        try:
            there = path.exists()
        except (OSError, ValueError):  # no name of a file can hold a NUL
            there = False
        if not there:
            where = f"{data}: has no {path.name}" if data else f"{path}: the run read this file, and it is gone"
            raise InputError(f"{where}; name the folder that holds the inputs now, --data DIR")
        if TextFile(path).fingerprint != sha256:
            yield f"{path}: is not what the run read: its content is another"


def compute(job: Mapping[str, Any], work: Path) -> Verdict:
    """Have another process compute a run again in the folder `work`; it ends with this one's SIGTERM or Ctrl-C."""
    (work / JOB).write_text(json.dumps(job), encoding="utf-8")
    own = str(Path(clirbench.__file__).resolve().parents[1])
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(filter(None, (own, os.environ.get("PYTHONPATH")))),
        "MPLCONFIGDIR": str(work / "matplotlib"),
        "TMPDIR": str(work),
    }
    command = [sys.executable, "-P", "-m", "clirbench.labs.verifying.commands.verify", "--job", str(work)]
    signal.pthread_sigmask(signal.SIG_BLOCK, ENDS)  # between the fork and the name of its process nothing may end us
    child = subprocess.Popen(
        command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    try:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, ENDS)
        said, _ = child.communicate()
    finally:
        if child.poll() is None:
            child.terminate()
            try:
                child.wait(WAIT)
            except subprocess.TimeoutExpired:
                child.kill()
                child.wait()
    if child.returncode:
        raise ResourceError(f"the run could not be computed again: {said.strip() or f'status {child.returncode}'}")
    return read_verdict(work)


def _tell(folder: Path, made: Path, verdict: Verdict, recorded: Mapping[str, Any], results: Mapping[str, Any]) -> int:
    """Print what came of it; returns the exit status."""
    if verdict.cannot:
        every = [str(column["name"]) for column in results["columns"]]
        print("cannot be checked:")
        for one in verdict.cannot:
            _print(f"  {', '.join(one.columns or every) or 'all'}: {one.why}")
        print("The seal holds: no file has changed since it was made.")
        return CANNOT_CHECK
    try:
        renamed = partial(with_names, renamed=verdict.renamed)
        lines = [*not_following(folder, made, renamed)] if (made / RESULTS).exists() else []
        lines += verdict.not_give
        sealed = {name: sha256 for name, (_, sha256) in read_manifest(folder).files.items() if name.endswith(HASHED)}
        if recorded["files"] != {name: sealed[name] for name in sealed if not name.startswith(STAYING)}:
            lines.append(f"{PROVENANCE}: files: is not the sha256 of each table of {MANIFEST}")
    except InputError as error:
        lines = [str(error)]
    versions = list(_other_versions(recorded))
    if lines:
        return _failed(lines, versions)
    copied = [one for one in results["columns"] if one["origin"] == "imported" or one.get("declared", {}).get("copied")]
    imported = [str(column["name"]) for column in copied]
    has_texts = bool(recorded["inputs"].get("systems"))
    tables = (recorded["configuration"].get("scores") or {}).get("tables") or []
    ours = [read_table(table_path(table)).header for table in tables if str(table).startswith(EMBEDDED)]
    if named := tuple(name for name in imported if has_texts and name not in chain(*ours) and can_compute(name)):
        why = "copied from files, and clirbench can compute it: leave it out, or give it another name"
        return _tell(folder, made, Verdict((Unchecked(why, named),)), recorded, results)
    done = f"{len(compared(read_manifest(folder).files))} files of {folder} were computed again."
    _print(f"These tables follow from these {'texts' if has_texts else 'score tables'}: {done}")
    metadata = set(results["tables"]["systems"]["columns"]) - {"system", *(one["name"] for one in results["columns"])}
    words = [word for word in recorded["command"][len(COMMAND) :] if not is_where(word)]
    making = [*MAKING, *(f"configuration.{key}" for key in WHERE)]
    for told, names in (
        ("Copied from inputs, not computed", [*imported, *sorted(metadata)]),
        ("Not checked, of the inputs", ["that texts, scores and names are what they say"]),
        ("Not checked, files", unchecked(folder)),
        (f"Not checked, in {PROVENANCE} and where reports repeat it", making),
        ("Not checked, what its maker says by the command line", words),
    ):
        if names:
            _print(f"{told}: {', '.join(names)}")
    for line in versions:
        _print(line)
    return 0


def _failed(lines: Sequence[str], versions: Sequence[str] = ()) -> int:
    """Print the first difference, and how many more there are."""
    _print(f"these tables do not follow: {lines[0]}")
    if len(lines) > 1:
        print(f"{len(lines) - 1} more differ")
    for line in versions:
        _print(line)
    return DOES_NOT_FOLLOW


def _other_versions(recorded: Mapping[str, Any]) -> Iterator[str]:
    """A line for each version that is not that of the run."""
    ours = {"clirbench": __version__, "unicode": unicodedata.unidata_version}
    for name, version in ours.items():
        if (made := recorded.get(name)) not in (None, version):
            yield f"made with {name.capitalize() if name == 'unicode' else name} {made}, checked with {version}"


def _print(line: str) -> None:
    print(one_line(line))


if __name__ == "__main__":
    sys.exit(main())
