"""Rank-biased overlap against published values, definitions written out, and its laws."""

import csv
import math
import re
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st

from clirbench.errors import ConfigError, InputError
from clirbench.measures.rbo import RBO
from clirbench.types import Judged, Qrels, Run

Groups = list[list[str]]


@st.composite
def rankings(draw: st.DrawFn, tied: bool = True) -> Groups:
    items = draw(st.permutations("abcdefghij"))[: draw(st.integers(1, 10))]
    cuts = draw(st.lists(st.booleans(), min_size=len(items), max_size=len(items))) if tied else [True] * len(items)
    groups: Groups = []
    for item, new in zip(items, cuts, strict=True):
        if new or not groups:
            groups.append([])
        groups[-1].append(item)
    return groups


PERSISTENCE = st.floats(0.05, 0.99)
TREATMENTS = ["doc_id", "w", "a", "b"]


def read_groups(text: str) -> Groups:
    return [group.strip("()").split() for group in re.findall(r"\([^)]*\)|\S+", text)]


@pytest.mark.parametrize("ties", ["w", "a", "b"])
@pytest.mark.parametrize("every", [5, pytest.param(1, marks=pytest.mark.release)])
def test_the_2000_published_cases(shared_data: Path, ties: str, every: int) -> None:
    """Expected values: rbo-cases.csv, the reference implementation of Corsi and Urbano (SIGIR 2024)."""
    with (shared_data / "rbo" / "rbo-cases.csv").open(newline="") as stream:
        cases = list(csv.DictReader(stream))
    assert len(cases) == 2000
    for case in cases[::every]:
        x, y = read_groups(case["x"]), read_groups(case["y"])
        for variant in ("ext", "min", "max", "res"):
            rbo = RBO(p=float(case["p"]), ties=ties, variant=variant)
            assert rbo.compare(x, y) == pytest.approx(float(case[f"{ties}.{variant}"]), abs=1e-9, rel=0)


@given(rankings(), rankings(), PERSISTENCE, st.sampled_from(TREATMENTS))
def test_symmetry_range_and_order_of_the_variants(x: Groups, y: Groups, p: float, ties: str) -> None:
    values = {v: RBO(p=p, ties=ties, variant=v).compare(x, y) for v in ("min", "ext", "max", "res")}
    for variant, value in values.items():
        assert RBO(p=p, ties=ties, variant=variant).compare(y, x) == pytest.approx(value, abs=1e-12)
        assert -1e-12 <= value <= 1 + 1e-12
    assert values["min"] <= values["ext"] + 1e-12
    assert values["ext"] <= values["max"] + 1e-12
    assert values["res"] == pytest.approx(values["max"] - values["min"], abs=1e-15)


@given(rankings(), PERSISTENCE)
def test_a_ranking_agrees_with_itself(x: Groups, p: float) -> None:
    for ties in ("doc_id", "w", "b"):
        assert RBO(p=p, ties=ties).compare(x, x) == pytest.approx(1, abs=1e-12)


@given(rankings(tied=False), rankings(tied=False), PERSISTENCE, st.sampled_from(["ext", "min", "max", "res"]))
def test_without_ties_all_treatments_are_one(x: Groups, y: Groups, p: float, variant: str) -> None:
    values = [RBO(p=p, ties=ties, variant=variant).compare(x, y) for ties in TREATMENTS]
    assert values == pytest.approx([values[0]] * 4, abs=1e-12)


@given(rankings(), rankings(), PERSISTENCE, st.sampled_from(TREATMENTS), st.integers(1, 12))
@settings(max_examples=50)
def test_a_run_is_scored_as_its_lists_are(x: Groups, y: Groups, p: float, ties: str, depth: int) -> None:
    def scores(groups: Groups) -> dict[str, float]:
        return {item: float(-rank) for rank, group in enumerate(groups) for item in group}

    def in_order(groups: Groups) -> Groups:
        return [sorted(group) for group in groups]  # a Run holds tied documents by id, which matters where depth cuts

    run, ideal = Run.of({"t": scores(x)}), Run.of({"u": scores(x), "t": scores(y)})
    rbo = RBO(p=p, ties=ties, depth=depth)
    value = rbo.per_topic(run, Judged(Qrels({"t": {}}), ideal))
    assert value.tolist() == [pytest.approx(rbo.compare(in_order(x), in_order(y)), abs=1e-12)]


def test_how_equal_scores_of_a_run_enter_is_a_parameter() -> None:
    run = Run.of({"t": {"b": 2.0, "a": 2.0}})
    ideal = Run.of({"t": {"b": 2.0, "a": 1.0}})
    judged = Judged(Qrels({"t": {}}), ideal)
    broken, tied = (RBO(p=0.5, ties=ties).per_topic(run, judged)[0] for ties in ("doc_id", "w"))
    assert broken == pytest.approx(0.5, abs=1e-12)  # ab, ba: A = 0, 1; EXT = 1/4 + 1/4
    assert tied == pytest.approx(0.5 * 2 / 3 + 0.25 + 0.25, abs=1e-12)  # (ab), b a: A = 2/3, 1


def test_topics_that_a_side_does_not_match_score_0_in_every_variant() -> None:
    run, ideal = Run.of({"1": {"a": 1}, "2": {}}), Run.of({"1": {"a": 1}, "2": {"a": 1}, "3": {"a": 1}})
    judged = Judged(Qrels({"1": {"a": 1}, "2": {"a": 1}, "3": {"a": 1}}), ideal)
    for variant in ("ext", "max"):
        assert RBO(variant=variant).per_topic(run, judged).tolist() == pytest.approx([1, 0, 0])


def test_empty_rankings_show_nothing() -> None:
    for x, y in (("", "ab"), ("", "")):
        assert RBO().compare(x, y) == 0
        assert RBO(variant="min").compare(x, y) == 0
        assert RBO(variant="max").compare(x, y) == pytest.approx(1)


def test_the_signature_says_everything() -> None:
    signature = RBO(p=0.9, ties="a", variant="min", depth=50).signature
    assert signature == "RBO|measure:RBO|p:0.9|depth:50|variant:min|ties:a|mean:arithmetic|unmatched:0"


def test_bad_parameters_and_rankings_are_refused() -> None:
    for p in (0, 1, 1.5, -0.1, math.nan, math.inf, True, "x"):
        with pytest.raises(ConfigError, match="must be a number above 0 and below 1"):
            RBO(p=p)  # type: ignore[arg-type]
    for depth in (0, 1.5, True):
        with pytest.raises(ConfigError, match="at least 1"):
            RBO(depth=depth)  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match="measure RBO: ties='c' is not one of doc_id, w, a, b"):
        RBO(ties="c")
    with pytest.raises(ConfigError, match="measure RBO: variant='exta' is not one of .*Did you mean 'ext'"):
        RBO(variant="exta")
    with pytest.raises(InputError, match="'a' twice"):
        RBO().compare(["a", ("b", "a")], ["a"])
