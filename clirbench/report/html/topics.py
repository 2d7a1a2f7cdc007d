"""What the per-topic view shows, small enough to be embedded: values, terms, rankings, the start of documents."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from clirbench.computed import Retrieval, with_marks
from clirbench.report.html.page import rounded
from clirbench.result import Result
from clirbench.types import Documents, Run

TOP = 10  # documents of each ranking
SNIPPET = 160  # characters of a document
BUDGET = 1_100_000  # bytes of values and rankings, about; the report stays below 3 MB
TEXTS = 600_000  # bytes of snippets, about
SEARCHED = 400_000_000  # bytes of a collection that is read again for snippets


def topic_sets(result: Result) -> list[dict[str, Any]]:
    """One entry for each set of topics that was searched."""
    searched = {label: found for label, found in result.retrieval.items() if found.runs}
    return [_topic_set(result, label, found, len(searched)) for label, found in searched.items()]


def _topic_set(result: Result, label: str, found: Retrieval, sets: int) -> dict[str, Any]:
    """One set of topics, in its share of what may be embedded."""
    assert result.inputs is not None
    inputs = result.inputs
    texts = {topic.topic_id: topic.text for topic in inputs.topics[found.topic_label]}
    scored = list(dict.fromkeys(t for judged in found.judged.values() for t in judged.topic_ids))
    kept = _kept(found, scored, BUDGET // sets)
    ids: dict[str, int] = {}
    ideal = [_top(found.ideal, topic_id, ids) for topic_id in kept]
    shown = snippets(inputs.corpus.english, list(ids), TEXTS // sets) if inputs.corpus.has_english else {}
    known = [set(_unmatched(found.ideal, topic_id)) for topic_id in kept]
    lost: list[dict[str, list[int]]] = [{} for _ in kept]
    ranked = []
    for number, run in enumerate(found.runs.values()):  # one at a time: each is read from the store
        ranked.append([_top(run, topic_id, ids) for topic_id in kept])
        for topic_id, terms, english in zip(kept, lost, known, strict=True):
            for term in _unmatched(run, topic_id):
                if term not in english:
                    terms.setdefault(term, []).append(number)
    return {
        "name": label or "topics",
        "topics": [{"id": topic_id, "text": texts.get(topic_id, "")[:400]} for topic_id in kept],
        "n": len(scored),
        "systems": list(found.runs),
        "ideal": ideal,
        "runs": ranked,
        "relevant": {
            rule or "first": [
                [ids[doc] for doc, grade in judged.qrels.grades.get(t, {}).items() if grade > 0 and doc in ids]
                for t in kept
            ]
            for rule, judged in found.judged.items()
        },
        "lost": lost,
        "documents": [[doc_id, shown.get(doc_id, "")] for doc_id in ids],
        "measures": dict(_values(result, label, found, kept)),
    }


def _kept(found: Retrieval, scored: Sequence[str], budget: int) -> list[str]:
    """All topics where they fit; otherwise those with the lowest mean value of the first measure."""
    each = len(found.runs) * (5 * len(found.per_topic) + 5 * TOP) + 600
    fit = max(1, budget // each)
    if len(scored) <= fit:
        return list(scored)
    (relevance, measure), values = next(iter(found.per_topic.items()))
    means = np.nan_to_num(values.mean(axis=0))
    topic_ids = found.topics(relevance, measure)
    lowest = {topic_ids[i] for i in np.argsort(means, kind="stable")[:fit].tolist()}
    return [topic_id for topic_id in scored if topic_id in lowest]


def _top(run: Run, topic_id: str, ids: dict[str, int]) -> list[int]:
    return [ids.setdefault(doc_id, len(ids)) for doc_id in run.ranking(topic_id)[:TOP]]


def _unmatched(run: Run, topic_id: str) -> tuple[str, ...]:
    at = run.position.get(topic_id)
    return () if at is None else run.unmatched[at]


def _values(result: Result, label: str, found: Retrieval, kept: Sequence[str]) -> Iterable[tuple[str, Any]]:
    collection = "" if result.inputs is None else result.inputs.corpus.collection
    for (relevance, measure), values in found.per_topic.items():
        at = {topic_id: i for i, topic_id in enumerate(found.topics(relevance, measure))}
        rows = [[rounded(row[at[t]], 3) if t in at else None for t in kept] for row in values.tolist()]
        rule = relevance or "first"
        yield with_marks(measure, collection, label, relevance), {"rule": rule, "values": rows}


def snippets(english: Documents, wanted: Sequence[str], budget: int = TEXTS) -> dict[str, str]:
    """The start of the wanted documents of the English side; none where reading them again would take long."""
    if english.text.size > SEARCHED:
        return {}
    missing = set(wanted[: budget // (SNIPPET + 20)])
    found: dict[str, str] = {}
    for document in english:
        if not missing:
            break
        if document.doc_id in missing:
            text = " ".join(document.text[: 4 * SNIPPET].split())
            found[document.doc_id] = text if len(text) <= SNIPPET else text[: SNIPPET - 1] + "…"
            missing.discard(document.doc_id)
    return found
