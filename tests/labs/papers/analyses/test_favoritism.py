"""Favoritism: against scoring every shortened test set anew, by sacreBLEU and by a few lines of counting."""

from collections import Counter
from pathlib import Path

import numpy as np
import pytest
import sacrebleu
from hypothesis import given, settings
from hypothesis import strategies as st

from clirbench.files.tables import read_table
from clirbench.labs.papers.analyses.favoritism import favoritism, rank_segments
from clirbench.labs.papers.metrics.ter import TER
from clirbench.metrics.bleu import BLEU
from clirbench.metrics.chrf import ChrF
from clirbench.metrics.macrof import MacroF, MicroF
from clirbench.types import TestSet
from tests.conftest import Cli

REFERENCE = (
    "the cat sat on the mat today",
    "a dog barks at night here",
    "rain falls on the old town",
    "the end of it all",
)
A = ("the cat sat on a mat today", "a dog barks at night", "rain fell on the old town", "the end of it")
B = ("cat on mat", "the dog barks at night here", "rain falls on an old city", "it all ends")


def without(lines: tuple[str, ...], at: int) -> list[str]:
    return [line for i, line in enumerate(lines) if i != at]


def test_bleu_is_sacrebleus_score_less_that_without_the_segment() -> None:
    metric, test = BLEU(), TestSet((REFERENCE,))
    delta = favoritism(metric, metric.statistics(A, test), metric.statistics(B, test))

    def score(lines: list[str], reference: list[str]) -> float:
        return sacrebleu.corpus_bleu(lines, [reference]).score

    for at in range(len(REFERENCE)):
        rest = without(REFERENCE, at)
        expected = (score(list(A), list(REFERENCE)) - score(without(A, at), rest)) - (
            score(list(B), list(REFERENCE)) - score(without(B, at), rest)
        )
        assert delta[at] == pytest.approx(expected, abs=1e-9)


def macro(lines: list[str], reference: list[str], micro: bool) -> float:
    """MacroF1 and MicroF1 (k = 1) by their definition, tokens split at spaces."""
    preds, refs, match = Counter[str](), Counter[str](), Counter[str]()
    for line, other in zip(lines, reference, strict=True):
        ours, theirs = Counter(line.split()), Counter(other.split())
        preds, refs, match = preds + ours, refs + theirs, match + (ours & theirs)
    f1 = {c: 2 * match[c] / (preds[c] + refs[c]) for c in preds | refs}
    weight = {c: refs[c] + 1 if micro else 1 for c in f1}
    return 100 * sum(weight[c] * f1[c] for c in f1) / sum(weight.values())


LINES = st.lists(st.sampled_from(list("abcde")), min_size=1, max_size=5).map(" ".join)


@settings(max_examples=60)
@given(st.lists(st.tuples(LINES, LINES, LINES), min_size=2, max_size=6), st.booleans())
def test_the_vocabulary_is_made_anew_for_macrof(rows: list[tuple[str, str, str]], micro: bool) -> None:
    reference, a, b = (tuple(column) for column in zip(*rows, strict=True))
    metric, test = (MicroF() if micro else MacroF()), TestSet((reference,))
    delta = favoritism(metric, metric.statistics(a, test), metric.statistics(b, test))
    for at in range(len(rows)):
        rest = without(reference, at)
        benefits = [macro(list(x), list(reference), micro) - macro(without(x, at), rest, micro) for x in (a, b)]
        assert delta[at] == pytest.approx(benefits[0] - benefits[1], abs=1e-9)


def test_exchanging_the_systems_turns_the_sign() -> None:
    test = TestSet((REFERENCE,))
    for metric in (BLEU(), ChrF(), MacroF(), TER()):
        a, b = metric.statistics(A, test), metric.statistics(B, test)
        np.testing.assert_allclose(favoritism(metric, a, b), -favoritism(metric, b, a))


def test_above_zero_favours_the_first_where_less_is_better_too() -> None:
    # Both are perfect on line 1; on line 2 the first is perfect and the second wrong in every word.
    test = TestSet((("a b c d", "e f g h"),))
    perfect, wrong = ("a b c d", "e f g h"), ("a b c d", "w x y z")
    for metric in (BLEU(), TER()):
        delta = favoritism(metric, metric.statistics(perfect, test), metric.statistics(wrong, test))
        assert delta[1] > 0


def test_ranks_go_by_size_and_ties_by_place() -> None:
    assert rank_segments(np.array([0.1, -0.5, 0.5, 0.0])).tolist() == [1, 2, 0, 3]


def test_the_file_has_every_segment_of_every_metric(cli: Cli, small_folder: Path) -> None:
    done = cli(
        f"folder={small_folder}", "measures=[]", "metric=[BLEU,MacroF1]", "analysis=[correlation,favoritism]",
        "pair=[every9,every2]", "hydra.run.dir=out",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    file = read_table(cli.cwd / "out" / "favoritism.tsv")
    assert file.header == (
        "metric", "rank", "segment", "delta", "favours", "reference", "every9", "every2", "source",
    )  # fmt: skip
    rows = list(file.records())
    assert len(rows) == 120
    reference = (small_folder / "reference.txt").read_text(encoding="utf-8").split("\n")
    for row in rows:
        assert row["reference"] == reference[int(row["segment"]) - 1]
        assert row["favours"] == ("every9" if float(row["delta"]) > 0 else "every2" if float(row["delta"]) < 0 else "")
    sizes = [abs(float(row["delta"])) for row in rows[:60]]
    assert sizes == sorted(sizes, reverse=True)
    assert sorted(int(row["segment"]) for row in rows[:60]) == list(range(1, 61))
    assert "Favoritism: every9 against every2" in (cli.cwd / "out" / "report.md").read_text(encoding="utf-8")


def test_a_folder_with_one_system_is_refused(cli: Cli, small_folder: Path) -> None:
    for n in (2, 3, 5):
        (small_folder / "systems" / f"every{n}.txt").unlink()
    done = cli(f"folder={small_folder}", "measures=[]", "metric=[BLEU]", "analysis=[favoritism]", "hydra.run.dir=out")
    assert done.returncode == 1
    assert "favoritism compares two systems, and only every9 takes part" in done.stderr


def test_wins_ties_and_losses_are_plain_sentence_scores(cli: Cli, small_folder: Path) -> None:
    done = cli(
        f"folder={small_folder}", "measures=[]", "metric=[chrF2,TER]", "analysis=[favoritism]",
        "pair=[every9,every2]", "hydra.run.dir=out",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    rows = list(read_table(cli.cwd / "out" / "segment_wins.tsv").records())
    lines = {
        name: (small_folder / path).read_text(encoding="utf-8").split("\n")
        for name, path in (("reference", "reference.txt"), ("a", "systems/every9.txt"), ("b", "systems/every2.txt"))
    }
    for row in rows[:60]:
        at, metric = int(row["segment"]) - 1, ChrF(beta=2)
        test = TestSet(((lines["reference"][at],),))
        for side in "ab":
            alone = float(metric.score(metric.statistics([lines[side][at]], test).sum(axis=0)))
            assert float(row[f"score_{side}"]) == pytest.approx(alone)
    better = {metric: [row["better"] for row in rows if row["metric"] == metric] for metric in ("chrF2", "TER")}
    for metric, names in better.items():
        assert names.count("every9") > names.count("every2"), metric
        said = f"{metric}, sentence by sentence: every9 is better in {names.count('every9')} of 60 segments"
        assert said in (cli.cwd / "out" / "report.md").read_text(encoding="utf-8")
