"""`languages=SOURCE-TARGET` chooses the analyser and the tokenisers."""

from dataclasses import replace

import pytest

from clirbench.configuration.building import build
from clirbench.configuration.composing import compose_configuration
from clirbench.configuration.languages import target_of, tokeniser_of
from clirbench.errors import ConfigError


def test_the_target_is_that_of_the_pair_or_of_the_last_folder_named_by_one() -> None:
    assert target_of("de-zh") == "zh"
    assert target_of("en-liv") == "liv"
    assert target_of("data/en-de/wmt22/de-fr/A-B") == "fr"


@pytest.mark.parametrize("text", ["zh", "German-Chinese", "data/wmt22"])
def test_what_is_no_pair_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(ConfigError, match="languages=.*a pair SOURCE-TARGET .* such as languages=de-zh"):
        target_of(text)


def test_tokenisers_are_those_of_sacrebleu_by_target(monkeypatch: pytest.MonkeyPatch) -> None:
    """sacreBLEU's `_TOKENIZER_MAP` has zh, ja-mecab and ko-mecab, and 13a for every other language."""
    from sacrebleu.metrics.bleu import BLEU

    monkeypatch.setattr("clirbench.configuration.languages.find_spec", lambda name: object())
    assert {code: tokeniser_of(code) for code in BLEU._TOKENIZER_MAP} == dict(BLEU._TOKENIZER_MAP)
    assert {tokeniser_of(code) for code in ("de", "is", "xh", "bn")} == {BLEU.TOKENIZER_DEFAULT}
    monkeypatch.setattr("clirbench.configuration.languages.find_spec", lambda name: None)
    assert [tokeniser_of(code) for code in ("ja", "ko", "th", "zh")] == ["char", "char", "char", "zh"]


def test_both_sides_are_cut_in_the_target_language_and_signatures_say_so() -> None:
    experiment = build(compose_configuration(["folder=x", "languages=en-zh"]))
    assert experiment.retriever is not None
    assert "an:zh,words:uax29-12.1,cjk:character" in experiment.retriever.signature
    bleu, chrf, *_ = experiment.metrics
    assert "tok:zh" in bleu.signature
    assert "tok:" not in chrf.signature


def test_english_is_searched_as_without_it() -> None:
    plain, paired = (build(compose_configuration(["folder=x", *more])) for more in ([], ["languages=zh-en"]))
    # Analyses may hold the pair: the memory compares with collections into English, as it does without one.
    assert replace(paired, analyses=()) == replace(plain, analyses=())


def test_what_the_user_chose_stays() -> None:
    chosen = ["folder=x", "languages=en-zh", "analyzer=character", "metric.BLEU.tokenize=char"]
    experiment = build(compose_configuration(chosen))
    assert experiment.retriever is not None
    assert "an:character" in experiment.retriever.signature
    assert "tok:char" in experiment.metrics[0].signature
