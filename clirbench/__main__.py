"""The command line: `python -m clirbench [+experiment=NAME] [key=value ...]`, or a command and its arguments."""

import os
import signal
import sys
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from types import FrameType
from typing import Any

import hydra
from hydra.core.hydra_config import HydraConfig
from hydra.errors import CompactHydraException
from hydra.types import RunMode
from omegaconf import DictConfig

from clirbench.commands.base import command, command_names, tolerate_closed_output
from clirbench.commands.faults import INTERRUPTED, SOME_FAILED, WORSE, check_memory, in_words
from clirbench.config import CONF, OPEN, as_meant, build, check_override, limits_of, plain_configuration, spoken_of
from clirbench.engines.local import close_workers
from clirbench.errors import ClirbenchError, StoreError, gathered, raise_all
from clirbench.experiment import read_inputs, run, stored
from clirbench.report import terminal
from clirbench.report.folder import RunFolder
from clirbench.report.provenance import provenance
from clirbench.store.plan import PLAN
from clirbench.store.snapshot import taken
from clirbench.text import set_limits

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
    overrides = HydraConfig.get().overrides.task
    experiment = build(cfg, () if has_own_folders(HydraConfig.get()) else overrides)
    if cfg.check:
        with taken():
            terminal.show_inputs(experiment, read_inputs(experiment))
        return 0
    folder = RunFolder.claim(Path(HydraConfig.get().runtime.output_dir))
    with stored(experiment, Path(cfg.paths.cache), folder.path / PLAN) as ready:
        with terminal.progress() as watch:
            result = run(ready, watch)
        if not cfg.output.json:
            terminal.show(result)
        folder.write(result, provenance(plain_configuration(cfg), _command(), result))
    terminal.show_folder(folder.path, as_json=bool(cfg.output.json))
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
        check_memory()
        prepare()
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


def _interrupt(number: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def prepare() -> None:
    """Check the arguments in our own words, and add the experiment that they speak of where they name none."""
    sys.argv[1:] = ["output.json=true" if a == "--json" else as_meant(a) for a in sys.argv[1:]]
    overrides = [
        argument
        for before, argument in pairwise(["", *sys.argv[1:]])
        if not argument.startswith("-") and before not in OPTIONS_WITH_VALUE
    ]
    folders = own_folders(sys.argv[1:])
    sys.argv[1:] = ["++" + a if OPEN.fullmatch(a.partition("=")[0]) else a for a in sys.argv[1:]]
    errors: list[ClirbenchError] = []
    for override in overrides:
        with gathered(errors):
            check_override(override, folders)
    raise_all(errors)
    if len(overrides) == len(sys.argv) - 1:
        check_run_folder(overrides)
    if not any(override.lstrip("+").startswith("experiment=") for override in overrides):
        sys.argv.append(f"+experiment={spoken_of(overrides)}")


def own_folders(arguments: Sequence[str]) -> list[Path] | None:
    """Folders of configurations that `--config-dir` adds; None where others may take part too."""
    if any(a.startswith(("hydra.searchpath", "--config-path", "-cp", "--config-name", "-cn")) for a in arguments):
        return None
    given = [a.partition("=")[2] for a in arguments if a.startswith(("--config-dir=", "-cd="))]
    return [*map(Path, given), *(Path(a) for option, a in pairwise(arguments) if option in ("--config-dir", "-cd"))]


if __name__ == "__main__":
    main()
