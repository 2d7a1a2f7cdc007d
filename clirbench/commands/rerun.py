"""`clirbench rerun PROVENANCE [key=value ...]`: does a run again from its provenance.json, and tells whether its tables
come out the same, byte for byte; `clirbench compare` says what else differs.

No result is taken from the store. `key=value` says where an input is now (`folder=DIR`) or where to work (`engine=`).
Names of inputs begin at the folder in which the run was done, and nothing changes into it; new tables go to
`runs/rerun-*`, or to `hydra.run.dir=DIR`.
Somebody may have sent the file: what would be done is shown, and done only with `--trust`.

Exit status: 0 where the bytes are the same; 1 where they are not, or an input is not what was read; else the run's own.
"""

import os
import re
import subprocess
import sys
from argparse import Namespace
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from fnmatch import fnmatch
from pathlib import Path
from tempfile import TemporaryDirectory, mkdtemp
from typing import Any

import clirbench
from clirbench.commands.base import command_parser, run_command, say
from clirbench.configuration.building import has_own_folders, refusals, side_effects
from clirbench.corpora.sides import first_ten
from clirbench.errors import ClirbenchError, ConfigError, InputError, one_line, raise_all
from clirbench.files.run_files import MANIFEST, PROVENANCE, PROVENANCE_SHAPE, RESULTS, path_inside, read_object
from clirbench.keys import NODES, SEARCH_PATH, key_of, may_name_files
from clirbench.report.provenance import COMMAND
from clirbench.text import TextFile

KEPT = ("command", "configuration", "files", "inputs", "read", "directory")
"""What a provenance.json must have."""
NAMED = re.compile(r""""[^"]*"|'[^']*'|[^][{},:"']+""")
"""A text in a value of the command line."""
OURS = ("hydra.run.dir", "paths.cache")


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line."""
    parser = command_parser("rerun", __doc__)
    parser.add_argument("provenance", type=Path, metavar="PROVENANCE", help="the provenance.json of a finished run")
    parser.add_argument("overrides", nargs="*", metavar="key=value", help="where inputs lie now, where to work")
    parser.add_argument("--trust", action="store_true", help="do it; without this, what would be done is shown")
    return run_command(parser, arguments, _rerun)


def _rerun(options: Namespace) -> int:
    recorded = read_provenance(options.provenance)
    given = [absolute(override) for override in options.overrides]
    raise_all(list(refusals(recorded["command"][3:])))
    from clirbench.configuration.composing import sweep_of

    for word in recorded["command"][3:]:
        if key_of(word) == "experiment" and sweep_of(word.partition("=")[2]):
            raise ConfigError(f"{word}: is many runs; do again those that it made")
    home = Path(recorded["directory"])
    words = rerun_arguments([whole_paths(word, home, recorded["read"]) for word in recorded["command"]], given)
    kept = home / str(recorded["configuration"]["paths"]["cache"])
    for line in shown_run(words, home, kept):
        say(one_line(line))
    if not options.trust:
        raise InputError(f"{options.provenance}: nothing was run; where all of the above is right, add --trust")
    if not given:
        raise_all(list(changed_inputs(recorded["read"])))
    folder = new_folder(given)
    with fresh_store(kept) as cache:
        own_cache = any(override.startswith("paths.cache=") for override in given)
        places = [f'hydra.run.dir="{folder}"', *([] if own_cache else [f'paths.cache="{cache}"'])]
        status = run_clirbench([*words, *places])
    if not (folder / PROVENANCE).is_file():
        return status
    found = read_provenance(folder / PROVENANCE)
    other = [n for n in {**recorded["files"], **found["files"]} if recorded["files"].get(n) != found["files"].get(n)]
    if not other:
        say(f"the same bytes: {len(found['files'])} tables of {folder} are those of {options.provenance}")
        return 0
    say(f"other bytes: {first_ten(other)}; what differs says clirbench compare {options.provenance.parent} {folder}")
    return 1


def read_provenance(path: Path) -> Mapping[str, Any]:
    """What made a run; raises `InputError` where the file does not say it all."""
    if path.is_dir() or path.name in (RESULTS, MANIFEST, "report.html"):
        beside = (path if path.is_dir() else path.parent) / PROVENANCE
        raise InputError(f"{path}: is not what a run is made from; type clirbench rerun {beside}")
    recorded = read_object(path_inside(path.parent, path.name), PROVENANCE_SHAPE, KEPT)
    if tuple(recorded["command"][:3]) != COMMAND:
        said = f"{path}: the run was made in Python, from a DataFrame or components: no command line does it again"
        raise InputError(f"{said}, only the Python code that made it")
    if "cache" not in recorded["configuration"].get("paths", {}):
        raise InputError(f"{path}: does not say paths.cache, without which the run cannot be done again")
    return recorded


def shown_run(words: Sequence[str], home: Path, cache: Path) -> Iterator[str]:
    """What a rerun does: its command line, its folders, and what of it can run code or reach other machines.

    A configuration from another folder than conf/ is not read for that: finding it can run code already.
    """
    from clirbench.configuration.building import complete
    from clirbench.configuration.composing import CONF, compose_configuration, plain_configuration

    yield "This run would be done again:"
    yield from (f"  {word}" for word in ("clirbench", *words))
    yield f"  names of its inputs begin at {home}; downloads and translations are those of {cache}; new ones go there"
    if has_own_folders(words):
        found = [f"{word}: its files can run anything" for word in words if has_own_folders([word])]
    else:
        cfg = compose_configuration(words)
        complete(cfg)
        found = list(side_effects(plain_configuration(cfg), CONF))
    yield "It only reads files and computes." if not found else "It can do more than read files and compute:"
    yield from (f"  {line}" for line in found)


def new_folder(given: Sequence[str]) -> Path:
    """The folder of the new run: the user's own `hydra.run.dir`, or a new one in `runs`."""
    named = [override.partition("=")[2].strip("\"'") for override in given if key_of(override) == "hydra.run.dir"]
    if not named:
        Path("runs").mkdir(exist_ok=True)
        named = [mkdtemp(prefix="rerun-", dir="runs")]
    return Path(named[-1]).absolute()


def changed_inputs(read: Mapping[str, str]) -> Iterator[ClirbenchError]:
    """An error for each file that the run read and that is not what it was."""
    for name, sha256 in read.items():
        try:
            if TextFile(Path(name)).fingerprint != sha256:
                yield InputError(f"{name}: is not what the run read: its content is another")
        except (InputError, ValueError):  # no name of a file can hold a NUL
            yield InputError(f"{name}: the run read this file, and it is gone; say where it is now, such as folder=DIR")


def rerun_arguments(command: Sequence[str], given: Sequence[str]) -> list[str]:
    """The arguments of a run without those that `given` replaces and those of its folder, then `given`."""
    keys = {*OURS, *map(key_of, given)}
    return [*(part for part in command[3:] if key_of(part) not in keys), *(o for o in given if key_of(o) != OURS[0])]


def absolute(override: str) -> str:
    """`key=PATH` with the whole path, as names in the file begin at another folder."""
    key, _, value = override.partition("=")
    is_path = value and key.lstrip("+") not in NODES and Path(value).exists()
    return f'{key}="{Path(value).absolute()}"' if is_path else override


def whole_paths(word: str, home: Path, read: Collection[str]) -> str:
    """A recorded `key=value` with the whole paths of the inputs that it names, which begin at the folder `home`."""
    key, equals, value = word.partition("=")
    if key_of(word) == SEARCH_PATH:
        return re.sub(r"file://(?!/)", lambda _: f"file://{home}/", word)

    def whole(found: re.Match[str]) -> str:
        name = found[0].strip("\"'")
        return f'"{home / name}"' if name and names_input(home, name, read) else found[0]

    return f"{key}{equals}{NAMED.sub(whole, value)}" if may_name_files(key_of(word)) else word


def names_input(home: Path, name: str, read: Collection[str]) -> bool:
    """Whether a name that begins at the folder `home` is that of files that a run read, or of a folder that has some.

    A pattern, also with %step%, is too, and a part in a folder that is no file: folder/A-B.
    """
    place = home / name
    folders = tuple(f"{one}/" for one in (place, place.parent)[: 1 + ("/" in name)])
    pattern = re.sub(r"%\w+%", "*", str(place))
    return any(fnmatch(path, pattern) or f"{path}/".startswith(folders) for path in read)


@contextmanager
def fresh_store(cache: Path) -> Iterator[Path]:
    """A cache with the downloads and translations of another, and without its results."""
    with TemporaryDirectory(prefix="clirbench-rerun-") as folder:
        for entry in cache.iterdir() if os.path.isdir(cache) else ():  # noqa: PTH112  no error for what is no path
            if entry.name != "store":
                (Path(folder) / entry.name).symlink_to(entry.absolute())
        yield Path(folder)


def run_clirbench(arguments: Sequence[str]) -> int:
    """Run this same clirbench in another process, also where the current folder has one; returns its exit status."""
    own = str(Path(clirbench.__file__).resolve().parents[1])
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, (own, os.environ.get("PYTHONPATH"))))}
    command = [sys.executable, "-P", "-m", "clirbench", *arguments]
    return subprocess.run(command, env=environment, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
