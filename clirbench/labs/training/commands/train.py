"""`clirbench train grid=NAME [then=run|watch] [key=value ...]`: trains a grid of MT systems, and compares them.

What is finished is never trained again, what was killed goes on from its last checkpoint. `then=run` then translates
with every checkpoint and makes a run of them; `then=watch` does so while they are trained. All keys but those of the
grid are the run's; without a collection (folder=DIR) the held-out pairs are searched.
"""

import subprocess
import sys
from argparse import Namespace
from collections.abc import Sequence

from clirbench.api.running import quote_value
from clirbench.commands.base import command_parser, run_command
from clirbench.commands.faults import SOME_FAILED
from clirbench.commands.rerun import run_clirbench
from clirbench.configuration.building import parts_of
from clirbench.configuration.composing import compose_configuration
from clirbench.configuration.keys import key_of
from clirbench.engines.base import Engine
from clirbench.engines.local import close_workers
from clirbench.errors import ConfigError, UnknownName
from clirbench.labs.training.grid import HELD_OUT, MODELS, SYSTEMS, Grid, lock_grid, plan, train
from clirbench.labs.training.progress import cut_notes
from clirbench.report import terminal

COLLECTIONS = ("folder", "corpus", "experiment")
THEN = ("run", "watch")
SMALL = ("documents.size=10", "topics=sentences", "topics.n=50", "relevance.k=10")
"""Of a run that searches the held-out pairs: even a weak system finds something for a whole sentence."""


def main(arguments: Sequence[str] | None = None) -> int:
    """0; 2: some cells failed, the rest is there; with `then=run` the run's own status where that is not 0."""
    parser = command_parser("train", __doc__)
    parser.add_argument("overrides", nargs="*", metavar="key=value", help="grid=NAME, grid.KEY=VALUE; keys of the run")
    return run_command(parser, arguments, _train)


def _train(options: Namespace) -> int:
    then = next((one.partition("=")[2] for one in reversed(options.overrides) if one.startswith("then=")), "")
    overrides = [one for one in options.overrides if not one.startswith("then=")]
    if not any(one.startswith("grid=") for one in overrides):
        raise ConfigError("clirbench train: name a grid, grid=tiny, gowda2020, lignos2019 or mine")
    if then and then not in THEN:
        raise UnknownName("then", then, THEN)
    keys = [one for one in overrides if not one.startswith("hydra.")]
    grid, engine = parts_of(compose_configuration(keys), grid=Grid, engine=Engine)
    if then and not grid.trainer.translate:
        raise ConfigError(f"then={then}: set grid.trainer.translator, the command that translates with a checkpoint")
    with lock_grid(grid.home):
        failed, trained, notes = _train_runs(grid, engine, overrides if then == "watch" else ())
        for name, why in failed.items():
            terminal.say(f"{name} is left out: {why}")
        for note in notes:
            terminal.say(note)
        status = SOME_FAILED if failed else 0
        if not then or not trained:
            return status
        remarks = [f"Training run {name} is left out: {why}" for name, why in failed.items()]
        arguments = run_keys(grid, overrides, (*remarks, *notes))
        if then == "watch":
            arguments = ["watch", "--once", *arguments, "systems.quiet=0"]
        return run_clirbench(arguments) or status


def _train_runs(grid: Grid, engine: Engine, watched: Sequence[str]) -> tuple[dict[str, str], int, list[str]]:
    """Why cells failed, how many did not, and how many pairs were cut, in sentences.

    watched: the keys of `clirbench watch`, where that is to look on.
    """
    watching = None
    try:
        cells = plan(grid, engine)
        if watched:
            command = [sys.executable, "-P", "-m", "clirbench", "watch", *run_keys(grid, watched), "systems.quiet=0"]
            watching = subprocess.Popen(command)
        with terminal.progress() as bar:
            failed = train(cells, engine, bar)
    finally:
        if watching is not None:
            watching.terminate()
            watching.wait()
        close_workers()
    terminal.say(f"{len(cells) - len(failed)} of {len(cells)} training runs are done: {grid.home}")
    return failed, len(cells) - len(failed), cut_notes(cells)


def run_keys(grid: Grid, overrides: Sequence[str], remarks: Sequence[str] = ()) -> list[str]:
    """The keys of the run that compares a grid's checkpoints: the user's own, and what those leave open."""
    given = [one for one in overrides if key_of(one).partition(".")[0].partition("/")[0] != "grid"]
    home = grid.home.absolute()
    ours = [
        "systems=checkpoints", f"systems.model={quote_value(str(home / MODELS))}", "systems.replicates=[]",
        f"systems.metadata={quote_value(str(home / SYSTEMS))}", "units=run", "analysis=[training]",
        *grid.trainer.translate,
    ]  # fmt: skip
    if len(grid.sizes) > 1:
        ours.append("given=[size]")
    keys = {key_of(one) for one in given}
    if not keys & set(COLLECTIONS):
        ours += [f"folder={quote_value(str(home / HELD_OUT))}", *SMALL]
    if remarks:
        ours.append(f"remarks={quote_value(list(remarks))}")
    return [*(one for one in ours if key_of(one) not in keys), *given]


if __name__ == "__main__":
    sys.exit(main())
