"""Every statistic of every segment of real systems equals sacreBLEU's, and so do corpus and sentence scores.

A part of one system of each test set in every run, one whole system under `slow`, all systems before a release.
"""

from pathlib import Path

import pytest
from sacrebleu.metrics import BLEU as SacreBLEU
from sacrebleu.metrics import CHRF

from clirbench.metrics.bleu import BLEU
from clirbench.metrics.chrf import ChrF
from tests.metrics.agreement import ALL, FIRST, LAST, SETS, TWO, check

CHARS = [(ChrF(beta=beta), CHRF(beta=beta)) for beta in (1, 2, 3)] + [(ChrF(word_order=2), CHRF(word_order=2))]
NGRAMS = [(BLEU(effective_order=True), SacreBLEU(effective_order=True, force=True)), *CHARS]


@pytest.mark.parametrize("name", SETS)
def test_a_sample(shared_data: Path, name: str) -> None:
    check(shared_data / name, FIRST, 30, NGRAMS)


@pytest.mark.slow
@pytest.mark.parametrize("name", TWO)
def test_bleu_and_chrf_of_a_whole_system(shared_data: Path, name: str) -> None:
    check(shared_data / name, LAST, None, [NGRAMS[0], NGRAMS[2]])


@pytest.mark.release
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("name", SETS)
def test_bleu_and_chrf_of_all_systems(shared_data: Path, name: str) -> None:
    # The others of the family share chrF2's counts: one system shows that.
    check(shared_data / name, ALL, None, [NGRAMS[0], NGRAMS[2]])
    check(shared_data / name, FIRST, None, NGRAMS)
