"""Made-up programs of ten lines: a translator, an encoder, a scorer; each notes the lines that it answers."""

import json
import sys
from collections.abc import Sequence
from pathlib import Path

from clirbench.corpora.base import Corpus
from clirbench.labs.models.program import Program
from clirbench.labs.models.translating import Translators, translations
from clirbench.types import EMPTY, Translation

HEAD = """import json, os, sys, time
name, work = sys.argv[1].removeprefix("log:"), sys.argv[2]
slow_from = int(open(name + ".slow").read()) if os.path.exists(name + ".slow") else 1e9
for number, line in enumerate(map(lambda line: line.removesuffix("\\n"), sys.stdin)):
    time.sleep(60 if number >= slow_from else 0)
    print(eval(work), flush=True)
    print(line, file=open(name, "a"))
"""
TRANSLATE, ENCODE = "line.upper()", "json.dumps([line.count(letter) for letter in 'aeiou'])"
SCORE = "len(json.loads(line)['hypothesis']) / 10"


def program(log: Path, work: str = TRANSLATE, **settings: object) -> Program:
    return Program([sys.executable, "-c", HEAD, f"log:{log}", work], **settings)  # type: ignore[arg-type]


def slow(log: Path, after: int | None) -> None:
    """Let programs with this log hang after so many lines, or no more."""
    place = Path(f"{log}.slow")
    place.unlink(missing_ok=True) if after is None else place.write_text(str(after), encoding="ascii")


def python(code: str) -> Program:
    """A program that runs code with `lines`, all that it was given."""
    return Program([sys.executable, "-c", f"import sys; lines = sys.stdin.read().split(chr(10))[:-1]\n{code}"])


def sh(code: str, **settings: object) -> Program:
    return Program(["sh", "-c", code], **settings)  # type: ignore[arg-type]


def run(program: Program, lines: Sequence[str], model: Path | None = None) -> list[str]:
    """What a program writes for lines."""
    program.check(model)
    with program.started(model) as child:
        child.feed(lines, last=True)
        written = [child.read() for _ in lines]
        child.finish()
    return written


def noted(log: Path) -> list[str]:
    """The lines that a program has answered, but for empty ones."""
    return list(filter(None, log.read_text(encoding="utf-8").splitlines())) if log.exists() else []


def listed(corpus: Corpus, cache: Path, size: int = 2, **systems: Program) -> tuple[Translation, ...]:
    """One translation for each system, still to be made."""
    return translations(corpus, [(name, one, None, EMPTY) for name, one in systems.items()], str(cache), size)


def make(
    found: tuple[Translation, ...], pmap: object = None, rows: list[tuple[str, str, str]] | None = None
) -> tuple[tuple[Translation, ...], dict[str, str]]:
    """Make what is still to be made; `rows`: gets those of the plan."""
    told = [] if rows is None else rows
    return Translators().make(found, lambda title, values, total: values, told.extend, pmap)  # type: ignore[arg-type]


def texts(found: tuple[Translation, ...]) -> dict[str, tuple[str, ...] | None]:
    return {t.system: None if t.collection is None else t.collection.lines() for t in found}


def asked_of(log: Path) -> list[str]:
    """The hypotheses that a scorer has answered."""
    return [json.loads(line)["hypothesis"] for line in noted(log)]
