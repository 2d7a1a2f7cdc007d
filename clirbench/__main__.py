"""The command line: `python -m clirbench [+experiment=NAME] [key=value ...]`, or a command and its arguments."""

import os
import platform
import signal
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from types import FrameType
from typing import Any

# Before numpy is loaded: matrices here are small and workers many, and OpenBLAS's threads wait for one another (a
# hundred times as long on a busy machine). With one, the last bits of a result do not depend on the number of cores.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import hydra
from hydra._internal.hydra import Hydra
from hydra.core.hydra_config import HydraConfig
from hydra.errors import CompactHydraException
from hydra.types import RunMode
from omegaconf import DictConfig, OmegaConf

from clirbench import __version__
from clirbench.commands.base import command, command_names, tolerate_closed_output
from clirbench.commands.faults import INTERRUPTED, SOME_FAILED, WORSE, check_memory, in_words
from clirbench.config import CONF, OPEN, build, check_override, limits_of, plain_configuration
from clirbench.configuration.spelling import spelled, spoken_of
from clirbench.engines.local import close_workers
from clirbench.errors import ClirbenchError, StoreError, gathered, raise_all
from clirbench.experiment import run, stored
from clirbench.inputs.preflight import preflight
from clirbench.inputs.reading import fitted, read_inputs
from clirbench.report import terminal
from clirbench.report.folder import RunFolder
from clirbench.report.provenance import provenance
from clirbench.store.plan import PLAN
from clirbench.store.snapshot import taken
from clirbench.text import set_limits

# Options of ours, as Hydra must read them.
OPTIONS = {"--json": "output.json=true", "--quiet": "output.quiet=true"}
# Hydra's own options whose value is a word of its own and no override.
OPTIONS_WITH_VALUE = frozenset(
    ("--cfg", "-c", "--package", "-p", "--config-name", "-cn", "--config-path", "-cp", "--config-dir", "-cd",
     "--experimental-rerun", "--info", "-i", "--shell-completion", "-sc")
)  # fmt: skip


class UserError(CompactHydraException):
    """An error in a job of a sweep: the sweep goes on with its other jobs, and says it at the end."""

    def __init__(self, text: str, status: int) -> None:
        super().__init__(text)
        self.status = status


@hydra.main(config_path=str(CONF), config_name="config", version_base="1.3")
def job(cfg: DictConfig) -> None:
    """One run, from the configuration to the run's folder."""
    try:
        status = _one_run(cfg)
    except Exception as error:
        text, status = in_words(error, Path(HydraConfig.get().runtime.output_dir))
        if HydraConfig.get().mode is RunMode.MULTIRUN:
            raise UserError(text, status) from error
        print(text, file=sys.stderr)
    finally:
        close_workers()
    if status and HydraConfig.get().mode is not RunMode.MULTIRUN:
        sys.exit(status)


def _one_run(cfg: DictConfig) -> int:
    """Do the run; returns the exit status of one that has come to its end: 2 where some systems failed."""
    set_limits(limits_of(cfg))
    if HydraConfig.get().mode is RunMode.MULTIRUN:
        swept = [override for override in HydraConfig.get().overrides.task if override not in sys.argv]
        terminal.say(f"\n{' '.join(swept) or 'the one condition'}\n")
    overrides = HydraConfig.get().overrides.task
    experiment = build(cfg, () if has_own_folders(HydraConfig.get()) else overrides)
    if cfg.check:
        with taken():
            experiment, inputs = fitted(experiment, read_inputs(experiment))
            terminal.show_inputs(experiment, inputs, preflight(experiment, inputs))
        return 0
    folder = RunFolder.claim(Path(HydraConfig.get().runtime.output_dir))
    with stored(experiment, Path(cfg.paths.cache), folder.path / PLAN) as ready:
        with terminal.progress() as watch:
            result = run(ready, watch)
        if not cfg.output.json:
            terminal.show(result, quiet=bool(cfg.output.quiet))
        folder.write(result, provenance(plain_configuration(cfg), _command(), result))
    terminal.show_folder(folder.path, as_json=bool(cfg.output.json), quiet=bool(cfg.output.quiet))
    raise_all([error for table in result.tables for error in table.failures])
    return WORSE if result.worse else SOME_FAILED if result.failed else 0


def has_own_folders(hydra_config: Any) -> bool:
    """Whether configurations of the user's take part (`--config-dir`, `hydra.searchpath`): they may use any key."""
    return any(source.provider not in ("hydra", "main", "schema") for source in hydra_config.runtime.config_sources)


def _command() -> list[str]:
    """The command line of this run, with folders of configurations that take part."""
    hydra_config = HydraConfig.get()
    sources = hydra_config.runtime.config_sources
    added = [source.path.removeprefix("file://") for source in sources if source.provider == "command-line"]
    searched = [o for o in hydra_config.overrides.hydra if o.lstrip("+").startswith("hydra.searchpath=")]
    options = [f"--config-dir={Path(folder).absolute()}" for folder in added]
    return ["python", "-m", "clirbench", *options, *searched, *hydra_config.overrides.task]


def check_run_folder(overrides: list[str]) -> None:
    """Raise `StoreError` where Hydra could not make the folder of the run (it would show a traceback)."""
    named = [o.partition("=")[2].strip("\"'") for o in overrides if o.partition("=")[0] == "hydra.run.dir"]
    folder = Path(named[-1]) if named and "$" not in named[-1] else Path("runs")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(
            f"{folder}: the run's folder cannot be made ({error.strerror}); choose hydra.run.dir=DIR"
        ) from None


def main() -> None:
    """The console script: nothing but our words reaches the terminal, however a run ends."""
    tolerate_closed_output()
    signal.signal(signal.SIGTERM, _interrupt)
    # Hydra would print what goes wrong by itself; here every error is to come up to this function.
    os.environ["HYDRA_FULL_ERROR"] = "1"
    try:
        if len(sys.argv) > 1 and sys.argv[1] in command_names():
            sys.exit(command(sys.argv[1])(sys.argv[2:]))
        if "--version" in sys.argv:
            print(f"clirbench {__version__}, Python {platform.python_version()}")
            return
        check_memory()
        sys.argv[1:] = prepared(sys.argv[1:])
        job()
    except KeyboardInterrupt:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        close_workers()
        print("stopped; a rerun does what is missing", file=sys.stderr)
        sys.exit(INTERRUPTED)
    except UserError as error:
        print(error, file=sys.stderr)
        sys.exit(error.status)
    except Exception as error:  # noqa: BLE001 - every one is put into words
        text, status = in_words(error)
        print(text, file=sys.stderr)
        sys.exit(status)


def _mode(self: Hydra, config_name: str | None, overrides: list[str]) -> Any:
    """`hydra.mode`; Hydra composes the whole configuration for it, which is left out where nothing can have set it."""
    named = any(override.lstrip("+").startswith(("hydra.mode", "hydra/", "hydra=")) for override in overrides)
    return _composed_mode(self, config_name, overrides) if named or own_folders(sys.argv[1:]) != [] else None


_composed_mode = Hydra.get_mode
Hydra.get_mode = _mode  # type: ignore[method-assign]


def _interrupt(number: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def prepared(arguments: Sequence[str]) -> list[str]:
    """The arguments, checked in our own words, with the experiment that they speak of where they name none."""
    arguments = [OPTIONS.get(a) or spelled(a, CONF / "metric") for a in arguments]
    overrides = [
        argument
        for before, argument in pairwise(["", *arguments])
        if not argument.startswith("-") and before not in OPTIONS_WITH_VALUE
    ]
    if "+experiment=study" in arguments:
        members = OmegaConf.load(CONF / "experiment" / "study.yaml")
        at = arguments.index("+experiment=study")
        kept = [f"pool.{key}=[{','.join(members.pool[key])}]" for key in members.pool]
        if find_spec("wordllama") and find_spec("tokenizers"):
            kept += [f"+retrieval@also_retrieval.{name}={name}" for name in members.retrievers]
        else:
            print(
                f"study: without {' and '.join(members.retrievers)}, which take: pip install 'clirbench[dense]'",
                file=sys.stderr,
            )
        arguments[at : at + 1] = ["--multirun", f"+experiment={','.join(members.study)}", *kept]
    folders = own_folders(arguments)
    arguments = ["++" + a if OPEN.fullmatch(a.partition("=")[0]) else a for a in arguments]
    errors: list[ClirbenchError] = []
    for override in overrides:
        with gathered(errors):
            check_override(override, folders)
    raise_all(errors)
    if len(overrides) == len(arguments):
        check_run_folder(overrides)
    if not any(override.lstrip("+").startswith("experiment=") for override in overrides):
        arguments.append(f"+experiment={spoken_of(overrides)}")
    return arguments


def own_folders(arguments: Sequence[str]) -> list[Path] | None:
    """Folders of configurations that `--config-dir` adds; None where others may take part too."""
    if any(a.startswith(("hydra.searchpath", "--config-path", "-cp", "--config-name", "-cn")) for a in arguments):
        return None
    given = [a.partition("=")[2] for a in arguments if a.startswith(("--config-dir=", "-cd="))]
    return [*map(Path, given), *(Path(a) for option, a in pairwise(arguments) if option in ("--config-dir", "-cd"))]


if __name__ == "__main__":
    main()
