"""A metric that is somebody's program: given files of hypotheses, references and sources, it prints a score a line."""

import hashlib
import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from clirbench.checks import check_choice
from clirbench.engines.programs import Program, as_input
from clirbench.errors import ConfigError, InputError, ResourceError
from clirbench.metrics.base import Statistics, check_aligned
from clirbench.metrics.score_files import number
from clirbench.metrics.segments import MadeElsewhere, SegmentScores
from clirbench.text import Text, split_lines
from clirbench.types import TestSet

HYPOTHESIS, REFERENCE, SOURCE = "{hypothesis}", "{reference}", "{source}"


@dataclass(frozen=True)
class CommandMetric(MadeElsewhere):
    """Segment scores printed by a program, one line a segment.

    `command` is split as a shell would, yet run without one; with `shell: true` it goes to /bin/sh. `{hypothesis}`,
    `{reference}` and `{source}` in it stand for files of one segment a line. `pattern` is a regular expression whose
    first group is the score; lines without it are skipped (null: every line is a score). `batch_systems` systems are
    scored by one call, so that a model is loaded once for all of them (0: all). `timeout`: seconds a call.
    `environment`: variables beside those of this process. `version` is any text: change it when the program behaves
    otherwise and what was scored before must be forgotten. What a call has scored is kept in the folder `cache`
    (null: not kept) by content, and never scored again: a call that fails loses nothing of the calls before.

    Statistics and score as in `clirbench.metrics.segments`: `aggregate` is mean or median; `scale` multiplies
    every score. Of several references the first is given. Lines of control characters are given as they are, line
    ends inside a segment as blanks.

    Raises `ConfigError` for settings that make no sense, `ResourceError` at once for a program that is not there, and
    for a call that fails, hangs, prints too few or too many scores or one that is no finite number; `InputError`
    where `{source}` is asked for and the test set has none.

    **Source:** ours; the scores are the program's.
    """

    name: str
    command: str | None = None
    shell: bool = False
    aggregate: str = "mean"
    higher_is_better: bool = True
    scale: float = 1.0
    pattern: str | None = None
    batch_systems: int = 0
    timeout: float | None = 3600.0
    environment: Mapping[str, str] = field(default_factory=lambda: {"LC_ALL": "C.UTF-8"}, hash=False)
    version: str = ""
    cache: str | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        check_choice(self.name, "aggregate", self.aggregate, ("mean", "median"))
        if not self.command or HYPOTHESIS not in self.command:
            raise ConfigError(f"{self.name}: command={self.command!r} must name the file of hypotheses, {HYPOTHESIS}")
        if self.batch_systems < 0:
            raise ConfigError(f"{self.name}: batch_systems={self.batch_systems} must be 0 (all at once) or more")
        if self.pattern is not None:
            try:
                groups = re.compile(self.pattern).groups
            except re.error as error:
                raise ConfigError(f"{self.name}: pattern={self.pattern!r} is no regular expression: {error}") from None
            if groups < 1:
                raise ConfigError(f"{self.name}: pattern={self.pattern!r} needs a group (...) around the score")
        self.program.check_installed({})

    @property
    def program(self) -> Program:
        return Program(self.name, str(self.command), self.shell, self.timeout, self.environment)

    @property
    def needs_reference(self) -> bool:
        return REFERENCE in str(self.command)

    @property
    def signature(self) -> str:
        program = self.program
        return (
            f"{self.name}|command|{program.signature}|pattern:{self.pattern or '-'}|{self.aggregate}"
            f"|scale:{self.scale:g}|env:{program.variables}|v:{self.version or '-'}|refs:first"
        )

    def statistics(self, hypotheses: Sequence[str], test: TestSet) -> Statistics:
        """Statistics of the aggregate, one row a segment, from a call of its own."""
        check_aligned(hypotheses, test)
        return self.with_scores(self._scored([tuple(hypotheses)], test)[0]).statistics(hypotheses, test)

    def for_systems(self, translations: Mapping[str, Text], test: TestSet) -> Mapping[str, SegmentScores]:
        """The scores of every system, from one call for each `batch_systems` systems that are not kept yet."""
        outputs = {system: text.lines() for system, text in translations.items()}
        for lines in outputs.values():
            check_aligned(lines, test)
        known = {lines: kept for lines in outputs.values() if (kept := self._kept(lines, test)) is not None}
        waiting = list(dict.fromkeys(lines for lines in outputs.values() if lines not in known))
        size = self.batch_systems or max(1, len(waiting))
        for start in range(0, len(waiting), size):
            batch = waiting[start : start + size]
            known.update(zip(batch, self._scored(batch, test), strict=True))
        return {system: self.with_scores(known[lines]) for system, lines in outputs.items()}

    def _scored(self, outputs: Sequence[tuple[str, ...]], test: TestSet) -> list[tuple[float, ...]]:
        """The scores of several systems' outputs by one call, kept when it has ended well."""
        n = len(test)
        scores = self._call([line for lines in outputs for line in lines], test, len(outputs))
        parts = [tuple(scores[at * n : (at + 1) * n]) for at in range(len(outputs))]
        for lines, part in zip(outputs, parts, strict=True):
            self._keep(lines, test, part)
        return parts

    def _call(self, hypotheses: Sequence[str], test: TestSet, times: int) -> list[float]:
        with tempfile.TemporaryDirectory(prefix="clirbench-") as folder:
            given = {HYPOTHESIS: hypotheses}
            for mark, lines in ((REFERENCE, test.references[0]), (SOURCE, test.source)):
                if mark in str(self.command):
                    if lines is None:
                        raise InputError(f"{self.name}: {mark} is asked for, but the test set has no source.txt")
                    given[mark] = tuple(lines) * times
            places = {mark: Path(folder) / f"{mark[1:-1]}.txt" for mark in given}
            for mark, place in places.items():
                place.write_bytes(as_input(given[mark]))
            ended = self.program.run(places, None, f"{self.name}: {self.command}: {len(hypotheses)} segments")
        scores = list(self._read(ended.output))
        if len(scores) != len(hypotheses):
            raise ResourceError(
                f"{self.name}: {self.command}: printed {len(scores)} scores for {len(hypotheses)} segments"
                f"{f'; stderr ends: {ended.last_words}' if ended.last_words else ''}"
            )
        return scores

    def _read(self, output: bytes) -> Iterator[float]:
        for line, text in enumerate(split_lines(output.decode("utf-8", "replace")), start=1):
            if self.pattern is not None:
                found = re.search(self.pattern, text)
                if found is None:
                    continue
                text = found.group(1)
            try:
                yield number(text.strip(), f"output of {self.command}", line)
            except InputError as error:
                raise ResourceError(f"{self.name}: {error}") from None

    def _place(self, hypotheses: tuple[str, ...], test: TestSet) -> Path | None:
        """Where the scores of one output are kept: named by command and content."""
        if self.cache is None:
            return None
        digest = hashlib.sha256()
        asked = (f"{self.command}|{self.shell}|{self.pattern}|{sorted(self.environment.items())}|{self.version}",)
        for lines in (asked, hypotheses, test.references[0], test.source or ()):
            digest.update(hashlib.sha256("\n".join(lines).encode("utf-8", "surrogatepass")).digest())
        return Path(self.cache) / "scores" / f"{digest.hexdigest()}.txt"

    def _kept(self, hypotheses: tuple[str, ...], test: TestSet) -> tuple[float, ...] | None:
        place = self._place(hypotheses, test)
        if place is None or not place.is_file():
            return None
        scores = tuple(float(text) for text in split_lines(place.read_text(encoding="ascii")))
        return scores if len(scores) == len(test) else None

    def _keep(self, hypotheses: tuple[str, ...], test: TestSet, scores: Sequence[float]) -> None:
        place = self._place(hypotheses, test)
        if place is not None:
            place.parent.mkdir(parents=True, exist_ok=True)
            with tempfile.NamedTemporaryFile("w", dir=place.parent, delete=False, encoding="ascii") as stream:
                stream.writelines(f"{score!r}\n" for score in scores)
            Path(stream.name).replace(place)
