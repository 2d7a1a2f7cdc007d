"""The command line: `python -m clirbench [+experiment=NAME] [key=value ...]`, or a command and its arguments."""

import os
import platform
import shutil
import signal
import sys
from argparse import Namespace
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from importlib.util import find_spec
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

# Before numpy is loaded: matrices here are small and workers many, and OpenBLAS's threads wait for one another (a
# hundred times as long on a busy machine). With one, the last bits of a result do not depend on the number of cores.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import hydra
from hydra._internal.config_loader_impl import ConfigLoaderImpl
from hydra._internal.hydra import Hydra
from hydra._internal.utils import get_args_parser
from hydra.core.hydra_config import HydraConfig
from hydra.core.object_type import ObjectType
from hydra.types import RunMode
from omegaconf import DictConfig

from clirbench import __version__
from clirbench.commands.base import (
    INTERRUPTED,
    SOME_FAILED,
    WORSE,
    check_memory,
    command,
    commands,
    in_words,
    tolerate_closed_output,
)
from clirbench.configuration import advice
from clirbench.configuration.composing import CONF, plain_configuration, prepare_overrides, sweep_of, without_leftovers
from clirbench.engines.base import leave_clusters
from clirbench.errors import ConfigError, StoreError, interrupt, interrupted, raise_all
from clirbench.files.run_files import EVENTS, read_manifest, refuse_links
from clirbench.keys import key_of
from clirbench.store.cached import PLAN
from clirbench.text import set_limits

if TYPE_CHECKING:
    from clirbench.report.folder import RunFolder

# Options of ours, as Hydra must read them.
OPTIONS = {"--json": "output.json=true", "--quiet": "output.quiet=true"}


KEPT_JOBS = 200
"""Jobs of a sweep whose configurations are kept in memory until they run."""


_failed_jobs: list[int] = []
"""The exit status of each job of a sweep that failed; the sweep goes on with its other jobs."""


@hydra.main(config_path=str(CONF), config_name="config", version_base="1.3")
def job(cfg: DictConfig) -> str | None:
    """One run, from the configuration to the run's folder; why it failed, of a job of a sweep."""
    swept = HydraConfig.get().mode is RunMode.MULTIRUN
    try:
        status = _one_run(cfg)
    except Exception as error:  # noqa: BLE001 - every one is put into words
        text, status = in_words(error, Path(HydraConfig.get().runtime.output_dir))
        print(text, file=sys.stderr)
        if swept:
            _failed_jobs.append(status)
            return text
    if status and not swept:
        sys.exit(status)
    return None


def _one_run(cfg: DictConfig) -> int:
    """Do the run; returns the exit status of one that has come to its end: 2 where some systems failed."""
    # Here, because the help and errors of keys need none of it, and half a second is spent on it.
    from clirbench.api.running import running
    from clirbench.configuration.building import build, limits_of
    from clirbench.report import terminal
    from clirbench.report.folder import RunFolder
    from clirbench.report.provenance import provenance

    set_limits(limits_of(cfg))
    if HydraConfig.get().mode is RunMode.MULTIRUN:
        swept = [override for override in HydraConfig.get().overrides.task if override not in sys.argv]
        terminal.say(f"\n{' '.join(swept) or 'the one condition'}\n")
    experiment = build(cfg)
    if cfg.check:
        try:
            for show, line in terminal.checked(experiment):
                show(line)
        finally:
            remove_unused(Path(HydraConfig.get().runtime.output_dir))
        return 0
    folder = RunFolder.claim(Path(HydraConfig.get().runtime.output_dir))
    if HydraConfig.get().mode is RunMode.MULTIRUN and _done_before(folder, plain_configuration(cfg)):
        return 0
    with running(experiment, Path(cfg.paths.cache), folder.path, _command()) as result:
        if not cfg.output.json:
            terminal.show(result, quiet=bool(cfg.output.quiet))
        folder.write(result, provenance(plain_configuration(cfg), _command(), result))
    terminal.show_folder(folder.path, as_json=bool(cfg.output.json), quiet=bool(cfg.output.quiet))
    raise_all([error for table in result.tables for error in table.failures])
    return WORSE if result.worse else SOME_FAILED if result.failed else 0


def _done_before(folder: "RunFolder", configuration: dict[str, Any]) -> bool:
    """Whether this job of a sweep, or of another sweep next to it, is finished and unchanged; its files are copied."""
    from clirbench.report.tables import copy_run, earlier_run
    from clirbench.report.terminal import say

    place = folder.path
    earlier = earlier_run([place, *sorted(place.parent.parent.glob(f"*/{place.name}"), reverse=True)], configuration)
    if earlier is None:
        return False
    if earlier.resolve() != place.resolve():
        for name in (PLAN, EVENTS):
            if (earlier / name).is_file():
                shutil.copy2(earlier / name, place / name)
        sealed = read_manifest(earlier)
        folder.put(lambda unfinished: copy_run(earlier, unfinished), sealed.inputs, sealed.clirbench)
    say(f"done before: {earlier}")
    return True


def remove_unused(folder: Path) -> None:
    """Remove the folder that Hydra made for a run that only checks, with those below runs/ that it leaves empty."""
    left = {path.name for path in folder.iterdir()} if folder.is_dir() else {"?"}
    if left - {".hydra"}:
        return
    shutil.rmtree(folder / ".hydra", ignore_errors=True)
    with suppress(OSError):  # not empty, or not ours to remove
        for made in (folder, *folder.parents):
            made.rmdir()
            if Path("runs").absolute() not in made.absolute().parents:
                break


def _command() -> list[str]:
    """The command line of this run, with folders of configurations that take part."""
    hydra_config = HydraConfig.get()
    sources = hydra_config.runtime.config_sources
    added = [source.path.removeprefix("file://") for source in sources if source.provider == "command-line"]
    searched = [o for o in hydra_config.overrides.hydra if o.lstrip("+").startswith("hydra.searchpath=")]
    options = [f"--config-dir={Path(folder).absolute()}" for folder in added]
    return ["python", "-m", "clirbench", *options, *searched, *hydra_config.overrides.task]


def check_run_folder(overrides: list[str], make: bool) -> None:
    """Raise `StoreError` where Hydra could not make the folder of the run (it would show a traceback), `InputError`
    where a link in it leads Hydra's own files elsewhere."""
    keys = ("hydra.run.dir", "hydra.sweep.dir")
    named = [o.partition("=")[2].strip("\"'") for o in overrides if key_of(o) in keys]
    folder = Path(named[-1]) if named and "$" not in named[-1] else Path("runs")
    if named:
        refuse_links(folder)
    if not make:
        return
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(
            f"{folder}: the run's folder cannot be made ({error.strerror}); choose hydra.run.dir=DIR"
        ) from None


def main() -> None:
    """The console script: nothing but our words reaches the terminal, however a run ends."""
    tolerate_closed_output()
    signal.signal(signal.SIGTERM, interrupt)
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # a job in the background ignores it
        signal.signal(signal.SIGINT, interrupt)
    # Hydra would print what goes wrong by itself; here every error is to come up to this function.
    os.environ["HYDRA_FULL_ERROR"] = "1"
    try:
        if len(sys.argv) > 1 and "=" not in sys.argv[1] and sys.argv[1] in commands():
            sys.exit(command(sys.argv[1])(sys.argv[2:]))
        if "--version" in sys.argv:
            print(f"clirbench {__version__}, Python {platform.python_version()}")
            return
        check_memory()
        sys.argv[1:] = prepare_arguments(sys.argv[1:])
        job()
        if _failed_jobs:
            sys.exit(_failed_jobs[0])
    except (Exception, KeyboardInterrupt) as error:  # noqa: BLE001 - every one is put into words
        if interrupted(error):
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            leave_clusters()
            print("stopped; a rerun does what is missing", file=sys.stderr)
            sys.exit(INTERRUPTED)
        text, status = in_words(error)
        print(text, file=sys.stderr)
        sys.exit(status)


def _mode(self: Hydra, config_name: str | None, overrides: list[str]) -> Any:
    """`hydra.mode`; Hydra composes the whole configuration for it, which is left out where nothing can have set it."""
    named = any(override.lstrip("+").startswith(("hydra.mode", "hydra/", "hydra=")) for override in overrides)
    return _composed_mode(self, config_name, overrides) if named or own_folders(sys.argv[1:]) != [] else None


_composed_mode = Hydra.get_mode
Hydra.get_mode = _mode  # type: ignore[method-assign]


def _settled(self: ConfigLoaderImpl, config_name: str | None, overrides: list[str], *mode: Any, **more: Any) -> Any:
    """`load_configuration` of a run, of a job of a sweep and of `--cfg`."""
    folders = [Path(source.path) for source in self.get_sources()]
    return without_leftovers(lambda some: _loaded(self, config_name, some, *mode, **more), overrides, folders)


_loaded = ConfigLoaderImpl.load_configuration
ConfigLoaderImpl.load_configuration = _settled  # type: ignore[method-assign]


def _options(self: ConfigLoaderImpl, group_name: str, *of: Any, **more: Any) -> list[str]:
    """`get_group_options`: for each of the 145 of `--help` Hydra would copy the whole configuration."""
    asked = signature(_listed).bind(self, group_name, *of, **more).arguments
    if asked.get("config_name") or asked.get("overrides"):
        return _listed(self, group_name, *of, **more)
    return self.repository.get_group_options(group_name, asked.get("results_filter", ObjectType.CONFIG))


_listed = ConfigLoaderImpl.get_group_options
ConfigLoaderImpl.get_group_options = _options  # type: ignore[method-assign]


def _composed_once(self: ConfigLoaderImpl, master_config: DictConfig, sweep_overrides: list[str]) -> DictConfig:
    """`load_sweep_config`; Hydra composes all jobs to see that they can be, and each again to run it."""
    key = tuple(sweep_overrides)
    if key in _legal:
        return _legal.pop(key)
    composed = _composed_job(self, master_config, sweep_overrides)
    if len(_legal) < KEPT_JOBS:
        _legal[key] = composed
    return composed


_legal: dict[tuple[str, ...], DictConfig] = {}
_composed_job = ConfigLoaderImpl.load_sweep_config
ConfigLoaderImpl.load_sweep_config = _composed_once  # type: ignore[method-assign]


def prepare_arguments(arguments: Sequence[str]) -> list[str]:
    """The arguments as Hydra must read them, checked in our own words."""
    arguments = [OPTIONS.get(argument, argument) for argument in arguments]
    for at, name in [(at, word.partition("=")[2]) for at, word in enumerate(arguments) if word[:12] == "+experiment="]:
        if (members := sweep_of(name)) is not None:
            arguments[at : at + 1] = _members(name, members)
    read = parse_arguments(arguments)
    options = [argument for argument in arguments if argument not in read.overrides]
    if read.shell_completion:
        return [*options, *read.overrides]
    for place, word in enumerate(read.overrides):
        if "=" not in word and not word.startswith("~"):
            meant = advice.of_word(read.overrides, place, sorted(commands()))
            raise ConfigError(f"{word!r} is neither key=value nor a command. {meant}")
    overrides = prepare_overrides(read.overrides, own_folders(arguments))
    check_run_folder(overrides, make=not options)
    return [*options, *overrides]  # in this order: after an option, Hydra's parser refuses overrides


def _members(name: str, members: DictConfig) -> list[str]:
    """The arguments of a sweep over the experiments that an experiment names."""
    pool = members.get("pool", {})
    kept = [f"pool.{key}={v if isinstance(v, str) else '[' + ','.join(v) + ']'}" for key, v in pool.items()]
    kept += [*members.sweep.get("with", ())]
    kept += [f"{key}={','.join(values)}" for key, values in members.sweep.get("over", {}).items()]
    further = members.sweep.get("retrieval", [])
    if not further:
        pass
    elif all(map(find_spec, members.sweep.get("needs", ()))):
        kept += [f"+retrieval@also_retrieval.{retriever}={retriever}" for retriever in further]
    else:
        print(f"{name}: without {' and '.join(further)}, which take: {members.sweep.install}", file=sys.stderr)
    return ["--multirun", f"+experiment={','.join(members.sweep.experiments)}", *kept]


def parse_arguments(arguments: Sequence[str]) -> Namespace:
    """What Hydra's own parser reads; raises `ConfigError` where it would print its usage and end the program."""
    parser = get_args_parser()
    parser.error = partial(_refuse, arguments)  # type: ignore[method-assign]
    return parser.parse_intermixed_args(arguments)


def _refuse(arguments: Sequence[str], message: str) -> NoReturn:
    option = message.removeprefix("unrecognized arguments: ").split()[0]
    raise ConfigError(f"{message}; {advice.of_option(option, arguments)}")


def own_folders(arguments: Sequence[str]) -> list[Path] | None:
    """Folders of configurations that `--config-dir` adds; None where others may take part too."""
    read = parse_arguments(arguments)
    if read.config_path or read.config_name or any(o.startswith("hydra.searchpath") for o in read.overrides):
        return None
    return [Path(read.config_dir)] if read.config_dir else []


if __name__ == "__main__":
    main()
