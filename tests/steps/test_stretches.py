"""Statistics of many segments are made some segments at a time; no number may depend on that."""

import io

import numpy as np
import pytest

from clirbench import steps as passes
from clirbench.files import lines as spool
from clirbench.files.lines import Lines, map_of
from clirbench.metrics import chrf, macrof, tokens
from clirbench.metrics.bleu import BLEU
from clirbench.metrics.chrf import ChrF
from clirbench.metrics.macrof import MacroF
from clirbench.steps import column_sums, statistics
from clirbench.store.store import Store, write_part
from clirbench.text import TextLines
from clirbench.types import TestSet

N = 23
WORDS = ["the", "a", "cat", "dog", "sat", "on", "mat,", "hat.", "&", "é", "中文", "runs", "quickly"]
RNG = np.random.default_rng(4)
TEXTS = [[" ".join(RNG.choice(WORDS, 1 + int(RNG.integers(9)))) + f" w{i % k}" for i in range(N)] for k in (5, 7, 11)]


def dense(counted):
    return counted if isinstance(counted, np.ndarray) else counted.toarray()


METRICS = [BLEU(), ChrF(), ChrF(word_order=2), MacroF()]


@pytest.fixture(params=METRICS, ids=lambda one: one.name)
def metric(request):
    chrf._counts.cache_clear()
    tokens.hypothesis_tokens.cache_clear()
    return request.param


@pytest.mark.parametrize("n_references", [1, 2])
def test_stretches_of_segments_give_the_statistics_of_all(metric, n_references, monkeypatch) -> None:
    whole = metric.statistics(TEXTS[0], TestSet(tuple(tuple(one) for one in TEXTS[1 : n_references + 1])))
    made = by_stretches(metric, n_references, monkeypatch)
    assert dense(made).tolist() == dense(whole).tolist()
    assert packed(made) == packed(whole)


def packed(value) -> bytes:
    file = io.BytesIO()
    write_part(file, "name", {"key": value})
    return file.getvalue()


def test_statistics_in_a_file_are_the_same_entry_of_the_store_and_the_same_sums(metric, monkeypatch, tmp_path) -> None:
    whole = metric.statistics(TEXTS[0], TestSet((tuple(TEXTS[1]),)))
    made = by_stretches(metric, 1, monkeypatch)
    maps = {map_of(array) for array in ((made,) if isinstance(made, np.ndarray) else (made.data, made.indices))}
    assert None not in maps
    Store(tmp_path).put("folder", {"key": made})
    read = Store(tmp_path).get("folder", "key")
    monkeypatch.setattr(passes, "give_back", lambda array: maps.discard(map_of(array)))
    assert column_sums(made).tolist() == column_sums(read).tolist() == dense(whole).sum(axis=0).tolist()
    assert not maps  # all were given back


def by_stretches(metric, n_references, monkeypatch):
    for module in (tokens, macrof, passes):
        monkeypatch.setattr(module, "STRETCH", 4)
    monkeypatch.setattr(tokens, "AT_ONCE", 2)
    monkeypatch.setattr(spool, "HELD", 0)
    references = tuple(Lines.of(TextLines(text)) for text in TEXTS[1 : n_references + 1])
    return statistics(metric, TestSet(references), TextLines(tuple(TEXTS[0])))


def test_sums_of_a_mapped_file_are_those_of_all_rows_to_the_last_bit(monkeypatch) -> None:
    monkeypatch.setattr(spool, "HELD", 0)
    monkeypatch.setattr(tokens, "STRETCH", 7)
    rows = np.random.default_rng(1).random((100, 3))
    made = spool.Spool()
    made.write(rows)
    assert column_sums(made.array(np.float64).reshape(100, 3)).tobytes() == rows.sum(axis=0).tobytes()
