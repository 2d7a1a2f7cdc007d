"""`clirbench rerun PROVENANCE [key=value ...]`: does a run again from its provenance.json, and tells whether its tables
come out the same, byte for byte; what differs is named: version, input, configuration.

No result is taken from the store. `key=value` says where an input is now (`folder=DIR`) or where to work (`engine=`).
The run is done in the folder in which it was done before; new tables go to `runs/rerun-*`.

Exit status: 0 where the bytes are the same; 1 where they are not, or an input is not what was read; else the run's own.
"""

import json
import os
import subprocess
import sys
from argparse import Namespace
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory, mkdtemp
from typing import Any

import clirbench
from clirbench.commands.base import command_parser, run_command
from clirbench.configuration.keys import NODES
from clirbench.corpora.alignment import listed
from clirbench.errors import ClirbenchError, InputError, StoreError, raise_all, shown
from clirbench.report.compared.comparison import leaves
from clirbench.report.provenance import COMMAND
from clirbench.text import TextFile

KEPT = ("command", "configuration", "files", "inputs", "read", "directory")
"""What a provenance.json must have."""
VERSIONS = ("clirbench", "python", "platform", "libraries")
WHERE = ("engine", "paths", "hydra")
"""Parts of a configuration that move no number."""
OURS = ("hydra.run.dir", "paths.cache")


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line."""
    parser = command_parser("rerun", __doc__)
    parser.add_argument("provenance", type=Path, metavar="PROVENANCE", help="the provenance.json of a finished run")
    parser.add_argument("overrides", nargs="*", metavar="key=value", help="where inputs lie now, where to work")
    return run_command(parser, arguments, _rerun)


def _rerun(options: Namespace) -> int:
    recorded = read_provenance(options.provenance)
    given = [absolute(override) for override in options.overrides]
    if not given:
        raise_all(list(moved(recorded["read"])))
    try:
        Path("runs").mkdir(exist_ok=True)
        folder = Path(mkdtemp(prefix="rerun-", dir="runs")).absolute()
    except OSError as error:
        raise StoreError(f"runs: cannot be written ({error.strerror})") from None
    home = Path(recorded["directory"])
    with fresh_store(home / recorded["configuration"]["paths"]["cache"]) as cache:
        arguments = [*again(recorded["command"], given), f'hydra.run.dir="{folder}"']
        own_cache = any(override.startswith("paths.cache=") for override in given)
        status = run_clirbench([*arguments, *([] if own_cache else [f'paths.cache="{cache}"'])], home)
    if not (folder / "provenance.json").is_file():
        return status
    found = read_provenance(folder / "provenance.json")
    for line in (named := list(differences(recorded, found))):
        print(shown(line))
    other = [n for n in {**recorded["files"], **found["files"]} if recorded["files"].get(n) != found["files"].get(n)]
    if not other:
        print(shown(f"the same bytes: {len(found['files'])} tables of {folder} are those of {options.provenance}"))
        return 0
    why = "" if named else "; version, inputs and configuration are the same"
    print(shown(f"other bytes: {listed(other)}{why}; see clirbench compare {options.provenance.parent} {folder}"))
    return 1


def read_provenance(path: Path) -> Mapping[str, Any]:
    """What made a run; raises `InputError` where the file does not say it all."""
    try:
        recorded = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise InputError(f"{path}: no provenance.json of a run ({error})") from None
    missing = [key for key in KEPT if key not in recorded] if isinstance(recorded, dict) else list(KEPT)
    if missing:
        raise InputError(f"{path}: does not say {', '.join(missing)}, without which the run cannot be done again")
    if tuple(recorded["command"][:3]) != COMMAND:
        raise InputError(
            f"{path}: the run was made in Python, from a DataFrame or components: no command line does it again, only "
            "the Python code that made it"
        )
    return dict(recorded)


def moved(read: Mapping[str, str]) -> Iterator[ClirbenchError]:
    """An error for each file that the run read and that is not what it was."""
    for name, sha256 in read.items():
        if not Path(name).is_file():
            yield InputError(f"{name}: the run read this file, and it is gone; say where it is now, such as folder=DIR")
        elif TextFile(Path(name)).fingerprint != sha256:
            yield InputError(f"{name}: is not what the run read: its content is another")


def again(command: Sequence[str], given: Sequence[str]) -> list[str]:
    """The arguments of a run, less those that are given anew or say where it was made, then those given."""
    keys = {*OURS, *map(key_of, given)}
    return [*(part for part in command[3:] if key_of(part) not in keys), *given]


def key_of(override: str) -> str:
    return override.lstrip("+~").partition("=")[0]


def absolute(override: str) -> str:
    """`key=PATH` with the whole path: the run is done in the folder in which it was done before."""
    key, _, value = override.partition("=")
    is_path = value and key.lstrip("+") not in NODES and Path(value).exists()
    return f'{key}="{Path(value).absolute()}"' if is_path else override


@contextmanager
def fresh_store(cache: Path) -> Iterator[Path]:
    """A cache with the downloads and translations of another, and without its results."""
    with TemporaryDirectory(prefix="clirbench-rerun-") as folder:
        for entry in cache.iterdir() if cache.is_dir() else ():
            if entry.name != "store":
                (Path(folder) / entry.name).symlink_to(entry.absolute())
        yield Path(folder)


def run_clirbench(arguments: Sequence[str], home: Path) -> int:
    """Run this very clirbench, whatever lies in the folder where it runs; returns its exit status."""
    own = str(Path(clirbench.__file__).resolve().parents[1])
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, (own, os.environ.get("PYTHONPATH"))))}
    command = [sys.executable, "-P", "-m", "clirbench", *arguments]
    return subprocess.run(command, cwd=home if home.is_dir() else None, env=environment, check=False).returncode


def differences(recorded: Mapping[str, Any], found: Mapping[str, Any]) -> Iterator[str]:
    """A line for each version, input and key of the configuration that is not what it was."""
    kinds = {
        "version": [{name: made.get(name) for name in VERSIONS} for made in (recorded, found)],
        "input": [made["inputs"] for made in (recorded, found)],
        "configuration": [
            {key: value for key, value in made["configuration"].items() if key not in WHERE}
            for made in (recorded, found)
        ],
    }
    for kind, pair in kinds.items():
        before, after = (dict(leaves(part, "")) for part in pair)
        for key in {**before, **after}:
            if before.get(key) != after.get(key):
                yield f"{kind}: {key} was {before.get(key, 'not there')}, is {after.get(key, 'not there')}"


if __name__ == "__main__":
    sys.exit(main())
