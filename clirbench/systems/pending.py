"""Files that are still being written: with `unfinished=skip` their system is pending, named and waited for."""

import gzip
import time
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from clirbench.checks import whole_number
from clirbench.corpora.base import Corpus
from clirbench.corpora.jsonl import JsonlText
from clirbench.errors import InputError, UnknownName
from clirbench.text import BLOCK, Text, open_binary
from clirbench.types import Translation

UNFINISHED = ("error", "skip")
ENDLESS = 60.0
"""Seconds without a change after which a last line without a newline counts as written: some writers end so."""


def check_settings(unfinished: str, quiet: int) -> None:
    """Raise `UnknownName`, `ConfigError` for what `systems.unfinished` and `systems.quiet` cannot be."""
    if unfinished not in UNFINISHED:
        raise UnknownName("systems.unfinished", unfinished, UNFINISHED)
    whole_number("systems.quiet", quiet, 0)


def without_unfinished(corpus: Corpus, systems: Iterable[Translation], quiet: float) -> tuple[Translation, ...]:
    """The systems; one with a file that is short, or was touched within `quiet` seconds, has no texts but a reason."""
    english = corpus.english.map

    def reason(translation: Translation) -> str:
        for text, n_lines in ((translation.collection, english.n_lines), (translation.test, len(corpus.test))):
            lines = len(english.doc_ids) if isinstance(text, JsonlText) else n_lines
            found = "" if text is None else unfinished_reason(text, lines, quiet)
            if found:
                return f"{text.where}: {found}" if text is not None else found
        return ""

    return tuple(as_pending(t, why) if not t.pending and (why := reason(t)) else t for t in systems)


def as_pending(translation: Translation, why: str) -> Translation:
    """The system without its texts, and why they cannot be read yet."""
    return replace(translation, test=None, collection=None, pending=why)


def unfinished_reason(text: Text, n_lines: int, quiet: float) -> str:
    """Why a text of `n_lines` lines cannot be read yet; empty where its files are finished or it has none.

    The files are checked outside of the run's snapshot: what grows later is no change of what was read.
    """
    for path in text.files:
        try:
            age = abs(time.time() - path.stat().st_mtime)  # a clock of another machine may be ahead
            found, ends = _counted(path)
        except (EOFError, zlib.error, gzip.BadGzipFile):
            return "a gzip file that has no end yet"
        except FileNotFoundError:
            return "gone"
        except (OSError, InputError):
            return ""  # whoever reads it says what is wrong
        if age < quiet:
            return "touched just now"
        if found < n_lines:
            return f"{found:,} of {n_lines:,} lines"
        if not ends and age < max(quiet, ENDLESS):
            return "its last line has no end yet"
    return ""


def recent_change_note(paths: Iterable[Path], quiet: float) -> str:
    """`touched just now` where one of the paths, or a file in it, was changed within `quiet` seconds."""
    ages = [abs(time.time() - file.stat().st_mtime) for path in paths for file in _below(path) if file.exists()]
    return "touched just now" if ages and min(ages) < quiet else ""


def _below(path: Path) -> Iterator[Path]:
    yield path
    yield from path.rglob("*") if path.is_dir() else ()


def _counted(path: Path) -> tuple[int, bool]:
    """How many lines a file has, and whether the last one is ended."""
    count, last = 0, b"\n"
    with open_binary(path) as stream:
        while piece := stream.read(BLOCK):
            count, last = count + piece.count(b"\n"), piece[-1:]
    return count + (last != b"\n"), last == b"\n"
