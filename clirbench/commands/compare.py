"""`clirbench compare RUN1 RUN2 [--html FILE]`: what differs between two runs: configuration, inputs, scores, agreement,
topics. Numbers that should be equal and are not are marked, and make the exit status 1.

Exit status: 0, or 1 where a number differs that should be equal; 2 where a folder cannot be read.
"""

import sys
from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path

from clirbench.commands.base import command_parser, run_command, say
from clirbench.report.compared import compare, read_run


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line."""
    parser = command_parser("compare", __doc__)
    parser.add_argument("first", type=Path, metavar="RUN1", help="the folder of a finished run")
    parser.add_argument("second", type=Path, metavar="RUN2", help="the folder of another")
    parser.add_argument("--html", type=Path, metavar="FILE", help="write the comparison as a page too")
    parser.add_argument("--rows", type=int, default=20, metavar="N", help="rows of the table shown here (default 20)")
    return run_command(parser, arguments, _compare, failed=2)


def _compare(options: Namespace) -> int:
    from clirbench.report.terminal import show_rows, tell

    found = compare(read_run(options.first), read_run(options.second))
    tell(found.verdict)
    show_rows(found.rows, options.rows)
    if options.html is not None:
        say(str(found.write_html(options.html)))
    return int(any(change.unequal for change in found.changes))


if __name__ == "__main__":
    sys.exit(main())
