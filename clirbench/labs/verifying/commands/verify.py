"""`clirbench verify RUN [--data DIR]`: checks that a run's folder is whole, and that its tables follow from its texts.

First the seal: every file has the size and sha256 of manifest.json, every input the sha256 of then. Then everything is
computed again with no earlier result, while this process starts no program, reaches no machine and writes nowhere else.
Texts are equal, numbers within 1e-12 relative. `--data DIR`: where the inputs are now, if not where they were.

Exit status: 0 where these tables follow from these texts, with what was copied or not checked; 4 where they do not,
with the first difference; 5 where that cannot be checked, because a command, a server or somebody else's code took
part; 1 where an input is missing.
"""

import os
import unicodedata
from argparse import Namespace
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from clirbench import __version__
from clirbench.commands.base import CANNOT_CHECK, DOES_NOT_FOLLOW, command_parser, run_command
from clirbench.commands.rerun import KEPT
from clirbench.errors import InputError, interrupted, one_line
from clirbench.files.run_files import (
    MANIFEST,
    MARKER,
    PROVENANCE,
    RESULTS,
    STAYING,
    broken,
    no_run,
    read_manifest,
    read_provenance,
    read_results,
)
from clirbench.labs.verifying.recomputing import (
    MAKING,
    RUN,
    UNCHECKED,
    CannotCheck,
    DoesNotFollow,
    follow,
    input_places,
    no_command_line,
    placed,
    recompute,
    walk,
    with_names,
)
from clirbench.report.html.report import WHERE, is_where
from clirbench.report.provenance import COMMAND, HASHED
from clirbench.text import TextFile


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line."""
    parser = command_parser("verify", __doc__)
    parser.add_argument("run", type=Path, metavar="RUN", help="the folder of a finished run")
    parser.add_argument("--data", type=Path, metavar="DIR", help="the folder that holds the inputs now")
    return run_command(parser, arguments, _verify)


def _verify(options: Namespace) -> int:
    folder, versions = options.run, list[str]()
    if not any((folder / name).exists() for name in (MANIFEST, MARKER, RESULTS)):
        raise no_run(folder, MANIFEST)
    try:
        follow(broken(folder))
        try:
            recorded, results = read_provenance(folder, KEPT), read_results(folder, ("columns", "tables"))
        except InputError as error:
            raise DoesNotFollow(str(error)) from None
        follow(_other_makers(folder, recorded, results))
        if cannot := no_command_line(recorded["command"]):
            raise CannotCheck(cannot)
        places = input_places(recorded, options.data)
        if options.data and recorded["read"] and not places:
            missing = "no such folder" if not options.data.is_dir() else f"has no {Path(min(recorded['read'])).name}"
            raise InputError(f"{options.data}: {missing}; name the folder that holds the inputs now, --data DIR")
        follow(_changed_inputs(recorded["read"], places, options.data))
        versions += _other_versions(recorded)
        with TemporaryDirectory(prefix="clirbench-verify-") as name:
            work = Path(name).resolve()
            renamed = recompute(recorded, places, work)
            for line in (*_checked(folder, work / RUN, renamed, recorded, results), *versions):
                _print(line)
        return 0
    except (DoesNotFollow, CannotCheck) as found:
        if interrupted(found):  # a library has made it of Ctrl-C
            raise KeyboardInterrupt from found
        if isinstance(found, DoesNotFollow):
            more = [f"{len(found.args) - 1} more differ"] if len(found.args) > 1 else []
            lines = [f"these tables do not follow: {found.args[0]}", *more, *versions]
        else:
            seal = "The seal holds: no file has changed since it was made."
            lines = ["cannot be checked:", *(f"  {why}" for why in found.args), seal]
        for line in lines:
            _print(line)
        return DOES_NOT_FOLLOW if isinstance(found, DoesNotFollow) else CANNOT_CHECK


def _other_makers(folder: Path, recorded: Mapping[str, Any], results: Mapping[str, Any]) -> Iterator[str]:
    """Where the seal, the results and the record name other inputs or versions."""
    sealed = read_manifest(folder)
    if sealed["inputs"] != recorded["read"]:
        yield f"{MANIFEST}: names other inputs than {PROVENANCE}"
    for name, version in ((MANIFEST, sealed["clirbench"]), (RESULTS, results.get("clirbench"))):
        if version != recorded.get("clirbench"):
            yield f"{name}: clirbench: is another version than that of {PROVENANCE}"


def _changed_inputs(read: Mapping[str, str], places: Mapping[str, str], data: Path | None) -> Iterator[str]:
    """A line for each input that is not what the run read; raises `InputError` for one that is not there."""
    for name, sha256 in read.items():
        path = placed(name, places)
        if not os.path.exists(path):  # noqa: PTH110 - also for no name of a file, such as one with a NUL
            where = f"{data}: has no {path.name}" if data else f"{path}: the run read this file, and it is gone"
            raise InputError(f"{where}; name the folder that holds the inputs now, --data DIR")
        if TextFile(path).fingerprint != sha256:
            yield f"{path}: is not what the run read: its content is another"


def _checked(
    folder: Path, made: Path, renamed: Mapping[str, str], recorded: Mapping[str, Any], results: Mapping[str, Any]
) -> Iterator[str]:
    """What was checked and what was not; raises `DoesNotFollow` and `CannotCheck`."""
    sealed = read_manifest(folder)["files"]
    files = {name: file["sha256"] for name, file in sealed.items() if name.endswith(HASHED)}
    try:
        entries = [*walk(folder, made, partial(with_names, renamed=renamed))]
    except InputError as error:
        raise DoesNotFollow(str(error)) from None
    lines = [f"{name}: {line}" for name, line in entries if line not in ("", UNCHECKED)]
    if recorded["files"] != {name: files[name] for name in files if not name.startswith(STAYING)}:
        lines.append(f"{PROVENANCE}: files: is not the sha256 of each table of {MANIFEST}")
    follow(lines)
    columns = results["columns"]
    imported = [c["name"] for c in columns if c["origin"] == "imported" or c.get("declared", {}).get("copied")]
    has_texts = bool(recorded["inputs"].get("systems"))
    done = f"{sum(not line for _, line in entries)} files of {folder} were computed again."
    yield f"These tables follow from these {'texts' if has_texts else 'score tables'}: {done}"
    metadata = {*results["tables"]["systems"]["columns"]} - {"system", *(one["name"] for one in columns)}
    words = [word for word in recorded["command"][len(COMMAND) :] if not is_where(word)]
    for told, names in (
        ("Copied from inputs, not computed", [*imported, *sorted(metadata)]),
        ("Not checked, of the inputs", ["that texts, scores and names are what they say"]),
        ("Not checked, files", sorted(name for name, line in entries if line == UNCHECKED)),
        (
            f"Not checked, in {PROVENANCE} and where reports repeat it",
            [*MAKING, *map("configuration.{}".format, WHERE)],
        ),
        ("Not checked, what its maker says by the command line", words),
    ):
        if names:
            yield f"{told}: {', '.join(names)}"


def _other_versions(recorded: Mapping[str, Any]) -> Iterator[str]:
    """A line for each version that is not that of the run."""
    ours = {"clirbench": __version__, "unicode": unicodedata.unidata_version}
    for name, version in ours.items():
        if (made := recorded.get(name)) not in (None, version):
            yield f"made with {name.capitalize() if name == 'unicode' else name} {made}, checked with {version}"


def _print(line: str) -> None:
    print(one_line(line))
