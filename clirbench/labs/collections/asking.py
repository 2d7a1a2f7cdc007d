"""Is a difference of an MT metric a difference in search? What the pairs of systems of many collections say."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from clirbench.api.scoring import metric_by_name, score
from clirbench.configuration.languages import tokeniser_of
from clirbench.corpora.languages import language_pair
from clirbench.errors import AlignmentError, ConfigError
from clirbench.labs.collections.exchange import BANDS, Belief, Place, Strata, learn, strata
from clirbench.labs.collections.memory import FEWEST, group_of
from clirbench.pages.wording import fixed, listed, short
from clirbench.text import TextFile

NUMBER = r"[+-]?\d+(?:\.\d+)?"
QUESTION = re.compile(
    rf"\s*(?P<metric>\S+)\s+(?:(?P<first>{NUMBER})\s*(?:->|→)\s*(?P<second>{NUMBER})|(?P<gap>[+-]\d+(?:\.\d+)?))\s*"
)
MANY = 5000
"""Topics beyond which no number of them is given."""
POWER = 2.8
"""1.96 + 0.84 standard errors: a difference of this size is found 4 times in 5."""


@dataclass(frozen=True)
class Question:
    """A metric's values of two systems; of a bare difference only the `gap`, second less first, is known.

    `signature`: how the values were computed, where that is known.
    """

    metric: str
    gap: float
    first: float | None = None
    second: float | None = None
    signature: str = ""

    @property
    def level(self) -> float | None:
        return None if self.first is None or self.second is None else (self.first + self.second) / 2

    def __str__(self) -> str:
        if self.first is None or self.second is None:
            return f"{self.metric} {'-' if self.gap < 0 else '+'}{fixed(abs(self.gap), 2)}"
        return f"{self.metric} {fixed(self.first, 2)} -> {fixed(self.second, 2)}"


@dataclass(frozen=True)
class Expectation:
    """P(the second system retrieves better), `probability`, where the quality band is known; from `lowest` to `highest`
    over the bands that it may be in. 95 % interval: `low` to `high`. `collections`: how many are comparable;
    `left_out`: those that share the reference. `topics`: how many would show the expected difference 4 times in 5; None
    where they are too many. `why`: the reason where nothing is comparable; the numbers are then None."""

    question: Question
    pair: str
    lowest: float | None = None
    highest: float | None = None
    low: float | None = None
    high: float | None = None
    collections: int = 0
    left_out: int = 0
    topics: int | None = None
    why: str = ""

    @property
    def probability(self) -> float | None:
        return self.lowest if self.lowest == self.highest else None

    def __str__(self) -> str:
        if self.lowest is None or self.highest is None or self.low is None or self.high is None:
            return f"{self.question}: no comparable collections: {self.why}"
        first, last = _percent(self.lowest), _percent(self.highest)
        said = first if first == last else f"{first} to {last}"
        less = f"; {self.left_out} with this reference left out" if self.left_out else ""
        band = "" if self.question.level is not None else "; quality not known"
        much = "more topics than people write" if self.topics is None else f"about {self.topics} topics"
        return (
            f"{self.question}: better retrieval: {said} % [{_percent(self.low)}, {_percent(self.high)}] "
            f"({self.collections} comparable collections, BM25{band}{less}). "
            f"To settle it: search with both systems; {much}."
        )


def ask(
    first: "str | Path | Sequence[str]",
    second: "Path | Sequence[str] | None" = None,
    *,
    pair: str,
    reference: "Path | Sequence[str] | None" = None,
) -> "Expectation | tuple[Expectation, ...]":
    """How probably the second of two MT systems retrieves better than the first, before anything is searched.

    `first`: a question such as "chrF2 54.1 -> 55.3" or "chrF2 +1.2"; or the lines (or the Path) of a system, with
    `second` those of the other and `reference`: then one outlook for each metric that the memory has. `pair`: the
    language pair, such as "de-en". Raises `ConfigError` for a question that is none.

    >>> import clirbench as cb
    >>> str(cb.ask("TER 50 -> 49", pair="de-en"))
    'TER 50.00 -> 49.00: no comparable collections: the memory has BLEU, chrF1, chrF2, MacroF1.'
    """
    codes = language_pair("pair", pair)
    pair, kept = "-".join(codes), strata()
    if isinstance(first, str) and second is None and reference is None:
        return outlook(kept, question_of(first), pair)
    if isinstance(first, str) or second is None or reference is None:
        raise ConfigError(
            "ask: a question alone, or two systems and their reference, as lines or Paths: ask(A, B, reference=R, ...)"
        )
    a, b, lines = _lines(first), _lines(second), _lines(reference)
    if not len(a) == len(b) == len(lines):
        raise AlignmentError(f"ask: {len(a)}, {len(b)} and {len(lines)} lines; systems and reference need equally many")
    known = kept.memory.sharing([lines])
    found = []
    for name in kept.metrics:
        metric = metric_by_name(name)
        if hasattr(metric, "tokenize"):
            metric = replace(metric, tokenize=tokeniser_of(codes[1]))  # type: ignore[type-var]
        values = float(score(a, lines, metric)), float(score(b, lines, metric))
        asked = Question(name, values[1] - values[0], *values, f"nrefs:1|{metric.signature}")
        found.append(outlook(kept, asked, pair, known, len(lines)))
    return tuple(found)


def question_of(text: str) -> Question:
    """`METRIC A -> B` or `METRIC +D`; raises `ConfigError` for anything else."""
    if (found := QUESTION.fullmatch(text)) and found["gap"]:
        return Question(found["metric"], float(found["gap"]))
    if found:
        first, second = float(found["first"]), float(found["second"])
        return Question(found["metric"], second - first, first, second)
    raise ConfigError(
        f"ask {text!r}: a metric and two values were expected, such as 'chrF2 54.1 -> 55.3' or 'chrF2 +1.2'"
    )


def outlook(
    kept: Strata, asked: Question, pair: str, without: frozenset[str] = frozenset(), lines: int | None = None
) -> Expectation:
    """What the memory says, `without` some collections; `lines`: of the test set, where it is known."""
    names = {name.lower(): name for name in kept.metrics}
    metric = names.get(asked.metric.lower())
    if metric is None:
        return Expectation(asked, pair, why=f"the memory has {', '.join(kept.metrics)}.")
    group = group_of(pair)
    places = [place for band in BANDS if (place := kept.places.get((metric, group, band))) is not None]
    if asked.level is not None:
        places = [place for place in places if place.band == BANDS[int(asked.level >= place.level)]]
    if not places:
        return Expectation(asked, pair, why=f"none of {metric} {group} is in the memory.")
    if why := next(filter(None, (_beyond(place, asked, lines) for place in places)), ""):
        return Expectation(asked, pair, why=why)
    named = [kept.of_group(metric, group, place.band, without) for place in places]
    parts = [list(part.values()) for part in named]
    if any(len({one.cluster for one in part}) < FEWEST for part in parts):
        return Expectation(asked, pair, why=f"fewer than {FEWEST} language pairs {group} are left.")
    of_all = learn(kept.everything(metric, without))
    chances = [_better(learn(part, of_all), asked.gap) for part in parts]
    slope, error = (float(np.median([getattr(one, n) for part in parts for one in part])) for n in ("slope", "error"))
    topics = float("inf") if asked.gap == 0 else (POWER * error / (slope * asked.gap)) ** 2
    left_out = kept.memory.number(kept.memory.of_group(without, group))
    return Expectation(
        asked, pair, min(p for p, _, _ in chances), max(p for p, _, _ in chances), min(low for _, low, _ in chances),
        max(high for _, _, high in chances), max(map(kept.memory.number, named)), left_out,
        None if topics > MANY else max(10, 10 * round(topics / 10)),
    )  # fmt: skip


def _better(belief: Belief, gap: float) -> tuple[float, float, float]:
    """P(the second is truly better) and its interval."""
    size = abs(gap)
    middle, (low, high) = float(belief.probability(np.float64(size))), belief.interval(size)
    return (middle, low, high) if gap >= 0 else (1 - middle, 1 - high, 1 - low)


def _beyond(place: Place, asked: Question, lines: int | None) -> str:
    """Why a question is outside of what the memory has seen; empty if it is not."""
    if not place.calibrated:
        return (
            f"there the memory predicts {_percent(place.predicted)} % and {_percent(place.seen)} % were seen "
            f"({place.metric} {place.group}, {place.band} half)."
        )
    if asked.signature and asked.signature not in place.signatures:
        return f"its {place.metric} is {listed(place.signatures)}, yours {asked.signature}."
    if asked.level is not None and not place.lowest <= asked.level <= place.highest:
        return f"systems {place.group} have {place.metric} from {short(place.lowest)} to {short(place.highest)}."
    if abs(asked.gap) > place.widest:
        return f"the memory's differences of {place.metric} {place.group} go up to {short(place.widest)}."
    if lines is not None and not place.shortest <= lines <= place.longest:
        return f"its test sets have {place.shortest} to {place.longest} lines, yours {lines}."
    return ""


def _lines(given: "str | Path | Sequence[str]") -> tuple[str, ...]:
    return tuple(TextFile(given).lines()) if isinstance(given, Path) else tuple(given)


def _percent(share: float) -> int:
    return round(100 * share)
