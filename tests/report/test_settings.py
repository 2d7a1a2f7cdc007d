"""No setting turns the answer round: ten set-ups of a real folder, and what counts as a contradiction."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

answers = pytest.importorskip("benchmarks.answers")
ROW = answers.Row("a/b", "k = 3", "RBO", "BLEU", 9, 9, 0.9, "strong", "", "x", "y z", "")
BOTH = 'a/b, "k = 3" and "k = 10"'


@pytest.mark.parametrize(
    ("changed", "verdicts", "contradictions"),
    [
        ({"grade": "moderate", "recommended": "y", "tied": "x"}, [], []),
        ({"metric": "chrF2", "grade": "open"}, [], []),
        ({"recommended": "z", "tied": ""}, [], []),
        ({"recommended": "", "tied": ""}, None, []),
        ({"grade": "weak"}, ["a/b: BLEU moves by more than one step: {'k = 3': 3, 'k = 10': 1}"], []),
        ({"grade": "open"}, None, [f"{BOTH}: BLEU is strong and open"]),
        ({"measure": "MAP"}, ["a/b: the answer is about MAP, RBO"], [f"{BOTH}: the answer is about RBO and MAP"]),
        ({"recommended": "v", "tied": "w"}, ["a/b: no system is recommended or tied in every set-up"],
         [f"{BOTH}: no system is recommended or tied in both"]),
    ],
)  # fmt: skip
def test_what_differs_by_too_much_is_named(
    changed: dict[str, Any], verdicts: list[str] | None, contradictions: list[str]
) -> None:
    rows = [ROW, replace(ROW, setup="k = 10", **changed)]
    assert verdicts is None or list(answers.verdicts(rows)) == verdicts
    assert list(answers.contradictions(rows)) == contradictions


def test_grades_without_evidence_are_alike_and_the_wrong_way_round_is_a_contradiction() -> None:
    weak, against = replace(ROW, grade="weak"), replace(ROW, setup="k = 10", grade="contradicted")
    assert not list(answers.verdicts([replace(ROW, grade="open"), replace(against, grade="little")]))
    assert list(answers.contradictions([weak, against])) == [f"{BOTH}: BLEU is weak and contradicted"]


def test_steps_away_from_the_folder_as_it_is_are_counted() -> None:
    grades = {"as it is": "weak", "seed 1": "weak", "without x": "moderate", "without y": "contradicted"}
    cells = [replace(ROW, setup=setup, grade=grade) for setup, grade in grades.items()]
    assert list(answers.steps(cells)) == ["| seed | 1 | 0 | 0 |", "| one system left out | 2 | 1 | 1: a/b BLEU (y) |"]


@pytest.mark.release
@pytest.mark.timeout(1800)
def test_ten_set_ups_of_a_folder_say_the_same(shared_data: Path, tmp_path: Path) -> None:
    name = answers.FOLDERS[0]
    made = [row for setup, run in answers.setups(name, shared_data, tmp_path) for row in answers.rows(name, setup, run)]
    assert len({row.setup for row in made}) == 10
    assert list(answers.verdicts(made)) == []


def test_the_page_of_answers_is_made_from_its_data() -> None:
    assert answers.PAGE.read_text(encoding="utf-8") == answers.made()
