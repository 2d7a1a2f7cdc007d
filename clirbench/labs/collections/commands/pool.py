"""`clirbench pool RUN RUN ...`: what runs over several collections say together: each metric's tau, each difference.

A score table with a column `collection` may stand for runs; `--measures` names its IR measures.
"""

from argparse import Namespace
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from clirbench.commands.base import command_parser, run_command
from clirbench.errors import ConfigError, escape_unseen
from clirbench.labs.collections.outcome import CAPTION, overview, write
from clirbench.labs.collections.pooling import pool
from clirbench.report import terminal


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line."""
    parser = command_parser("pool", __doc__)
    parser.add_argument("runs", type=Path, nargs="+", metavar="RUN", help="the folder of a finished run, or a table")
    parser.add_argument("--groups", default="", metavar="pair,year", help="what keeps collections together")
    parser.add_argument("--measures", default="", metavar="MAP,RBO", help="the IR measures of score tables")
    parser.add_argument(
        "--metrics", default="", metavar="BLEU,chrF2", help="their MT metrics; all other numbers if not said"
    )
    parser.add_argument("--apart", default="", metavar="RUN,RUN", help="runs that count by themselves, by name")
    parser.add_argument("--out", type=Path, default=Path("runs/pooled"), metavar="DIR", help="where the files go")
    return run_command(parser, arguments, _pool)


def _pool(options: Namespace) -> int:
    for run in map(str, options.runs):
        if "=" in run and not Path(run).exists():
            to = run.removeprefix("hydra.run.dir=") if run.startswith("hydra.run.dir=") else "DIR"
            raise ConfigError(f"pool: {run}: keys of a run have no meaning here; --out {to} says where the files go")
    lists = (options.groups, options.measures, options.metrics, options.apart)
    found = pool(options.runs, *([name for name in text.split(",") if name] for text in lists))
    for text in found.merged:
        terminal.say(text)
    terminal.show_analysis(replace(overview(found.strata), text=(CAPTION, *found.notes)))
    for path in write(options.out, found):
        print(escape_unseen(str(path)))
    return 0
