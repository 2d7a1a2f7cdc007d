"""From the name of a measure to the measure: `MAP`, `nDCG@20`, `RBO(p=0.9,ties=a)`; rankings scored in other ways.

A name is `NAME`, `NAME@k` (a rank; for IPrec a level of recall) or `NAME(key=value,...)`, and `@k` may follow the
brackets. Our own measures are looked up first, then those of ir-measures, then those of laboratories.

The other scorings are sixteen, fixed before any result was seen, and one in reserve. All are functions of the ranks at
which a system has the documents of the English side's ranking: AP, nDCG and P@10 under four cuts of that ranking, RBO
with four persistences, and nDCG whose gain is the English side's own score, which has no cut. `RBO, p = .9`, the
registered measure, is none of the sixteen; it takes the place of a scoring that is the measure of the run itself.
"""

import ast
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np

from clirbench.errors import ConfigError, UnknownName
from clirbench.measures.base import Measure
from clirbench.measures.ir import IrMeasure, ranked_documents, shared_ordinals
from clirbench.measures.rbo import RBO
from clirbench.measures.rbp import RBP
from clirbench.relevance.base import BestRanked
from clirbench.relevance.top_k import ScoreShare, TopK, TopShare
from clirbench.types import Doubles, Ints, Run

CUTOFF = r"(?:@\s*(?P<cutoff>\d+(?:\.\d+)?))?"
NAME = re.compile(rf"\s*(?P<base>[^\W\d]\w*)\s*(?:\((?P<arguments>.*)\))?\s*{CUTOFF}\s*", re.DOTALL)

TREC_EVAL = re.compile(r"(?P<name>[A-Za-z_]+?)[_@](?P<cutoff>\d+)")
OF_TREC_EVAL = {"ndcg_cut": "nDCG", "ndcg": "nDCG", "map_cut": "AP", "map": "AP", "p": "P", "precision": "P"} | {
    "recall": "R", "r": "R", "success": "Success", "recip_rank": "RR", "mrr": "RR",
}  # fmt: skip
"""Measures with a cut-off: trec_eval's names, in small letters, and those of ir-measures."""

Kinds: TypeAlias = Mapping[str, tuple[Any, Mapping[str, Any]]]
"""By name the class of a measure, and what the name sets that differs from the class's defaults."""


def parse(name: str, of_laboratories: Callable[[], Kinds] = dict) -> Measure:
    """The measure that a name means; its column is called as the user wrote it.

    `of_laboratories` gives their measures (`configuration/laboratories.py`).
    Raises `UnknownName` (choices, closest match) for a name nobody knows, `ConfigError` for a wrong parameter.
    """
    match = NAME.fullmatch(name)
    if match is None:
        raise ConfigError(f"measure {name!r} cannot be read; write NAME, NAME@k or NAME(key=value,...)")
    base, cutoff = match["base"], match["cutoff"]
    if cutoff is not None and float(cutoff) == 0:
        raise ConfigError(f"measure {name!r}: the cut-off after @ must be above 0")
    if base == "GMAP":
        return IrMeasure(name, name.replace("GMAP", "AP", 1), geometric=True)
    if base in OURS:
        return _named(match, OURS)
    import ir_measures

    if base not in ir_measures.measures.registry:
        if base in (theirs := of_laboratories()):
            return _named(match, theirs)
        if (known := TREC_EVAL.fullmatch(name)) and known["name"].lower() in OF_TREC_EVAL:
            meant = f"{OF_TREC_EVAL[known['name'].lower()]}@{known['cutoff']}"
            raise ConfigError(f"measure {name!r}: the name of trec_eval; type 'measures=[{meant}]'")
        raise UnknownName("measure", name, choices(theirs))
    return IrMeasure(name, name)


def choices(theirs: Kinds) -> list[str]:
    """Every name without parameters that can be written, but for other spellings of one of them (`NDCG` for nDCG)."""
    import ir_measures

    registry = ir_measures.measures.registry.items()
    known = {name for name, measure in registry if name == measure.NAME or name.lower() != measure.NAME.lower()}
    return sorted({*OURS, *theirs, "GMAP", *known})


def _named(match: re.Match[str], kinds: Kinds) -> Measure:
    """The measure of these kinds that a name, a match of `NAME`, means; `@k` is its parameter `k`."""
    name, base, cutoff = match[0], match["base"], match["cutoff"]
    kind, defaults = kinds[base]
    arguments = _arguments(name, match["arguments"])
    given = {**defaults, **arguments, **({"k": _value(cutoff)} if cutoff else {})}
    allowed = [field.name for field in fields(kind) if field.init and field.name != "name"]
    for key in given:
        if key not in allowed:
            raise UnknownName(f"parameter of measure {base}", key, allowed)
    measure: Measure = kind(name=name, **given)
    return measure


def _arguments(name: str, text: str | None) -> dict[str, Any]:
    """`p=0.9,ties=a` as a dict: numbers, true / false / none, and words, quoted or not."""
    arguments: dict[str, Any] = {}
    for part in (text or "").split(","):
        if not part.strip():
            continue
        key, equals, value = (piece.strip() for piece in part.partition("="))
        if not equals or not value:
            raise ConfigError(f"measure {name!r}: {part.strip()!r} is no parameter; write key=value")
        if key in arguments:
            raise ConfigError(f"measure {name!r}: {key} is given twice")
        arguments[key] = _value(value)
    return arguments


def _value(text: str) -> Any:
    words = {"true": True, "false": False, "none": None, "null": None}
    if text.lower() in words:
        return words[text.lower()]
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text


OURS: Kinds = {"RBO": (RBO, {}), "RBP": (RBP, {})}
"""The core's measures that ir-measures does not have."""


RULES: Mapping[str, BestRanked] = {
    "k = 3": TopK(3),
    "k = 10": TopK(10),
    "share .2": TopShare(0.2),
    "score .5": ScoreShare(0.5),
}
PERSISTENCE = {".8": 0.8, ".95": 0.95, ".98": 0.98, ".9": 0.9}
RESERVE = "RBO, p = .9"
SCORINGS = (
    *(f"{measure}, {rule}" for rule in RULES for measure in ("AP", "nDCG", "P@10")),
    "nDCG, gain = score",
    *(f"RBO, p = {p}" for p in PERSISTENCE),
)
"""The sixteen, and the one in reserve."""
CUT = 10


TOGETHER = 1000
"""Topics that are scored at once."""


@dataclass(frozen=True, eq=False)
class Lists:
    """Ranked lists, one after the other: of every place the topic's number, the 0-based rank and the document."""

    lengths: Ints
    topic: Ints
    rank: Ints
    document: Ints

    @classmethod
    def of(cls, run: Run, topic_ids: Sequence[str]) -> "Lists":
        lists = [ranked_documents(run, topic_id) for topic_id in topic_ids]
        lengths = np.array([len(one) for one in lists], dtype=np.int64)
        topic = np.repeat(np.arange(len(lists)), lengths)
        rank = np.arange(len(topic)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        return cls(lengths, topic, rank, np.concatenate(lists))


@dataclass(frozen=True)
class Rescoring:
    """Other scorings of a run, over the topics `topic_ids`, of a collection of `n_documents`."""

    ideal: Run
    topic_ids: tuple[str, ...]
    n_documents: int

    @cached_property
    def lists(self) -> Lists:
        return Lists.of(self.ideal, self.topic_ids)

    @cached_property
    def gains(self) -> Doubles:
        """The English side's scores at every place of its lists, none below 0."""
        scores = [self.ideal.values(topic_id, tied=True) for topic_id in self.topic_ids]
        return np.maximum(np.concatenate(scores).astype(np.float64), 0)

    @cached_property
    def relevant(self) -> Ints:
        """(rules, topics): how many documents are relevant; 0 where a rule cannot say it."""
        counts = np.zeros((len(RULES), len(self.topic_ids)), dtype=np.int64)
        for t, topic_id in enumerate(self.topic_ids):
            best = self.ideal.values(topic_id, tied=True)[:1]
            for r, rule in enumerate(RULES.values() if len(best) else ()):
                if best[0] > 0 or not isinstance(rule, ScoreShare):
                    counts[r, t] = rule.relevant(self.ideal, topic_id, self.n_documents)
        return counts

    @cached_property
    def keys(self) -> tuple[Ints, Ints]:
        """(topic, document) of every place of the English side's lists as one number, ascending, and the place."""
        keys = self.lists.topic * (len(self.ideal.doc_ids) + 1) + self.lists.document
        order = np.argsort(keys)
        return keys[order], order

    def per_topic(self, run: Run) -> Doubles:
        """(scorings, topics): a topic that the system does not match scores 0; NaN where the rule cannot judge it."""
        found, ideal, n = Lists.of(run, self.topic_ids), self.lists, len(self.topic_ids)
        keys, order = self.keys
        wanted = found.topic * (len(self.ideal.doc_ids) + 1) + shared_ordinals(run, self.ideal)[found.document]
        at = np.minimum(np.searchsorted(keys, wanted), max(0, len(keys) - 1))
        shared = np.flatnonzero(keys[at] == wanted) if len(keys) else at
        at, topic, rank = order[at[shared]], found.topic[shared], found.rank[shared] + 1
        place = ideal.rank[at] + 1
        discount = 1 / np.log2(np.arange(2, 2 + max(found.lengths.max(initial=1), ideal.lengths.max(initial=1))))
        most = np.append(np.nan, np.cumsum(discount))
        values = []
        for relevant in self.relevant:
            hit = place <= relevant[topic]
            of, ranked = topic[hit], rank[hit]
            nth = np.arange(len(of)) - np.searchsorted(of, of) + 1
            some = np.where(relevant > 0, relevant, np.nan)
            values.append(np.bincount(of, nth / ranked, n) / some)
            values.append(np.bincount(of, discount[ranked - 1], n) / most[relevant])
            values.append(np.bincount(of[ranked <= CUT], minlength=n) / CUT + 0 * some)
        best = np.bincount(ideal.topic, self.gains * discount[ideal.rank], n)
        gained = np.bincount(topic, self.gains[at] * discount[rank - 1], n)
        values.append(gained / np.where(best > 0, best, np.nan))
        return np.stack([*values, *_overlaps(topic, np.maximum(rank, place), found.lengths, ideal.lengths)])


def _overlaps(topic: Ints, depth: Ints, first: Ints, second: Ints) -> Doubles:
    """(persistences, topics): RBO, extrapolated, of lists of these lengths without ties.

    `depth`: of each shared document (of `topic`) the depth from which both lists have it. See `rbo`.
    """
    short, long = np.minimum(first, second), np.maximum(first, second)
    width = max(1, int(long.max(initial=1)))
    depths = np.arange(1, width + 1)
    shared = np.bincount(topic * width + depth - 1, minlength=len(first) * width).reshape(len(first), width)
    overlap = np.cumsum(shared, axis=1).astype(np.float64)
    rows = np.arange(len(first))
    last = overlap[rows, np.maximum(short, 1) - 1] / np.maximum(short, 1)
    agreement = (overlap + np.maximum(0, depths - short[:, None]) * last[:, None]) / depths
    agreement *= depths <= long[:, None]
    p = np.array(list(PERSISTENCE.values()))
    value = (1 - p) / p * (agreement @ p ** depths[:, None])
    value += agreement[rows, np.maximum(long, 1) - 1][:, None] * p ** long[:, None]
    return np.asarray(np.where(short[:, None] > 0, value, 0.0).T)
