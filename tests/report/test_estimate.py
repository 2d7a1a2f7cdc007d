"""Estimates of time and memory: their arithmetic and what they leave out; benchmarks/estimates.py has real runs."""

import gzip
import re
from pathlib import Path

import pytest

from clirbench.configuration.building import build
from clirbench.configuration.composing import CONF, compose_configuration
from clirbench.experiment import run, with_store
from clirbench.inputs import read_inputs
from clirbench.metrics.bleu import BLEU
from clirbench.report.decision import PACKED, READING, estimate, rate, round_digits, size
from clirbench.result import Experiment
from clirbench.steps import readings
from clirbench.store.store import Store, read_through_snapshot
from clirbench.text import TextFile
from clirbench.types import DocumentMap

SAID = re.compile(r"about ([\d,]+) s of processor time and ([\d.]+) GB of memory \(measured runs were within")


class Slow:
    """A metric of somebody's."""

    name = "Slow"


def said(experiment: Experiment, cache: Path) -> str:
    with read_through_snapshot():
        inputs = read_inputs(experiment)
        assert inputs is not None
        return estimate(experiment, inputs, Store(cache / "store"))


def test_packed_bytes_are_more_than_they_seem(tmp_path: Path) -> None:
    plain, packed = tmp_path / "a.txt", tmp_path / "b.txt.gz"
    plain.write_text("word\n" * 20)
    packed.write_bytes(gzip.compress(b"word\n" * 20))
    assert size(TextFile(plain)) == 100
    assert size(TextFile(packed)) == packed.stat().st_size * PACKED
    assert (rate(BLEU()), rate(Slow())) == (READING["BLEU"], None)


def test_every_metric_and_retriever_that_is_shipped_has_a_rate_or_is_named() -> None:
    others = {"COMET", "MetricX", "BERTScore", "BLEURTmean", "BLEURTmedian", "ScoreFile"}  # need a file to be built
    others |= {"Command", "RunBERTScore", "RunBLEURT", "RunCOMET", "RunMetricX"}  # run a command: no rate
    names = sorted({path.stem for path in (CONF / "metric").glob("*.yaml")} - others)
    for metric in build(compose_configuration(["+experiment=demo", f"metric=[{','.join(names)}]"])).metrics:
        assert rate(metric), metric
    for name in ("bm25", "bm25s", "lucene", "rank_bm25"):
        built = build(compose_configuration(["folder=x", f"retrieval={name}"])).retriever
        for reader, _ in readings(built, (), DocumentMap.blocks_of(1)):
            assert rate(reader), name


def test_what_the_store_has_takes_no_time_and_what_nobody_measured_is_named(small_texts: Path, tmp_path: Path) -> None:
    keys = [f"folder={small_texts}", "metric=[METEOR]", "measures=[MAP]", "topics.n=5", "engine=serial"]
    experiment = build(compose_configuration(keys))
    fresh = SAID.match(said(experiment, tmp_path))
    assert fresh
    with with_store(experiment, tmp_path, tmp_path / "plan.tsv") as ready:
        run(ready)
    again = SAID.match(said(experiment, tmp_path))
    assert again
    assert float(again[1]) < float(fresh[1])
    command = build(compose_configuration([*keys, "metric=[Command]", "metric.Command.command='cat {hypothesis}'"]))
    assert said(command, tmp_path).endswith("; not in it: Command")
    assert not (tmp_path / "nowhere").exists()


@pytest.mark.parametrize(("seconds", "text"), [(0.2, "1"), (4.4, "4"), (96, "96"), (347, "350"), (2345, "2,300")])
def test_no_digit_that_nobody_knows(seconds: float, text: str) -> None:
    assert round_digits(seconds) == text
