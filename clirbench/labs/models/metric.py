"""Learned metrics: programs that read a segment as JSON, `{"hypothesis": ..., "reference": ..., "source": ...}`, and
write its score."""

import hashlib
import json
import os
import re
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from clirbench.checks import one_of
from clirbench.errors import ConfigError, InputError, ResourceError
from clirbench.labs.models.program import FILES, Program, preset
from clirbench.labs.models.translating import read_shard, write_shard
from clirbench.metrics.base import Statistics, check_aligned
from clirbench.metrics.score_files import number
from clirbench.metrics.segments import MadeElsewhere, SegmentScores
from clirbench.text import Text, split_lines
from clirbench.types import TestSet


@dataclass(frozen=True)
class ProgramMetric(MadeElsewhere):
    """Segment scores that a program writes, one line a segment; it is started once for all systems.

    `command` to `version`: as those of `Program`. A command with `{hypothesis}`, and if needed `{reference}` and
    `{source}`, is given files of one segment a line for all systems at once, and goes to /bin/sh; `pattern`: its lines
    without this regular expression are skipped, the first group is the score (null: every line is a score). Scores of a
    system are kept in `cache` when they have come (null: not kept), by content.

    Statistics and score as in `clirbench.metrics.segments`: `aggregate` is mean or median; `scale` multiplies
    every score. Of several references the first is given.

    `install`: what to do where the program is missing.

    Raises `ConfigError` for settings that make no sense; `ResourceError` at once for a program that is not there, and
    for one that fails, hangs, writes another number of scores or one that is no finite number; `InputError` where
    `{source}` is asked for and the test set has none.

    **Source:** ours; the scores are the program's.
    """

    name: str
    command: str | Sequence[str] | None = None
    about: str | Sequence[str] = ""
    needs_reference: bool = True
    aggregate: str = "mean"
    higher_is_better: bool = True
    scale: float = 1.0
    pattern: str | None = None
    timeout: float | None = 3600.0
    environment: Mapping[str, str] = field(default_factory=lambda: {"LC_ALL": "C.UTF-8"}, hash=False)
    version: str = ""
    install: str = "install it, or correct the command"
    cache: str | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        one_of(f"{self.name}: aggregate", self.aggregate, ("mean", "median"))
        if not self.command:
            raise ConfigError(f"{self.name}: command: is empty; name a program that writes a score for each segment")
        try:
            if self.pattern is not None and re.compile(self.pattern).groups < 1:
                raise ConfigError(f"{self.name}: pattern={self.pattern!r} needs a group (...) around the score")
        except re.error as error:
            raise ConfigError(f"{self.name}: pattern={self.pattern!r} is no regular expression: {error}") from None
        self.program.check()

    def check(self, texts: Mapping[str, Text], test: TestSet) -> None:
        """Raise `ResourceError` where /bin/sh does not find the program that it would be given to, before any work."""
        word = str(self.command).split()[0]
        shell = os.environ | {name: str(value) for name, value in self.environment.items()}
        looked = ["/bin/sh", "-c", f"command -v {word}" if re.fullmatch(r"[\w\"$./{}-]+", word) else "true"]
        if self.program.settings and subprocess.run(looked, env=shell, capture_output=True, check=False).returncode:
            cure = f"; metric.{self.name}.environment.BIN=DIR/bin/ names its folder" * ("BIN" in self.environment)
            raise ResourceError(f"{self.name}: no program {word.split(chr(34))[-1]}: {self.install}{cure}")

    @property
    def program(self) -> Program:
        command = self.command or ""
        if any(mark in str(command) for mark in FILES):
            files = preset("through_files", command=command, pattern=self.pattern)
            return replace(files, timeout=self.timeout, environment=self.environment, version=self.version)
        return Program(command, self.about, self.timeout, self.environment, self.version)

    @property
    def signature(self) -> str:
        return f"{self.name}|{self.program.signature}|{self.aggregate}|scale:{self.scale:g}|refs:first"

    def statistics(self, hypotheses: Sequence[str], test: TestSet) -> Statistics:
        """Statistics of the aggregate, one row a segment, from a program of its own."""
        check_aligned(hypotheses, test)
        (scores,) = self._scored([tuple(hypotheses)], test).values()
        return self.with_scores(scores).statistics(hypotheses, test)

    def for_systems(self, translations: Mapping[str, Text], test: TestSet) -> Mapping[str, SegmentScores]:
        """The scores of every system, from one program for all whose scores are not kept."""
        outputs = {system: text.lines() for system, text in translations.items()}
        for lines in outputs.values():
            check_aligned(lines, test)
        scored = self._scored(list(dict.fromkeys(outputs.values())), test)
        return {system: self.with_scores(scored[lines]) for system, lines in outputs.items()}

    def _scored(self, outputs: Sequence[tuple[str, ...]], test: TestSet) -> dict[tuple[str, ...], tuple[float, ...]]:
        if "{source}" in str(self.command) and test.source is None:
            raise InputError(f"{self.name}: {{source}} is asked for, but the test set has no source.txt")
        program = self.program
        sides = [test.references[0], test.source] if test.source else [test.references[0]]
        rows = {lines: [*map(_asked, lines, *sides)] for lines in outputs}
        places = {lines: self._place(program.identity(), asked) for lines, asked in rows.items()}
        kept = {lines: read_shard(path, len(test)) for lines, path in places.items() if path is not None}
        known = {lines: tuple(map(float, split_lines(held.decode()))) for lines, held in kept.items() if held}
        waiting = [lines for lines in outputs if lines not in known]
        if not waiting:
            return known
        with program.started() as child:
            child.feed((row for lines in waiting for row in rows[lines]), last=True)
            for lines in waiting:
                known[lines] = tuple(self._number(child.read(), at) for at in range(1, len(test) + 1))
                if lines is waiting[-1]:
                    child.finish()
                if (path := places[lines]) is not None:
                    write_shard(path, [repr(score) for score in known[lines]])
        return known

    def _number(self, text: str, line: int) -> float:
        try:
            return number(text.strip(), f"output of {self.program.name}", line)
        except InputError as error:
            raise ResourceError(f"{self.name}: {error}") from None

    def _place(self, identity: str, asked: Sequence[str]) -> Path | None:
        """Where the scores of one output are kept: named by program and content."""
        key = hashlib.sha256("\n".join((identity, *asked)).encode("utf-8", "surrogatepass")).hexdigest()
        return None if self.cache is None else Path(self.cache) / "scores" / key[:2] / f"{key}.txt"


def _asked(*segment: str) -> str:
    """Hypothesis, reference and, where it is known, source as the program reads them."""
    names = ("hypothesis", "reference", "source")
    return json.dumps({name: text.replace("\n", " ") for name, text in zip(names, segment, strict=False)})
