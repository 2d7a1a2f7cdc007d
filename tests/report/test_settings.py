"""No setting turns the answer round: ten set-ups of a real folder, and what counts as a contradiction."""

from dataclasses import replace
from pathlib import Path

import pytest


def test_what_differs_by_too_much_is_named() -> None:
    settings = pytest.importorskip("benchmarks.settings")
    row = settings.Row("a/b", "k = 3", "RBO", "BLEU", 9, 9, 0.9, 0.6, "strong", "", "x", "y z", "")
    assert not list(settings.verdicts([row, replace(row, setup="k = 10", grade="moderate", recommended="y", tied="x")]))
    assert not list(settings.verdicts([replace(row, grade="open"), replace(row, setup="2", grade="little")]))
    for changed, said in (
        ({"measure": "MAP"}, "a/b: the answer is about MAP, RBO"),
        ({"grade": "weak"}, "a/b: BLEU moves by more than one step: {'k = 3': 3, 'k = 10': 1}"),
        ({"recommended": "v", "tied": "w"}, "a/b: no system is recommended or tied in every set-up"),
    ):
        assert list(settings.verdicts([row, replace(row, setup="k = 10", **changed)])) == [said]


@pytest.mark.release
def test_ten_set_ups_of_a_folder_say_the_same(shared_data: Path, tmp_path: Path) -> None:
    settings = pytest.importorskip("benchmarks.settings")
    name = settings.FOLDERS[0]
    made = [row for setup, run in settings.runs(name, shared_data, tmp_path) for row in settings.rows(name, setup, run)]
    assert len({row.setup for row in made}) == 10
    assert list(settings.verdicts(made)) == []


def test_what_one_set_up_says_and_another_denies_is_a_contradiction() -> None:
    settings = pytest.importorskip("benchmarks.settings")
    row = settings.Row("a/b", "k = 3", "RBO", "BLEU", 9, 9, 0.9, 0.6, "strong", "", "x", "y z", "")
    where = 'a/b, "k = 3" and "k = 10"'
    for changed, said in (
        ({"grade": "weak"}, []),
        ({"metric": "chrF2", "grade": "open"}, []),
        ({"recommended": "z", "tied": ""}, []),
        ({"recommended": "", "tied": ""}, []),
        ({"grade": "open"}, [f"{where}: BLEU is strong and open"]),
        ({"measure": "MAP"}, [f"{where}: the answer is about RBO and MAP"]),
        ({"recommended": "v", "tied": "w"}, [f"{where}: no system is recommended or tied in both"]),
    ):
        assert list(settings.contradictions([row, replace(row, setup="k = 10", **changed)])) == said
    weak, against = replace(row, grade="weak"), replace(row, setup="k = 10", grade="contradicted")
    assert list(settings.contradictions([weak, against])) == [f"{where}: BLEU is weak and contradicted"]


def test_the_page_of_answers_is_made_from_its_data() -> None:
    answers_page = pytest.importorskip("benchmarks.answers_page")
    assert answers_page.PAGE.read_text(encoding="utf-8") == answers_page.made()
