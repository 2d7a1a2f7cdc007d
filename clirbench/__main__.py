"""The command line: `clirbench [DIR | +experiment=NAME] [key=value ...]`, or a command and its arguments."""

# ruff: noqa: E402

import gc
import os
import platform
import re
import signal
import sys
import warnings
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from functools import partial
from inspect import signature
from itertools import pairwise
from pathlib import Path
from typing import Any, NoReturn

from clirbench.files import direct

if __name__ == "__main__":
    direct.answer()

# Before numpy is loaded: matrices here are small and workers many, and OpenBLAS's threads wait for one another (a
# hundred times as long on a busy machine). With one, the last bits of a result do not depend on the number of cores.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
# Ctrl-C while libraries are loaded ends the program without their traceback; afterwards `main` says what happens.
_at_start = signal.getsignal(signal.SIGINT)
if _at_start is signal.default_int_handler:
    signal.signal(signal.SIGINT, lambda *_: os._exit(130))

import hydra
from hydra._internal.config_loader_impl import ConfigLoaderImpl
from hydra._internal.utils import get_args_parser
from hydra.core.hydra_config import HydraConfig
from hydra.core.object_type import ObjectType
from omegaconf import DictConfig, open_dict

from clirbench import __version__
from clirbench.commands import base
from clirbench.configuration import advice
from clirbench.configuration.composing import CONF, composed, plain_configuration, prepare_overrides, sweep_of
from clirbench.configuration.laboratories import config_folders
from clirbench.engines.base import leave_clusters
from clirbench.errors import ConfigError, interrupt, interrupted, raise_all
from clirbench.files.run_files import refuse_links
from clirbench.keys import SEARCH_PATH, key_of
from clirbench.text import set_limits

if _at_start is signal.default_int_handler:
    signal.signal(signal.SIGINT, _at_start)

# Options of ours, as Hydra must read them.
OPTIONS = {"--json": "output.json=true", "--quiet": "output.quiet=true"}
OURS = ("hydra.run.dir", SEARCH_PATH)
"""Keys of Hydra that a single run may set; with others, or with an option, Hydra itself starts the run."""

_ended: list[int] = []
"""The exit status of each run; a sweep goes on after one that failed."""
_answerable: list[tuple[str, dict[str, Any], Any]] = []
"""Folder, configuration and snapshot of each run that only read files and computed."""


def main() -> None:
    """The console script: nothing but our words reaches the terminal, however a run ends."""
    base.tolerate_closed_output()
    signal.signal(signal.SIGTERM, interrupt)
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # a job in the background ignores it
        signal.signal(signal.SIGINT, interrupt)
    # Hydra would print what goes wrong by itself; here every error is to come up to this function.
    os.environ["HYDRA_FULL_ERROR"] = "1"
    warnings.filterwarnings("error", r"Callback SweepTable\.")  # Hydra would only warn that a sweep has no table
    folder = None
    try:
        if len(sys.argv) > 1 and "=" not in sys.argv[1] and sys.argv[1] in base.commands():
            sys.exit(base.command(sys.argv[1])(sys.argv[2:]))
        if "--version" in sys.argv:
            print(f"clirbench {__version__}, Python {platform.python_version()}")
            return
        base.check_memory()
        sys.argv[1:] = arguments = prepare_arguments(sys.argv[1:])
        if any(one[0] == "-" or (key_of(one)[:5] == "hydra" and key_of(one) not in OURS) for one in arguments):
            job()
        else:
            cfg = composed(arguments)
            folder = Path(cfg.hydra.run.dir).absolute()
            with open_dict(cfg):
                del cfg["hydra"]
            _ended.append(run(cfg, folder, arguments)[0])
        if direct.asked:
            keep_answer(arguments, folder)
        gc.freeze()  # the end would look for cycles in all that a run has made
        if any(_ended):
            sys.exit(next(filter(None, _ended)))
    except (Exception, KeyboardInterrupt) as error:  # noqa: BLE001 - every one is put into words
        if interrupted(error):
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            leave_clusters()
            print("stopped; a rerun does what is missing", file=sys.stderr)
            sys.exit(base.INTERRUPTED)
        of_table = error.__context__ if isinstance(error, UserWarning) else None
        text, status = base.in_words(of_table or error, folder)
        print(text, file=sys.stderr)
        sys.exit(status)


@hydra.main(config_path=str(CONF), config_name="config", version_base="1.3")
def job(cfg: DictConfig) -> str | float | None:
    """A run that Hydra starts, mostly one of a sweep; returns `objective`, which a sweeper asks for, or why it failed.

    Raises what went wrong where there is an objective: a sweeper takes no text for a number.
    """
    settings = HydraConfig.get()
    folder = Path(settings.runtime.output_dir)
    returned: str | float | None
    try:
        swept = [override for override in settings.overrides.task if override not in sys.argv]
        base.say(f"\n{' '.join(swept) or 'the one condition'}\n")
        status, returned = run(cfg, folder, [*settings.overrides.hydra, *settings.overrides.task])
    except Exception as error:
        returned, status = base.in_words(error, folder)
        if cfg.objective:
            _ended.append(status)
            raise
        print(returned, file=sys.stderr)
    _ended.append(status)
    return returned


def run(cfg: DictConfig, place: Path, overrides: Sequence[str]) -> tuple[int, float | None]:
    """From a configuration to the folder of the run; returns the exit status, 2 where some systems failed, and the
    value of `objective`.

    place: the folder. overrides: those of Hydra and of the run.
    """
    # Here, because the help and errors of keys need none of it, and half a second is spent on it.
    from clirbench.api.running import running
    from clirbench.configuration.building import build, effects, has_own_folders, limits_of
    from clirbench.report import terminal
    from clirbench.report.folder import RunFolder
    from clirbench.report.provenance import COMMAND, provenance
    from clirbench.store.store import current_snapshot

    gc.freeze()  # what libraries consist of stays, and is shared with workers
    kept = [one for one in overrides if key_of(one)[:5] != "hydra" or key_of(one) == SEARCH_PATH]
    words = [*COMMAND, *kept]
    set_limits(limits_of(cfg))
    experiment = build(cfg)
    if cfg.check:
        for line in terminal.checked(experiment):
            terminal.tell(line)
        return 0, None
    with RunFolder.starting(place) as folder, running(experiment, Path(cfg.paths.cache), folder.path, words) as result:
        if not cfg.output.json:
            terminal.show(result, quiet=bool(cfg.output.quiet))
        configuration, seen = plain_configuration(cfg), current_snapshot()
        folder.write(result, provenance(configuration, words, result))
    terminal.show_folder(folder.path, as_json=bool(cfg.output.json), quiet=bool(cfg.output.quiet))
    raise_all([error for table in result.tables for error in table.failures])
    status = base.WORSE if result.worse else base.SOME_FAILED if result.failed else 0
    if direct.asked and status != base.SOME_FAILED and not (has_own_folders(words) or [*effects(configuration, CONF)]):
        _answerable.append((str(folder.path), configuration, seen))
    return status, result.objective


def keep_answer(arguments: Sequence[str], folder: Path | None) -> None:
    """Keep what was printed, to answer the next such start: of the run in `folder`, or of a sweep by Hydra itself.

    Not where a run failed or did more than read files and compute, or where runs of a sweep read different content.
    """
    from clirbench.configuration.building import named_files  # as in `run`
    from clirbench.report.provenance import shipped

    of_hydra = {key_of(one) for one in arguments if key_of(one)[:5] == "hydra"} - {"hydra.sweep.dir"}
    by_itself = "--multirun" in arguments and not of_hydra
    if not _answerable or len(_answerable) < len(_ended) or not (folder or by_itself):
        return
    folders, configurations, snapshots = zip(*_answerable, strict=True)
    read: dict[str, tuple[str, Any]] = {}
    known = [(path, (sha256, seen.states.get(path))) for seen in snapshots for path, sha256 in seen.seen.items()]
    if any(read.setdefault(path, one)[0] != one[0] for path, one in known):
        return
    sys.stdout.flush()
    text: Any = sys.stdout.buffer
    aside = "".join(f"{place}\n" for place in folders) if configurations[0]["output"]["json"] else ""
    said = (bytes(text.raw.kept), aside, next(filter(None, _ended), 0))
    program = map(str, [*shipped(), CONF, *config_folders(), *CONF.parent.glob("*.lock")])
    named = set().union(*map(named_files, configurations))
    direct.keep(folders[0] if folder else str(Path(folders[0]).parent), folders, said, read, program, named)


def prepare_arguments(arguments: Sequence[str]) -> list[str]:
    """The arguments as Hydra must read them, checked in our own words."""
    typed = arguments = [OPTIONS.get(argument, argument) for argument in arguments]
    for at, name in [(at, word.partition("=")[2]) for at, word in enumerate(arguments) if word[:12] == "+experiment="]:
        if (members := sweep_of(name)) is not None:
            arguments = [*arguments[:at], *_members(members), *arguments[at + 1 :]]
            typed = []  # members may set keys again
    read = parse_arguments(arguments)
    options = [argument for argument in arguments if argument not in read.overrides]
    if read.shell_completion or read.hydra_help:
        return [*options, *read.overrides]
    if read.config_dir:  # another way to write the same
        options = [one for one in options if not one.startswith(("--config-dir", "-cd")) and one != read.config_dir]
        read.overrides.append(f'{SEARCH_PATH}=["file://{Path(read.config_dir).absolute()}"]')
    if read.overrides and advice.names_folder(first := read.overrides[0]):
        from clirbench.api.running import quote_value  # here, because the help needs none of it

        read.overrides[0] = f"folder={quote_value(first)}"
    for place, word in enumerate(read.overrides):
        if "=" not in word and not word.startswith("~"):
            meant = advice.of_word(read.overrides, place, sorted(base.commands()))
            what = "no command and no key=value" if Path(word).exists() else "no folder, no command and no key=value"
            raise ConfigError(f"{word!r} is {what}. {meant}")
        if key_of(word) == "hydra.sweep.dir":
            refuse_links(Path(word.partition("=")[2].strip("\"'")))
    advice.refuse_twice(read.overrides if typed else ())
    advice.refuse_demo_beside_data([*options, *read.overrides])
    # In this order: after an option, Hydra's parser refuses overrides.
    return [*options, *prepare_overrides(read.overrides)]


def _members(members: DictConfig) -> list[str]:
    """The arguments of a sweep over the experiments that an experiment names."""
    pool, over = members.get("pool", {}), members.sweep.get("over", {})
    kept = [f"pool.{key}={v if isinstance(v, str) else '[' + ','.join(v) + ']'}" for key, v in pool.items()]
    kept += [*members.sweep.get("with", ()), *(f"{key}={','.join(values)}" for key, values in over.items())]
    return ["--multirun", f"+experiment={','.join(members.sweep.experiments)}", *kept]


def parse_arguments(arguments: Sequence[str]) -> Namespace:
    """What Hydra's own parser reads; raises `ConfigError` where it would print its usage and end the program."""
    parser = get_args_parser()
    known = parser._option_string_actions
    unknown = [one for one in arguments if one[:1] == "-" and one.partition("=")[0] not in known]
    # Options of Hydra that take no value, but have one here, as those of other programs would.
    for one, after in pairwise(arguments):
        valued = one in ("-m", "-r", "--run") and not (after[:1] == "-" or "=" in after or advice.names_folder(after))
        unknown += [one] if valued or (one in known and Path(after).is_file()) else []
    parser.error = partial(_refuse, arguments, unknown)  # type: ignore[method-assign]
    if any(one in known for one in unknown):
        parser.error(f"unrecognized arguments: {' '.join(unknown)}")
    return parser.parse_intermixed_args(arguments)


def _refuse(arguments: Sequence[str], unknown: Sequence[str], message: str) -> NoReturn:
    if found := re.search(r"argument --\w+/(-\w)", message):  # -i is sacreBLEU's input, and Hydra's --info
        unknown = [*unknown, *(one for one in arguments if one[:2] == found[1])]
        message = f"{found[1]} is no option of clirbench" if unknown else message
    raise ConfigError(f"{message}; {advice.of_options(unknown, arguments)}")


def _options(self: ConfigLoaderImpl, group_name: str, *of: Any, **more: Any) -> list[str]:
    """`get_group_options`: for each of the 145 of `--help` Hydra would copy the whole configuration."""
    asked = signature(_listed).bind(self, group_name, *of, **more).arguments
    if asked.get("config_name") or asked.get("overrides"):
        return _listed(self, group_name, *of, **more)
    return self.repository.get_group_options(group_name, asked.get("results_filter", ObjectType.CONFIG))


_listed = ConfigLoaderImpl.get_group_options
ConfigLoaderImpl.get_group_options = _options  # type: ignore[method-assign]


def _check_text(self: Any, action: Any) -> None:
    """`_check_help`: argparse of 3.14 looks for % in each help; one of Hydra 1.3.8 is no text before it is shown."""
    if isinstance(action.help, str):
        _check_help(self, action)


_check_help: Any = getattr(ArgumentParser, "_check_help", None)
if _check_help is not None:
    ArgumentParser._check_help = _check_text  # type: ignore[attr-defined]


if __name__ == "__main__":
    main()
