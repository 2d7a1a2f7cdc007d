"""tau_AP, Kendall's tau and overlap between a system's ranking and the reference side's own."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import kendalltau

from clirbench.configuration.laboratories import parse
from clirbench.errors import ConfigError
from clirbench.labs.papers.rankings import Overlap, Tau, TauAP
from clirbench.measures.base import Measure
from clirbench.types import Judged, Qrels, Run


def run_of(*rankings: str) -> Run:
    return Run.of({str(t): {item: float(-i) for i, item in enumerate(r)} for t, r in enumerate(rankings)})


def value(measure: Overlap | Tau | TauAP, system: str, reference: str) -> float:
    judged = Judged(Qrels({"0": {}}), run_of(reference))
    return float(measure.per_topic(run_of(system), judged)[0])


def written_out_tau_ap(system: list[str], reference: str) -> float:
    """Yilmaz et al. 2008, eq. 1, word for word."""
    n = len(system)
    total = 0.0
    for i in range(1, n):
        total += sum(reference.index(above) < reference.index(system[i]) for above in system[:i]) / i
    return 2 / (n - 1) * total - 1


def test_tau_ap_by_hand() -> None:
    """Reference abcd, system bacd: C = 0, 2, 3 of 1, 2, 3: 2/3 (0 + 1 + 1) - 1; abdc: 2/3 (1 + 1 + 2/3) - 1."""
    assert value(TauAP(), "bacd", "abcd") == pytest.approx(1 / 3)
    assert value(TauAP(), "abdc", "abcd") == pytest.approx(7 / 9)
    assert value(TauAP(), "abcd", "abcd") == pytest.approx(1)
    assert value(TauAP(), "dcba", "abcd") == pytest.approx(-1)


@given(st.permutations("abcdef"), st.integers(0, 6))
def test_tau_ap_is_the_mean_over_all_orders_of_what_is_not_ranked(order: list[str], ranked: int) -> None:
    shown, missing = order[:ranked], order[ranked:]
    expected = np.mean([written_out_tau_ap([*shown, *tail], "abcdef") for tail in itertools.permutations(missing)])
    assert value(TauAP(), "".join(shown), "abcdef") == pytest.approx(expected if shown else 0, abs=1e-12)


@given(st.permutations("abcdef"))
def test_tau_of_complete_rankings_is_scipys(order: list[str]) -> None:
    expected = kendalltau([order.index(item) for item in "abcdef"], range(6)).statistic
    assert value(Tau(), "".join(order), "abcdef") == pytest.approx(expected, abs=1e-12)


def test_unranked_documents_are_tied_last() -> None:
    """Reference abcd, system ba: ab discordant, ac ad bc bd concordant, cd tied: (4 - 1) / 6."""
    assert value(Tau(), "ba", "abcd") == pytest.approx(0.5)
    assert value(Tau(), "xbyaz", "abcd") == pytest.approx(0.5)


def test_overlap_by_hand() -> None:
    assert value(Overlap(k=2), "axb", "abc") == 0.5
    assert value(Overlap(k=3), "axb", "abc") == pytest.approx(2 / 3)
    assert value(Overlap(k=10), "cab", "abc") == 1


def test_the_reference_is_cut_at_k() -> None:
    assert value(TauAP(k=2), "abdc", "abcd") == 1
    assert value(Tau(k=3), "bacd", "abcd") == pytest.approx(1 / 3)


@pytest.mark.parametrize("measure", [Overlap(), Tau(), TauAP()])
def test_one_document_and_none(measure: Overlap | Tau | TauAP) -> None:
    assert value(measure, "xa", "a") == 1
    assert value(measure, "x", "a") == 0
    judged = Judged(Qrels({"0": {}, "none": {}}), run_of("ab"))
    assert measure.per_topic(run_of(""), judged).tolist() == [0, 0]
    assert not measure.uses_qrels


def test_k_is_a_whole_number() -> None:
    with pytest.raises(ConfigError, match="k=0 must be a whole number of at least 1"):
        Overlap(k=0)


@pytest.mark.parametrize("name", ["tau", "tau_AP", "tau_AP@20", "overlap@5"])
def test_the_column_is_called_as_the_user_wrote_it(name: str) -> None:
    measure = parse(name)
    assert isinstance(measure, Measure)
    assert measure.name == name
    assert measure.signature.startswith(name + "|")
    assert measure.needs == {"english"}  # type: ignore[attr-defined]


def test_the_cut_is_a_whole_number() -> None:
    assert parse("overlap@5") == Overlap(k=5, name="overlap@5")
    for name in ("tau(k=none)", "tau@1.5"):
        with pytest.raises(ConfigError, match="must be a whole number"):
            parse(name)
