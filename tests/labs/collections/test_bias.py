"""The bias of pseudo-relevance against known items: worked by hand, and read back as it was written."""

import json
from pathlib import Path

import numpy as np
import pytest

from clirbench.errors import InputError
from clirbench.labs.collections.bias import DAMAGED, REAL, bias_rows, interval, read, write
from clirbench.labs.collections.hooks import after_sweep
from tests.report.boards import results_json

SIGNATURES = {"BLEU": "BLEU", "RR": "bm25|qrels:q|RR", "RBO": "bm25|RBO"}
SYSTEMS = {"a": ("a", "no", 30.0), "b": ("b", "no", 20.0), "a-cut": ("a", "yes", 10.0)}
KNOWN = {"a": (1.0, 0.5), "b": (0.5, 0.5), "a-cut": (1.0, 1.0)}
PSEUDO = {"a": (0.9, 0.9), "b": (0.5, 0.5), "a-cut": (0.2, 0.1)}


def run(folder: Path, topics: tuple[str, str] = ("t1", "t2")) -> Path:
    """A finished run: two engines and a damaged version of the first, two topics."""
    folder.mkdir(parents=True)
    means = [(np.mean(KNOWN[name]), np.mean(PSEUDO[name])) for name in SYSTEMS]
    rows = ["system\tfamily\tdamaged\tBLEU\tRR\tRBO"]
    rows += [
        f"{name}\t{family}\t{damaged}\t{bleu}\t{known}\t{pseudo}"
        for (name, (family, damaged, bleu)), (known, pseudo) in zip(SYSTEMS.items(), means, strict=True)
    ]
    (folder / "systems.tsv").write_text("\n".join(rows) + "\n")
    (folder / "correlations.tsv").write_text("measure\tmetric\tcoefficient\nRR\tBLEU\tkendall\nRBO\tBLEU\tkendall\n")
    values = [
        f"{name}\t{topic}\t{measure}\t{value}"
        for measure, of in (("RR", KNOWN), ("RBO", PSEUDO))
        for name in SYSTEMS
        for topic, value in zip(topics, of[name], strict=True)
    ]
    (folder / "per_topic.tsv").write_text("\n".join(["system\ttopic_id\tmeasure\tvalue", *values]) + "\n")
    inputs = {"collection": {"sha256": "pages"}, "test_sha256": "pages"}
    provenance = {"signatures": SIGNATURES, "lower_is_better": [], "inputs": inputs, "configuration": {"name": "x"}}
    (folder / "provenance.json").write_text(json.dumps(provenance))
    judges = {"RR": ("bm25", "known_items"), "RBO": ("bm25", "pseudo-relevance")}
    (folder / "results.json").write_text(results_json(SIGNATURES, judges))
    return folder


def test_a_metric_that_only_pseudo_relevance_confirms(tmp_path: Path) -> None:
    """By hand: real engines are one pair a run, which BLEU orders as both measures do; of a and its damaged version
    BLEU puts a first, as pseudo-relevance does, and the known items the damaged one."""
    rows = bias_rows([run(tmp_path / name) for name in "xyz"])
    assert [(row.systems, row.pairs, row.known, row.pseudo, row.bias) for row in rows] == [
        (REAL, 3, 1.0, 1.0, 0.0), (DAMAGED, 3, -1.0, 1.0, 2.0)
    ]  # fmt: skip
    assert rows[1].ci_low <= 2.0 <= rows[1].ci_high
    assert list(read(str(write(tmp_path, rows)))) == list(rows)


def test_a_sweep_over_the_same_judgments_writes_the_table(tmp_path: Path) -> None:
    written = after_sweep(tmp_path, [run(tmp_path / name) for name in "xyz"], {})
    assert [path.name for path in written] == ["pseudo_relevance.tsv"]


def test_runs_that_cannot_tell(tmp_path: Path) -> None:
    first = run(tmp_path / "x")
    assert bias_rows([first]) == ()
    with pytest.raises(InputError, match="topic t3 is not in the other runs"):
        bias_rows([first, run(tmp_path / "y", ("t1", "t3"))])
    with pytest.raises(InputError, match="the columns systems, metric, .* were expected"):
        read(str(first / "systems.tsv"))


def test_the_wider_interval() -> None:
    """Three collections of 10 pairs: sums 1, 2, 3 are delete-one means .25, .2, .15, error sqrt(2/3 * .005) = .0577,
    times t(2) 4.303; resampled topics that never change give no width, those that change much give theirs."""
    calm = np.array([[1.0, 1, 1, 1], [2, 2, 2, 2], [3, 3, 3, 3]])
    counts = np.array([10, 10, 10])
    assert interval(calm, counts) == pytest.approx((0.2 - 0.2484, 0.2 + 0.2484), abs=1e-4)
    wild = np.hstack([calm[:, :1], np.tile([-10.0, 10.0], (3, 50))])
    assert interval(wild, counts) == pytest.approx((0.2 - 1.0, 0.2 + 1.0))
    assert np.isnan(interval(calm[:2], counts[:2])).all()
