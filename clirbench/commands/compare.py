"""`clirbench compare RUN1 RUN2 [--html FILE]`: what differs between two runs.

Exit status: 0, or 1 where a number differs that should be equal; 2 where a folder cannot be read.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from clirbench.commands.base import tolerate_closed_output
from clirbench.errors import ClirbenchError
from clirbench.report.comparison import compare, read_run


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line."""
    tolerate_closed_output()
    parser = argparse.ArgumentParser(
        prog="clirbench compare",
        description="Show what differs between two runs: configuration, inputs, scores, agreement, topics. Numbers "
        "that should be equal and are not are marked, and make the exit status 1.",
        epilog="example: python -m clirbench.compare runs/demo/2026-01-01_10-00-00 runs/demo/2026-01-02_10-00-00 "
        "--html difference.html",
    )
    parser.add_argument("first", type=Path, metavar="RUN1", help="the folder of a finished run")
    parser.add_argument("second", type=Path, metavar="RUN2", help="the folder of another")
    parser.add_argument("--html", type=Path, metavar="FILE", help="write the comparison as a page too")
    parser.add_argument("--rows", type=int, default=20, metavar="N", help="rows of each table shown here (default 20)")
    chosen = parser.parse_args(arguments)
    from clirbench.report.comparison_view import show, write_html

    try:
        a, b = read_run(chosen.first), read_run(chosen.second)
        parts = compare(a, b)
        show(a, b, parts, chosen.rows)
        if chosen.html is not None:
            write_html(chosen.html, a, b, parts)
            print(chosen.html)
    except ClirbenchError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except OSError as error:
        print(f"error: {error.filename}: {error.strerror}", file=sys.stderr)
        return 2
    return int(any(change.unequal for part in parts for change in part.changes))


if __name__ == "__main__":
    sys.exit(main())
