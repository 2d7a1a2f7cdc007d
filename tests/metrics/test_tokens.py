"""Tokens equal sacreBLEU's tokenisers, types are numbered exactly, nothing heavy is imported before it is used."""

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st
from sacrebleu.metrics.bleu import _get_tokenizer
from sacrebleu.metrics.chrf import CHRF

from clirbench.errors import ResourceError
from clirbench.metrics.tokens import WORDS, Tokeniser, tokens_of
from tests.metrics.agreement import AWKWARD, lines


def cut(cutter: Tokeniser, text: list[str]) -> list[list[str]]:
    return tokens_of(cutter, text).lines()


def library(name: str, line: str) -> list[str]:
    return str(_get_tokenizer(name)()(line.rstrip())).split()


# Characters that the rules of 13a treat differently, and some of each kind of white space.
LINES = st.lists(st.text("a1.,-&;'!~é中 \t\n\x1c\x85\xa0\u2028\u3000", max_size=25), min_size=1, max_size=4)


@given(st.one_of(LINES, st.lists(st.text(max_size=30), min_size=1, max_size=4)))
@settings(max_examples=500, deadline=None)
def test_13a_and_words_of_chrf_equal_the_library(text: list[str]) -> None:
    assert cut(Tokeniser("13a"), text) == [library("13a", line) for line in text]
    assert cut(Tokeniser(WORDS), text) == [CHRF()._remove_punctuation(line) for line in text]


@pytest.mark.parametrize("name", ["13a", "intl", "zh", "char", "none"])
def test_every_tokeniser_on_awkward_text(name: str) -> None:
    assert cut(Tokeniser(name), list(AWKWARD)) == [library(name, line) for line in AWKWARD]
    lowered = [library(name, line.lower()) for line in AWKWARD]
    assert cut(Tokeniser(name, lowercase=True), list(AWKWARD)) == lowered


def test_all_lines_of_a_real_test_set(shared_data: Path) -> None:
    for path in sorted((shared_data / "wmt21").glob("*/reference-A.txt")):
        text = list(lines(path))
        assert cut(Tokeniser("13a"), text) == [library("13a", line) for line in text]


def test_known_types_keep_their_numbers() -> None:
    known = tokens_of(Tokeniser(), ["b a b", "c"])
    tokens = tokens_of(Tokeniser(), ["d c a d", "", "e b"], known)
    assert known.types == ("b", "a", "c")
    assert tokens.types == ("b", "a", "c", "d", "e")
    assert tokens.numbers.tolist() == [3, 2, 1, 3, 4, 0]
    assert tokens.offsets.tolist() == [0, 4, 4, 6]
    assert tokens.lengths.tolist() == [4, 0, 2]


@pytest.mark.parametrize("at_once", [1, 2, 7])
def test_lines_that_are_cut_a_few_at_a_time(monkeypatch: pytest.MonkeyPatch, at_once: int) -> None:
    text = [*AWKWARD, "", "the end", "x" * 40_000, "the x end", *reversed(AWKWARD)]
    known = tokens_of(Tokeniser(), AWKWARD[::2])
    whole = tokens_of(Tokeniser(), text, known)
    monkeypatch.setattr("clirbench.metrics.tokens.AT_ONCE", at_once)
    cut_up = tokens_of(Tokeniser(), text, known)
    assert cut_up.types == whole.types
    assert cut_up.numbers.tolist() == whole.numbers.tolist()
    assert cut_up.offsets.tolist() == whole.offsets.tolist()


def test_a_missing_tokeniser() -> None:
    with pytest.raises(ResourceError, match=r"tokenize='flores200' needs its model.* put http.* at "):
        Tokeniser("flores200")


def test_importing_metrics_is_light() -> None:
    light([f"metrics.{name}" for name in ("bleu", "chrf", "macrof", "score_files", "segments", "tokens")])


def light(modules: list[str]) -> None:
    """Check that modules load no heavy library before it is needed."""
    code = f"import sys; {'; '.join(f'import clirbench.{name}' for name in modules)}; print(*sorted(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr == ""
    assert not {"numba", "scipy", "sacrebleu", "nltk", "matplotlib"} & {m.split(".")[0] for m in done.stdout.split()}
