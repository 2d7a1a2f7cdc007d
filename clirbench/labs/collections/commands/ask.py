"""`clirbench ask QUESTION --pair de-en`: is a metric's difference a difference in search, says the memory of others.

QUESTION: "chrF2 54.1 -> 55.3" or "chrF2 +1.2"; or A.txt B.txt --reference R.txt. Nothing is searched.
"""

import os
from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path

from clirbench.commands.base import command_parser, run_command
from clirbench.corpora.layout import language_pair
from clirbench.errors import ConfigError
from clirbench.labs.collections.memory import TOPICS, ask, question_of


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line."""
    parser = command_parser("ask", __doc__)
    parser.add_argument(
        "question", nargs="+", metavar="QUESTION", help="'chrF2 54.1 -> 55.3', 'chrF2 +1.2', or A.txt B.txt"
    )
    parser.add_argument("--pair", default="", metavar="de-en", help="the languages, source first; files tell theirs")
    parser.add_argument("--reference", type=Path, metavar="R.txt", help="the reference of A.txt and B.txt")
    parser.add_argument("--topics", type=int, default=TOPICS, metavar="N", help=f"of the search ({TOPICS})")
    return run_command(parser, arguments, _ask)


def _ask(options: Namespace) -> int:
    words, reference = options.question, options.reference
    question = " ".join(words)
    asked = (question,) if reference is None else (*map(Path, words),)
    if reference is None:
        if len(words) == 2 and any(map(os.path.exists, words)):
            raise ConfigError("ask: two files of lines need their reference: ask A.txt B.txt --reference R.txt")
        question_of(question)  # what is wrong with it, first
    if reference is None or options.pair:
        language_pair("--pair", options.pair)
    if reference is not None and len(asked) != 2:
        raise ConfigError("ask: with --reference two files of lines are expected: ask A.txt B.txt --reference R.txt")
    found = ask(*asked, reference=reference, pair=options.pair, topics=options.topics)
    for one in found if isinstance(found, tuple) else (found,):
        print(one)
    return 0
