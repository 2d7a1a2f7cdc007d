"""The command line: `python -m clirbench [+experiment=NAME] [key=value ...]`, or a command and its arguments."""

import os
import re
import signal
import sys
from collections.abc import Sequence
from dataclasses import replace
from itertools import accumulate, pairwise
from pathlib import Path
from types import FrameType
from typing import Any

import hydra
from hydra.core.hydra_config import HydraConfig
from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.errors import CompactHydraException, HydraException
from hydra.types import RunMode
from omegaconf import DictConfig, OmegaConf

from clirbench.commands.base import command, command_names, tolerate_closed_output
from clirbench.commands.faults import INTERRUPTED, SOME_FAILED, in_words
from clirbench.config import build, limits_of
from clirbench.engines.local import close_workers
from clirbench.errors import ClirbenchError, ConfigError, NotReproduced, StoreError, UnknownName, gathered, raise_all
from clirbench.experiment import read_inputs, run
from clirbench.report import terminal
from clirbench.report.folder import RunFolder
from clirbench.report.provenance import provenance
from clirbench.store.cached import Cached
from clirbench.store.plan import PLAN, Plan
from clirbench.store.snapshot import taken
from clirbench.store.store import Store
from clirbench.text import set_limits

HERE = Path(__file__).resolve().parent
# In a wheel conf/ lies inside the package, in a checkout beside it.
CONF = HERE / "conf" if (HERE / "conf").is_dir() else HERE.parent / "conf"

# Keys that Hydra would take with `++` alone: names of the user's in an empty mapping, and what goes with any judgments.
OPEN = re.compile(
    r"relevance\.force|also\.force|pool\.about|scores\.rename|paper\.(?:parts\.\w+\.)?(?:scores|folders|human)"
)
DEEPEST = 20
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
    store = Store(Path(cfg.paths.cache) / "store")
    store.sweep()
    plan = Plan.begin(folder.path / PLAN, store.path)
    with store.used(), taken(store.path):
        with terminal.progress() as watch:
            result = run(replace(experiment, engine=Cached(experiment.engine, store, plan), plan=plan), watch)
        terminal.show(result)
        folder.write(result, provenance(OmegaConf.to_container(cfg, resolve=True), _command(), result))
    terminal.show_folder(folder.path)
    raise_all([NotReproduced(text) for table in result.tables for text in table.failures])
    return SOME_FAILED if result.failed else 0


def has_own_folders(hydra_config: Any) -> bool:
    """Whether configurations of the user's take part (`--config-dir`, `hydra.searchpath`): they may use any key."""
    return any(source.provider not in ("hydra", "main", "schema") for source in hydra_config.runtime.config_sources)


def _command() -> list[str]:
    return ["python", "-m", "clirbench", *HydraConfig.get().overrides.task]


HOME = re.compile(r"(?P<key>[+~]*[\w.@/]+)=(?P<quote>[\"']?)~(?P<rest>/.*|)")


def at_home(argument: str) -> str:
    """`key=~/x` with the home folder in it: Hydra's grammar refuses the tilde, and nothing else would expand it."""
    found = HOME.fullmatch(argument)
    if found is None:
        return argument
    rest = found["rest"].removesuffix(found["quote"]) if found["quote"] else found["rest"]
    return f'{found["key"]}="{Path.home()}{rest}"'


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
    sys.argv[1:] = [at_home(argument) for argument in sys.argv[1:]]
    overrides = [
        argument
        for before, argument in pairwise(["", *sys.argv[1:]])
        if not argument.startswith("-") and before not in OPTIONS_WITH_VALUE
    ]
    if "+experiment=study" in sys.argv:
        members = OmegaConf.load(CONF / "experiment" / "study.yaml")
        at = sys.argv.index("+experiment=study")
        kept = [f"pool.{key}=[{','.join(members.pool[key])}]" for key in members.pool]
        sys.argv[at : at + 1] = ["--multirun", f"+experiment={','.join(members.study)}", *kept]
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
        sys.argv.append(f"+experiment={_spoken_of(overrides)}")


def own_folders(arguments: Sequence[str]) -> list[Path] | None:
    """Folders of configurations that `--config-dir` adds; None where others may take part too."""
    if any(a.startswith(("hydra.searchpath", "--config-path", "-cp", "--config-name", "-cn")) for a in arguments):
        return None
    given = [a.partition("=")[2] for a in arguments if a.startswith(("--config-dir=", "-cd="))]
    return [*map(Path, given), *(Path(a) for option, a in pairwise(arguments) if option in ("--config-dir", "-cd"))]


def _spoken_of(overrides: list[str]) -> str:
    if any(override.startswith("folder=") for override in overrides):
        return "folder"
    return "scores" if any(override.startswith("scores.tables=") for override in overrides) else "demo"


def check_override(text: str, folders: Sequence[Path] | None = ()) -> None:
    """Say in our own words what Hydra would refuse: a value that its grammar cannot read, an unknown choice.

    folders: where configurations of the user's lie too; None: anywhere, so that choices cannot be checked.
    """
    nested = accumulate((character in "[{(") - (character in "]})") for character in text)
    if max(nested, default=0) > DEEPEST:
        raise ConfigError(f"{text}: lists and mappings are nested more than {DEEPEST} deep")
    try:
        override = OverridesParser.create().parse_override(text)
    except HydraException:
        key, _, value = text.partition("=")
        raise ConfigError(
            f"{text}: cannot be read. A value with = , ( ) {{ }} [ ] : or a space in it is quoted inside the shell's "
            f"quotes: '{key}=\"{value}\"'"
        ) from None
    group = override.key_or_group
    if folders is None or override.is_delete() or not (CONF / group).is_dir():
        return
    if override.is_sweep_override():
        for value in override.sweep_string_iterator() if override.is_choice_sweep() else ():
            check_override(f"{group}={value}", folders)
        return
    choices = [path.stem for folder in (CONF, *folders) for path in (folder / group).glob("*.yaml")]
    named = override.value()
    for name in named if isinstance(named, list) else [named]:
        if name is not None and not isinstance(name, str):
            raise ConfigError(f"{text}: {name!r} is no name; {group} is one of {', '.join(sorted(choices))}")
        if name is not None and name not in choices:
            raise UnknownName(group, name, choices)


if __name__ == "__main__":
    main()
