"""Expected stems: the examples of Porter's paper (1980), and NLTK's port of the author's own program."""

import re
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from clirbench.retrieval.analyzers import porter
from clirbench.text import TextFile

# From the paper, step by step; where the paper shows one step, the stem after all steps is by its later rules.
PAPER = {
    "caresses": "caress", "ponies": "poni", "ties": "ti", "caress": "caress", "cats": "cat", "feed": "feed",
    "agreed": "agre", "plastered": "plaster", "bled": "bled", "motoring": "motor", "sing": "sing",
    "conflated": "conflat", "troubled": "troubl", "sized": "size", "hopping": "hop", "tanned": "tan",
    "falling": "fall", "hissing": "hiss", "fizzed": "fizz", "failing": "fail", "filing": "file", "happy": "happi",
    "sky": "sky", "relational": "relat", "conditional": "condit", "rational": "ration", "vietnamization": "vietnam",
    "triplicate": "triplic", "formative": "form", "electrical": "electr", "hopeful": "hope", "goodness": "good",
    "revival": "reviv", "allowance": "allow", "airliner": "airlin", "adjustable": "adjust", "replacement": "replac",
    "adoption": "adopt", "communism": "commun", "effective": "effect", "probate": "probat", "rate": "rate",
    "cease": "ceas", "controll": "control", "roll": "roll", "generalizations": "gener", "oscillators": "oscil",
}  # fmt: skip


@pytest.mark.parametrize(("word", "stem"), PAPER.items())
def test_examples_of_the_paper(word: str, stem: str) -> None:
    assert porter(word) == stem


def test_a_character_of_two_units_counts_twice() -> None:
    """Lucene's code sees Java chars: a word of one such letter and s has three and loses its s."""
    assert porter("\U0001d41as") == "\U0001d41a"


SUFFIXES = (
    "ational", "tional", "enci", "izer", "bli", "alli", "entli", "eli", "ousli", "ization", "ation", "ator",
    "alism", "iveness", "fulness", "ousness", "aliti", "iviti", "biliti", "logi", "icate", "ative", "alize", "iciti",
    "ical", "ful", "ness", "ance", "er", "ic", "able", "ant", "ement", "ent", "ion", "ou",
    "ism", "ate", "ous", "ive", "ed", "ing", "eed", "ies", "sses", "s", "y", "e",
    "ll", "lle", "at", "bl", "iz", "tt",
)  # fmt: skip
made_words = st.builds(
    lambda stem, suffixes: stem + "".join(suffixes),
    st.text("abcdeiouylstwxz", max_size=6),
    st.lists(st.sampled_from(SUFFIXES), max_size=3),
)


@given(made_words)
def test_equals_the_authors_program(word: str) -> None:
    nltk = pytest.importorskip("nltk.stem.porter", reason="NLTK ABSENT: its stems are not compared with ours")
    oracle = nltk.PorterStemmer(mode="MARTIN_EXTENSIONS")
    assert porter(word) == oracle.stem(word, to_lowercase=False)


@pytest.mark.slow
def test_equals_the_authors_program_on_a_real_vocabulary(shared_data: Path) -> None:
    nltk = pytest.importorskip("nltk.stem.porter", reason="NLTK ABSENT: its stems are not compared with ours")
    oracle = nltk.PorterStemmer(mode="MARTIN_EXTENSIONS")
    lines = TextFile(shared_data / "europarl" / "fr-en-2007" / "reference.txt.gz").lines()
    vocabulary = sorted(set(re.findall(r"[a-z]+", "\n".join(lines).lower())))
    assert len(vocabulary) > 10_000
    assert [word for word in vocabulary if porter(word) != oracle.stem(word, to_lowercase=False)] == []
