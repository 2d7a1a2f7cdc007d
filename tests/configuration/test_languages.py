"""`languages=SOURCE-TARGET` chooses the analyser and the tokenisers."""

from dataclasses import replace

import pytest

from clirbench.configuration.building import build
from clirbench.configuration.composing import compose_configuration
from clirbench.configuration.languages import tokeniser_of


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
    assert replace(paired, languages=plain.languages) == plain


def test_what_the_user_chose_stays() -> None:
    chosen = ["folder=x", "languages=en-zh", "analyzer=character", "metric.BLEU.tokenize=char"]
    experiment = build(compose_configuration(chosen))
    assert experiment.retriever is not None
    assert "an:character" in experiment.retriever.signature
    assert "tok:char" in experiment.metrics[0].signature
