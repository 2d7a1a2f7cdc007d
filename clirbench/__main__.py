"""The command line: `python -m clirbench [+experiment=NAME] [key=value ...]`, or a command and its arguments."""

import re
import sys
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import hydra
from hydra.core.hydra_config import HydraConfig
from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.errors import CompactHydraException, HydraException
from hydra.types import RunMode
from omegaconf import DictConfig, OmegaConf

from clirbench.commands.base import command, command_names, tolerate_closed_output
from clirbench.config import build
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

HERE = Path(__file__).resolve().parent
# In a wheel conf/ lies inside the package, in a checkout beside it.
CONF = HERE / "conf" if (HERE / "conf").is_dir() else HERE.parent / "conf"

# Keys whose value is a mapping from names of the user's: Hydra lets nobody add names to an empty mapping without `++`.
OPEN = re.compile(r"scores\.rename|paper\.(?:parts\.\w+\.)?(?:scores|folders|human)")
# Hydra's own options whose value is a word of its own and no override.
OPTIONS_WITH_VALUE = frozenset(
    ("--cfg", "-c", "--package", "-p", "--config-name", "-cn", "--config-path", "-cp", "--config-dir", "-cd",
     "--experimental-rerun", "--info", "-i", "--shell-completion", "-sc")
)  # fmt: skip


class UserError(CompactHydraException):
    """One of our errors, shown by Hydra as its message alone; a sweep goes on with its other jobs."""


@hydra.main(config_path=str(CONF), config_name="config", version_base="1.3")
def job(cfg: DictConfig) -> None:
    """One run, from the configuration to the run's folder."""
    try:
        experiment = build(cfg)
        if cfg.check:
            with taken():
                terminal.show_inputs(experiment, read_inputs(experiment))
            return
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
    except ClirbenchError as error:
        if HydraConfig.get().mode is RunMode.MULTIRUN:
            raise UserError(str(error)) from error
        print(f"error: {error}", file=sys.stderr)
        sys.exit(1)
    finally:
        close_workers()


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
    """The console script; without an experiment it runs the one that the arguments speak of."""
    tolerate_closed_output()
    if len(sys.argv) > 1 and sys.argv[1] in command_names():
        sys.exit(command(sys.argv[1])(sys.argv[2:]))
    sys.argv[1:] = [at_home(argument) for argument in sys.argv[1:]]
    overrides = [
        argument
        for before, argument in pairwise(["", *sys.argv[1:]])
        if not argument.startswith("-") and before not in OPTIONS_WITH_VALUE
    ]
    sys.argv[1:] = ["++" + a if OPEN.fullmatch(a.partition("=")[0]) else a for a in sys.argv[1:]]
    errors: list[ClirbenchError] = []
    for override in overrides:
        with gathered(errors):
            check_override(override)
    try:
        raise_all(errors)
        if len(overrides) == len(sys.argv) - 1:
            check_run_folder(overrides)
    except ClirbenchError as error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(1)
    if not any(override.lstrip("+").startswith("experiment=") for override in overrides):
        sys.argv.append(f"+experiment={_spoken_of(overrides)}")
    try:
        job()
    except KeyboardInterrupt:
        close_workers()
        print("stopped; a rerun does what is missing", file=sys.stderr)
        sys.exit(130)


def _spoken_of(overrides: list[str]) -> str:
    if any(override.startswith("folder=") for override in overrides):
        return "folder"
    return "scores" if any(override.startswith("scores.tables=") for override in overrides) else "demo"


def check_override(text: str) -> None:
    """Say in our own words what Hydra would refuse: a value that its grammar cannot read, an unknown choice."""
    try:
        override = OverridesParser.create().parse_override(text)
    except HydraException:
        key, _, value = text.partition("=")
        raise ConfigError(
            f"{text}: cannot be read. A value with = , ( ) {{ }} [ ] : or a space in it is quoted inside the shell's "
            f"quotes: '{key}=\"{value}\"'"
        ) from None
    group = CONF / override.key_or_group
    if override.is_sweep_override() or any(a.startswith("hydra.searchpath") for a in sys.argv) or not group.is_dir():
        return
    named = override.value()
    choices = [path.stem for path in group.glob("*.yaml")]
    for name in named if isinstance(named, list) else [named]:
        if isinstance(name, str) and name not in choices and name != "null":
            raise UnknownName(override.key_or_group, name, choices)


if __name__ == "__main__":
    main()
