"""Untranslated words: the source line's form, the lexicon's, a pseudo-word."""

from pathlib import Path

import pytest

from clirbench.corpora.demo import DemoCorpus
from clirbench.errors import ConfigError, InputError
from clirbench.labs.planning.simulating.lexicon import FOLDER, Lexicon, aligned_form, pseudo_word
from clirbench.labs.planning.simulating.wording import family


def test_the_source_line_decides_the_form() -> None:
    lexicon = Lexicon("cs")
    assert lexicon.untranslated("quotas", "Návrh snižuje kvótu na odlov tresky.") == "kvótu"
    assert lexicon.untranslated("cod", "Návrh snižuje kvótu na odlov tresky.") == "tresky"
    assert lexicon.untranslated("cod", "O rybách ani slovo.") == "treska"
    assert lexicon.untranslated("cod") == "treska"


def test_the_longest_shared_beginning_wins_and_a_short_one_does_not_count() -> None:
    assert aligned_form("kvóta", "Kvalita kvót") == "kvót"
    assert aligned_form("voda", "vozidlo a vodu") == "vodu"
    assert aligned_form("les", "lék") == ""
    assert aligned_form("les", "") == ""


def test_unknown_words_are_visible_and_the_same_each_time() -> None:
    lexicon = Lexicon("")
    assert lexicon.untranslated("quotas") == lexicon.untranslated("quota") == pseudo_word("quota")
    assert pseudo_word("quota").startswith("xx")
    assert len({pseudo_word(name) for name in ("cod", "net", "milk", "bee", "train")}) == 5


def test_a_lexicon_of_ones_own(tmp_path: Path) -> None:
    path = tmp_path / "de.tsv"
    path.write_text("english\tgerman\nfish\tFisch\n", encoding="utf-8")
    assert Lexicon(str(path)).untranslated("fishing") == "Fisch"
    assert Lexicon(str(path)).untranslated("cod") == pseudo_word("cod")
    path = tmp_path / "bad.tsv"
    path.write_text("english\tgerman\nfish\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"bad.tsv: line 2: two columns"):
        Lexicon(str(path)).untranslated("fish")


def test_a_lexicon_that_does_not_exist_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"lexicon='xy': no such lexicon; shipped: cs"):
        Lexicon("xy")


def test_the_shipped_lexicon_is_of_the_demo() -> None:
    """Every English word occurs in the demo, and nearly every Czech word begins like one of its source's."""
    rows = [line.split("\t") for line in (FOLDER / "cs.tsv").read_text(encoding="utf-8").split("\n")[1:-1]]
    corpus = DemoCorpus().read()
    assert corpus.test.source is not None
    english = {family(w.strip('.,;:?!"')) for line in corpus.test.references[0] for w in line.lower().split()}
    czech = " ".join({word for line in corpus.test.source for word in line.lower().split()})
    assert len(rows) == len({word for word, _ in rows}) >= 300
    assert sum(family(word) in english for word, _ in rows) >= 0.97 * len(rows)
    assert sum(bool(aligned_form(word, czech)) for _, word in rows) >= 0.97 * len(rows)
    assert f"`cs.tsv`: {len(rows)} English" in (FOLDER / "README.md").read_text(encoding="utf-8")
