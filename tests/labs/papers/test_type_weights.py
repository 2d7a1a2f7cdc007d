"""Type weights: closed forms, rescoring with sacreBLEU, and Figure 7 of Gowda 2020 with the authors' file."""

from pathlib import Path

import pytest
import sacrebleu

from clirbench.errors import ConfigError, UnknownName
from clirbench.labs.papers.error_rates import TER
from clirbench.labs.papers.type_weights import type_weights, vocabulary
from clirbench.metrics.bleu import BLEU
from clirbench.metrics.chrf import ChrF
from clirbench.metrics.macrof import MacroF, MicroF
from clirbench.text import TextFile
from tests.labs.papers.composed import ours, tables, verdicts

LINES = ("the cat, the dog.", "a dog barks at the cat", "rain falls on the old town", "the end of it all ...")


def changed(kind: str) -> tuple[list[str], list[str]]:
    """The tokenised reference, and its copy in which the type is one foreign token of the same length."""
    words = vocabulary(LINES)
    foreign = "Ж" * len(kind)
    return list(words.lines), [" ".join(foreign if token == kind else token for token in line) for line in words.tokens]


@pytest.mark.parametrize("kind", ["the", "dog", ".", "it"])
def test_the_updated_statistics_give_what_rescoring_gives(kind: str) -> None:
    words = vocabulary(LINES)
    reference, copy = changed(kind)
    bleu = sacrebleu.corpus_bleu(copy, [reference], tokenize="none", force=True).score
    assert type_weights(BLEU(), words)[kind] == pytest.approx(100 - bleu, abs=1e-9)
    chrf = sacrebleu.corpus_chrf(copy, [reference], beta=1).score
    assert type_weights(ChrF(beta=1), words)[kind] == pytest.approx(100 - chrf, abs=1e-9)
    ter = sacrebleu.corpus_ter(copy, [reference]).score  # less is better: the loss is positive still
    assert type_weights(TER(), words, [kind])[kind] == pytest.approx(ter, abs=1e-9)


def test_closed_forms_on_a_real_reference(shared_data: Path) -> None:
    """MacroF1: 100 * 2 / (V + 1); MicroF1: 100 (f + 2) / (N + V + 1); for every type."""
    lines = TextFile(shared_data / "papers" / "snmt-vs-unmt" / "de-en" / "reference.txt").lines()[:300]
    words = vocabulary(lines)
    v, n = len(words.frequency), sum(words.frequency.values())
    macro, micro = type_weights(MacroF(), words), type_weights(MicroF(), words)
    assert len(macro) == v
    for kind, f in words.frequency.items():
        assert macro[kind] == pytest.approx(200 / (v + 1), abs=1e-9)
        assert micro[kind] == pytest.approx(100 * (f + 2) / (n + v + 1), abs=1e-9)


def test_blocks_of_types_give_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = type_weights(BLEU(), vocabulary(LINES))
    monkeypatch.setattr("clirbench.labs.papers.type_weights.ROWS", 2)
    assert type_weights(BLEU(), vocabulary(LINES)) == whole


def test_a_type_that_does_not_occur_and_an_empty_reference() -> None:
    with pytest.raises(UnknownName, match="word type of the reference 'catt'. Did you mean 'cat'"):
        type_weights(BLEU(), vocabulary(LINES), ["catt"])
    with pytest.raises(ConfigError, match="its vocabulary is empty"):
        vocabulary(["", "  "])


def test_closed_forms_give_the_published_losses(shared_data: Path) -> None:
    (table,) = tables("gowda2020_figure7", f"paths.mirror={shared_data}")
    assert ours(table, "'the'", "loss", "MicroF1") == "6.45"  # the caption
    assert ours(table, "'the'", "loss", "MacroF1") == "0.03"
    assert ours(table, "file", "types that agree", "MicroF1") == "6637"  # lines of the file less its header
    assert verdicts(table) == {"as printed": 4, "no scores": 2}
