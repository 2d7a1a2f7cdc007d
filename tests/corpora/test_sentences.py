"""Documents are cut into sentences, translated, and put together again."""

import pytest

from clirbench.corpora.sentences import PARAGRAPH, SentenceSplitter, split_line
from clirbench.errors import ConfigError


def test_a_document_is_cut_by_the_rules_of_its_language() -> None:
    assert SentenceSplitter("zh").cut("天气很好。明天见！") == ["天气很好。", "明天见！"]
    assert SentenceSplitter("rus").cut("Это г. Москва. А это лес.") == ["Это г. Москва.", "А это лес."]
    assert SentenceSplitter("en").cut(f"A title{PARAGRAPH}Dr. Ray is in. She left.") == [
        "A title",
        "Dr. Ray is in.",
        "She left.",
    ]
    assert SentenceSplitter("en").cut(" ") == []


def test_the_choice_is_part_of_what_is_kept() -> None:
    assert SentenceSplitter("zho").signature == SentenceSplitter("zh").signature
    assert SentenceSplitter("zh").signature.startswith("sentences:zh|v:sentencex-")
    assert SentenceSplitter("zh").signature != SentenceSplitter("ru").signature
    with pytest.raises(ConfigError, match=r"corpus\.sentences\.language is not set"):
        SentenceSplitter().check()


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("One two three. Four.", ["One two three. Four."]),
        ("One two three. Four five. Six seven eight.", ["One two three. Four five.", "Six seven eight."]),
        ("one two three four five six seven", ["one two three four five six seven"]),
        ('He said: "One two three four." Then: five?! Six…', ['He said: "One two three four."', "Then: five?! Six…"]),
        ("一。二！三", ["一。二！三"]),
        ("", [""]),
        ("Version 2.5 is out", ["Version 2.5 is out"]),
    ],
)
def test_a_long_line_is_split_where_sentences_end(line: str, expected: list[str]) -> None:
    assert split_line(line, lambda text: len(text.split()) <= 5) == expected
