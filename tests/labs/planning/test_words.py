"""Words, marks, families, term-hood and lexicons; expected values by hand from the rules in the docstrings."""

from math import exp, log2
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from clirbench.errors import InputError
from clirbench.labs.planning.words import (
    Lexicon,
    WordLine,
    WordStatistics,
    aligned_form,
    family,
    pseudo_word,
    residual_idf,
)


def test_a_line_is_words_with_their_marks() -> None:
    line = WordLine.of('"No," he said - the cod (northern) isn\'t safe.')
    assert line.words == ("No", "he", "said", "-", "the", "cod", "northern", "isn't", "safe")
    assert line.before == ('"', "", "", "", "", "", "(", "", "")
    assert line.after == (',"', "", "", "", "", "", ")", "", ".")
    assert line.content == (False, False, True, False, False, True, True, False, True)
    assert line.function == (True, True, False, False, True, False, False, False, False)


@given(st.text())
def test_a_line_keeps_every_character_that_is_no_space(text: str) -> None:
    line = WordLine.of(text)
    slots = zip(line.before, line.words, line.after, strict=True)
    assert ["".join(slot) for slot in slots] == text.split()
    assert all(line.words)


@pytest.mark.parametrize(
    ("forms", "name"),
    [
        (("quota", "quotas", "Quota's"), "quota"),
        (("scrap", "scraps", "scrapped", "scrapping"), "scrap"),
        (("city", "cities"), "city"),
        (("fish", "fishing", "fished"), "fish"),
        (("sell", "selling"), "sell"),
        (("class", "bus", "crisis"), None),
    ],
)
def test_forms_of_a_word_share_a_family(forms: tuple[str, ...], name: str | None) -> None:
    assert [family(form) for form in forms] == ([name] * len(forms) if name else list(forms))


def test_residual_idf_tells_words_that_keep_together() -> None:
    # Church and Gale 1995: observed IDF less the IDF that a Poisson distribution of the same count predicts.
    assert residual_idf(8, 2, 16) == pytest.approx(log2(16 / 2) + log2(1 - exp(-8 / 16)))
    assert residual_idf(8, 2, 16) > residual_idf(8, 7, 16)
    assert residual_idf(1, 1, 10_000) == pytest.approx(0, abs=1e-4)


def test_a_vocabulary_counts_over_documents() -> None:
    documents = [[WordLine.of("The cod."), WordLine.of("Cod quotas!")], [WordLine.of("a net")]]
    found = WordStatistics.of(documents)
    assert found.words == 6
    assert found.families == {"cod": 2, "net": 1, "quota": 1}
    assert found.choices == {"": ["cod", "cod", "net"], "s": ["quotas"]}
    assert found.shares == {"content": 4 / 6, "form": 3 / 6}
    assert found.termhood["cod"] == residual_idf(2, 1, 2)


def test_the_longest_shared_beginning_wins_and_a_short_one_does_not_count() -> None:
    assert aligned_form("kvóta", "Kvalita kvót") == "kvót"
    assert aligned_form("voda", "vozidlo a vodu") == "vodu"
    assert aligned_form("les", "lék") == ""
    assert aligned_form("les", "") == ""


def test_a_lexicon_of_ones_own(tmp_path: Path) -> None:
    path = tmp_path / "de.tsv"
    path.write_text("english\tgerman\nfish\tFisch\n", encoding="utf-8")
    assert Lexicon(str(path)).untranslated("fishing") == "Fisch"
    assert Lexicon(str(path)).untranslated("cod") == pseudo_word("cod")
    path = tmp_path / "bad.tsv"
    path.write_text("english\tgerman\nfish\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"bad.tsv: line 2: two columns"):
        Lexicon(str(path)).untranslated("fish")
