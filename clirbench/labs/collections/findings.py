"""What pooling found, in sentences: from the pooled model alone, and what cannot be concluded as plainly."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import isnan

from clirbench.labs.collections.pooling import Pooling
from clirbench.labs.collections.statistics.pooling import Pooled
from clirbench.labs.collections.statistics.random_effects import FEWEST_TO_PREDICT
from clirbench.labs.collections.statistics.settings import IMPORTED, Stratum
from clirbench.labs.collections.statistics.transport import Transported
from clirbench.pages.wording import fixed, listed, many, number
from clirbench.types import UNKNOWN

ALPHA = 0.05
FEW = f" from fewer than {FEWEST_TO_PREDICT} collections that are independent"
JUDGES = {
    "pseudo-relevance": "pseudo-relevance",
    "people": "judged by people",
    "known_items": "known items",
    "model": "judged by a model",
    "made": "made judgments",
    IMPORTED: "as imported",
    UNKNOWN: "unknown judgments",
}
TRIVIAL = ("LengthRatio", "TypeCount", "CopyRate", "Random")
"""Metrics that do not judge a translation: what another one says beyond them is what it is worth."""


def name_of(stratum: Stratum) -> str:
    """`MAP (pseudo-relevance, bm25)`."""
    retriever = f", {stratum.retriever}" if stratum.retriever != stratum.judge else ""
    return f"{stratum.measure} ({JUDGES[stratum.judge]}{retriever})"


def names_of(strata: Sequence[Stratum]) -> str:
    """`MAP and RBO (pseudo-relevance, bm25), and MAP (as imported)`."""
    groups: dict[str, list[str]] = {}
    for stratum in strata:
        groups.setdefault(name_of(stratum).removeprefix(f"{stratum.measure} "), []).append(stratum.measure)
    return ", and ".join(f"{listed(measures, 20)} {judge}" for judge, measures in groups.items())


def sentences(pooling: Pooling, stratum: Stratum) -> list[str]:
    """The sentences about one stratum, from the pooled model alone."""
    rows = pooling.of(stratum)
    taus, differences = by_tau(rows), gaps(rows)
    best = taus[0]
    said = [
        f"{name_of(stratum)}, over {many(best.collections, 'collection')} "
        f"({many(best.systems, 'system')}): the mean tau of {best.metric} is {_with_interval(best)}"
        + "".join(f", of {row.metric} {_with_interval(row)}" for row in taus[1:])
        + "."
    ]
    said += [
        *_metric_differences(differences),
        *_new(best, differences),
        _differ(best),
        _ceiling(pooling, stratum),
        *_beyond_predictors(rows, best.metric),
    ]
    said += _cost(pooling, stratum)
    silent: dict[str, list[str]] = {}
    for row in rows:
        if row.note:
            silent.setdefault(row.note, []).append(title_of(row).partition(": ")[2])
    said += [f"{listed(names, 3)}: {note}." for note, names in silent.items()]
    return said


def by_tau(rows: Sequence[Pooled]) -> list[Pooled]:
    """The metrics that judge translations (all if there is none), the highest tau first."""
    every = sorted((row for row in rows if not row.other), key=lambda row: -row.value)
    return [row for row in every if row.metric not in TRIVIAL] or every


def gaps(rows: Sequence[Pooled]) -> list[Pooled]:
    """The differences between metrics that judge translations."""
    return [row for row in rows if row.other and not {row.metric, row.other} & {*TRIVIAL}]


def _ceiling(pooling: Pooling, stratum: Stratum) -> str:
    """What a perfect metric would reach."""
    every = pooling.ceilings[stratum]
    known = {name: value for name, value in every.items() if not isnan(value)}
    if not known:
        return f"What tau a perfect metric would reach is not known: nothing tells the noise of {stratum.measure} here."
    low, high = min(known, key=lambda name: known[name]), max(known, key=lambda name: known[name])
    mean = sum(known.values()) / len(known)
    text = "Noise of the topics alone: a perfect metric is estimated to reach a tau of about "
    text += f"{number(mean, 2)} on average"
    if low != high:
        text += f" ({number(known[low], 2)} in {low} to {number(known[high], 2)} in {high})"
    lost = [name for name in every if name not in known]
    return f"{text}" + (f"; not known for {listed(lost, 4)}" if lost else "") + "."


def _beyond_predictors(rows: Sequence[Pooled], best: str) -> Iterator[str]:
    """What the best metric says beyond predictors that do not judge the translation."""
    taus = {row.metric: row for row in rows if not row.other}
    for gap in (row for row in rows if row.other and best in (row.metric, row.other)):
        known = taus[gap.other if gap.metric == best else gap.metric]
        if known.metric not in TRIVIAL:
            continue
        value = _with_interval(gap if gap.metric == best else _reversed(gap), "+")
        sure = gap.p_holm < ALPHA and gap.collections >= FEWEST_TO_PREDICT and _turned(gap)[0] == best
        p = "" if isnan(gap.p_holm) else f", p {p_text(gap.p_holm)} after Holm"
        yield (
            f"Without judging a translation, {known.metric} reaches a tau of {_with_interval(known)}; {best} "
            f"{'says more' if sure else 'is not shown to say more'} ({value}{p})."
        )


def _reversed(row: Pooled) -> Pooled:
    return replace(row, value=-row.value, ci_low=-row.ci_high, ci_high=-row.ci_low)


def _cost(pooling: Pooling, stratum: Stratum) -> list[str]:
    """What shipping each metric's first system lost."""
    rows = [r for r in pooling.chosen if Stratum(r.judge, r.measure, r.retriever) == stratum]
    many_have = max((row.collections for row in rows), default=0)
    told = [row for row in rows if row.metric not in TRIVIAL and row.collections == many_have]
    if not told:
        return []
    each = ", ".join(f"{number(row.lost)} by {row.metric}" for row in sorted(told, key=lambda row: row.lost))
    most = max(told, key=lambda row: row.most)
    return [
        f"Shipping the system that a metric puts first lost, on average over {many(many_have, 'collection')}, {each} "
        f"of {stratum.measure}; a system at random loses {number(told[0].at_random)}. The worst was "
        f"{number(most.most)} by {most.metric} in {most.worst}. One system decides each loss, so these are "
        "descriptions: no interval is made."
    ]


def abstract(pooling: Pooling) -> Iterator[str]:
    """Everything in a few sentences, over the strata with collections enough to say something."""
    strata = {s: pooling.of(s) for s in pooling.strata}
    strata = {s: rows for s, rows in strata.items() if by_tau(rows)[0].collections >= FEWEST_TO_PREDICT}
    if not strata:
        return
    best = {s: by_tau(rows)[0] for s, rows in strata.items()}
    most = max(row.collections for row in best.values())
    ordered = sorted(best, key=lambda s: best[s].value)
    told = [f"{number(best[s].value, 2)} by {name_of(s)}" for s in (ordered[0], ordered[-1])]
    span = " to ".join(dict.fromkeys(told))
    yield f"Over at most {most} independent collections, the highest mean tau of a metric is {span}."
    known = [v for s in strata for v in pooling.ceilings[s].values() if not isnan(v)]
    if known:
        yield f"A perfect metric is estimated to reach about {number(sum(known) / len(known), 2)}."
    found = [s for s, rows in strata.items() if any(r.p_holm < ALPHA for r in gaps(rows))]
    yield f"Metrics differ significantly by {len(found)} of {many(len(strata), 'measure')}{_named(found)}."
    trivial = [s for s, rows in strata.items() if any(row.metric in TRIVIAL for row in rows)]
    beyond = [
        s for s in trivial if all("is not shown" not in text for text in _beyond_predictors(strata[s], best[s].metric))
    ]
    if trivial:
        yield (
            "The best of them is shown to say more than predictors that do not judge a translation by "
            f"{len(beyond)} of {many(len(trivial), 'measure')}{_named(beyond)}."
        )
    rows = [r for r in pooling.chosen if Stratum(r.judge, r.measure, r.retriever) in strata and r.metric not in TRIVIAL]
    shares = [r.lost / r.at_random for r in rows if r.at_random > 0]
    if shares:
        low, high = (f"{fixed(100 * share)} %" for share in (min(shares), max(shares)))
        yield f"Shipping a metric's first system lost {low} to {high} of what a system drawn at random loses."


def _named(strata: Sequence[Stratum]) -> str:
    return f": {names_of(strata)}" if strata else ""


def unanswered(pooling: Pooling) -> Iterator[str]:
    """What these collections cannot say."""
    judged = {stratum.judge for stratum in pooling.strata}
    if "people" not in judged:
        said = {
            IMPORTED: "imported scores do not name the source of their judgments",
            UNKNOWN: "older runs, and relevance rules that do not declare it, do not name the source of judgments",
            "known_items": "known items are the documents that topics belong to",
            "model": "a model judged, no person",
            "made": "judgments were made up with the documents",
            "pseudo-relevance": "pseudo-relevance shares words with lexical metrics and so may favour them",
        }
        who = "; ".join(text for judge, text in said.items() if judge in judged)
        yield f"Whether a metric predicts retrieval as people judge it: {who}."
    few, alike, wide = list[Stratum](), list[Stratum](), list[str]()
    for stratum in pooling.strata:
        rows = pooling.of(stratum)
        best, differences = by_tau(rows)[0], gaps(rows)
        most = max((row.collections for row in differences), default=0)
        if most < FEWEST_TO_PREDICT:
            few.append(stratum)
        elif not any(row.p_holm < ALPHA and row.collections >= FEWEST_TO_PREDICT for row in differences):
            alike.append(stratum)
        if best.new_low < 0 < best.new_high:
            wide.append(f"{name_of(stratum)} [{number(best.new_low, 2)}, {number(best.new_high, 2)}]")
    if few:
        yield f"Which metric is better, by {names_of(few)}: fewer than {FEWEST_TO_PREDICT} independent collections."
    if alike:
        yield (
            f"Which metric is better, by {names_of(alike)}: no difference is larger than what luck makes. That is no "
            "proof that they are equal; the intervals of the differences say how unequal they may be."
        )
    if wide:
        yield (
            "Whether the metric with the highest tau orders the systems of a new collection better than chance, by "
            f"{listed(wide, 20)}."
        )
    alone = {stratum.retriever for stratum in pooling.strata} - {IMPORTED, UNKNOWN}
    if len(alone) == 1 and not pooling.beside:
        yield f"Whether the metrics predict other retrievers too: {alone.pop()} alone searched (retrieval@also=dense)."


def p_text(value: float) -> str:
    return "< .001" if value < 0.001 else number(value)


def summary_lines(rows: Sequence[Pooled]) -> Iterator[str]:
    """One stratum in a line or two."""
    best = by_tau(rows)[0]
    judged = Stratum(best.judge, best.measure, best.retriever)
    yield f"{name_of(judged)}: highest mean tau {best.metric}, {_with_interval(best)}."
    yield from _metric_differences(gaps(rows))
    yield from _new(best, [])


def _with_interval(row: Pooled, sign: str = "") -> str:
    text = ("+" if sign and row.value > 0 else "") + number(row.value)
    return text if isnan(row.ci_low) else f"{text} [{number(row.ci_low, 2)}, {number(row.ci_high, 2)}]"


def _turned(row: Pooled) -> tuple[str, str]:
    return (row.metric, row.other) if row.value >= 0 else (row.other, row.metric)


def _metric_differences(gaps: Sequence[Pooled]) -> Iterator[str]:
    """Which metrics differ."""
    few = bool(gaps) and max(row.collections for row in gaps) < FEWEST_TO_PREDICT
    sure = [row for row in gaps if row.p_holm < ALPHA and row.collections >= FEWEST_TO_PREDICT]
    for row in sure:
        better, worse = _turned(row)
        check = (
            ""
            if row.p_flip < ALPHA
            else f"; by flipping signs p is {number(row.p_flip)}, at least " + number(row.smallest_flip)
        )
        only = f"; not so without {row.fragile}" if row.fragile else ""
        found = f"{_with_interval(row, '+')}, p {p_text(row.p_holm)} after Holm{check}{only}"
        yield f"{better} orders systems better than {worse} ({found})."
    left = [row for row in gaps if row not in sure and not isnan(row.p_holm) and not few]
    if left:
        widest = max(left, key=lambda row: abs(row.value))
        pairs = "No two metrics" if not sure else f"{many(len(left), 'other pair')} of metrics"
        verb = "differ significantly" if not sure else "do not differ significantly"
        found = f"{widest.metric} - {widest.other} {_with_interval(widest, '+')}"
        yield f"{pairs} {verb}; the largest such difference: {found}."
    silent = [row for row in gaps if few or isnan(row.p_holm)]
    if silent and not sure and not left:
        widest = max(silent, key=lambda row: abs(row.value))
        yield (
            f"Whether metrics differ cannot be said{FEW if few else ''}; the largest difference is {widest.metric} - "
            f"{widest.other} {_with_interval(widest, '+')}, and flipping signs could give no p below "
            f"{number(widest.smallest_flip)}."
        )


def _new(best: Pooled, gaps: Sequence[Pooled]) -> Iterator[str]:
    if not isnan(best.new_low):
        text = f"On a new collection the tau of {best.metric} lies between {number(best.new_low, 2)} and "
        text += f"{number(best.new_high, 2)} with 95 %"
        others = [row for row in gaps if best.metric in (row.metric, row.other) and not isnan(row.new_low)]
        if others:
            low, high = min(row.new_low for row in others), max(row.new_high for row in others)
            text += f", its difference from another metric within {number(low, 2)} and {number(high, 2)}"
        yield f"{text}."


def _differ(row: Pooled) -> str:
    """Heterogeneity in words."""
    if isnan(row.p_same):
        return ""
    if row.p_same < ALPHA:
        return (
            f"The collections differ: the true tau of {row.metric} has a standard deviation of about "
            f"{number(row.sd_between, 2)} between them."
        )
    return (
        f"Noise alone explains how the tau of {row.metric} differs between collections (p {number(row.p_same, 2)}), "
        "which with so few of them is weak evidence that they are alike."
    )


def transport_sentence(row: Transported, collections: str = "collection") -> str:
    """What a point of the metric is worth, and whether that holds elsewhere."""
    better = "better" if row.brier < row.brier_common - 0.001 else "no better"
    text = (
        f"A point of {row.metric} is worth {fixed(row.slope, 4)} of {row.measure} "
        f"[{fixed(row.ci_low, 4)}, {fixed(row.ci_high, 4)}] over "
        f"{many(row.collections, 'collection')}. Predicted for the collection left out, the Brier score is "
        f"{number(row.brier)} (chance .250, one common slope {number(row.brier_common)}: slopes by collection are "
        f"{better})"
    )
    if row.pairs:
        text += f"; where {number(row.stated, 2)} was stated on average, it happened in {number(row.happened, 2)} of "
        text += f"{row.pairs} pairs"
    return f"{text}."


def title_of(row: Pooled) -> str:
    return f"tau with {row.measure}: {row.metric}{f' - {row.other}' if row.other else ''}"


def best_common_metric(pooling: Pooling, stratum: Stratum) -> list[Transported]:
    """Of the metrics that most collections have, the one that predicts best; the others are in transport.tsv."""
    rows = [row for row in pooling.transport if Stratum(row.judge, row.measure, row.retriever) == stratum]
    return sorted(rows, key=lambda row: (-row.collections, row.brier))[:1]
