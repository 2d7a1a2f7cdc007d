"""Analysers by code: stems are checked against Snowball's compiled build (PyStemmer), lists against their library."""

import random
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest
from snowballstemmer.german_stemmer import GermanStemmer

from clirbench.corpora.layout import BY_CHARACTER
from clirbench.errors import ConfigError
from clirbench.labs.search.languages import NAMES, STEMMERS, STOP_LISTS, Language

TEXT = {
    "de": "Die Häuser der Städte waren schön",
    "fr": "Les maisons de l'avocat étaient grandes",
    "es": "Las casas de los abogados eran grandes",
    "ru": "Дома в городах были большими",
    "fi": "Kaupunkien talot olivat suuria",
    "cs": "Domy ve městech byly velké",
    "sv": "Husen i städerna var stora",
}


def test_german_step_by_step() -> None:
    """die, der, waren are stop words; Snowball: Häuser -> haus, Städte -> stadt, schön -> schon."""
    assert Language("de").terms(TEXT["de"]) == ["haus", "stadt", "schon"]
    assert Language("de", stem=False).terms(TEXT["de"]) == ["häuser", "städte", "schön"]
    assert Language("de", stop_words=False, stem=False).terms("Die Häuser") == ["die", "häuser"]


@pytest.mark.parametrize("code", sorted(TEXT))
def test_stems_are_snowballs(code: str) -> None:
    stemmer = pytest.importorskip("Stemmer", reason="PYSTEMMER ABSENT: stems are not compared with its")
    plain = Language(code, stop_words=False, stem=False).terms(TEXT[code])
    assert Language(code, stop_words=False).terms(TEXT[code]) == stemmer.Stemmer(NAMES[code]).stemWords(plain)


KANJI = [*"日本語のカタカナ한국", "eu", "27"]


@pytest.mark.parametrize(
    ("code", "text", "terms"),
    [
        *((code, "日本語のカタカナ 한국 EU-27", KANJI) for code in ("ja", "ko", "zh")),
        # a letter with the vowel signs and tones above and below it is one term; a vowel written before is its own
        ("th", "น้ำใจ 27", ["น้", "ำ", "ใ", "จ", "27"]),
        ("lo", "ຂອບໃຈ", ["ຂ", "ອ", "ບ", "ໃ", "ຈ"]),
        ("km", "ភាសា", ["ភា", "សា"]),
        ("my", "မြန်မာ", ["မြ", "န်", "မာ"]),
        # without a stemmer: the words by Unicode's rules, which punctuation is no part of, in lower case
        ("is", "Þetta eru Íslendingar.", ["þetta", "eru", "íslendingar"]),
        ("ha", "Ƙasar 'yan Najeriya", ["ƙasar", "yan", "najeriya"]),
        ("bn", "বাংলা ভাষা।", ["বাংলা", "ভাষা"]),
        ("xh", "Ndiyabulela, enkosi!", ["ndiyabulela", "enkosi"]),
        ("liv", "Min kēļ līvõ", ["min", "kēļ", "līvõ"]),
    ],
)
def test_terms(code: str, text: str, terms: list[str]) -> None:
    assert Language(code).terms(text) == terms
    kind = ",cjk:character" if code in BY_CHARACTER else ",stop:none,stem:none"
    assert Language(code).signature == f"{code},words:uax29-12.1{kind}"


@pytest.mark.parametrize("code", [*sorted({*STEMMERS, *STOP_LISTS}), "is", "xh", "liv", "gsw"])
def test_every_code_works_and_signs(code: str) -> None:
    analyzer = Language(code)
    assert analyzer.terms("") == []
    assert "27" in analyzer.terms("27 Europa 1957")
    assert analyzer.signature.startswith(f"{code},words:uax29-12.1")
    assert ("snowball-" in analyzer.signature) == (code in STEMMERS)
    assert ("stop-words-" in analyzer.signature) == (code in STOP_LISTS)


def test_turkish_i_and_catalan_elision() -> None:
    assert Language("tr", stop_words=False, stem=False).terms("ISPARTA İzmir") == ["ısparta", "izmir"]
    assert Language("ca", stop_words=False, stem=False).terms("L'home d\u2019avui") == ["home", "avui"]


@pytest.mark.parametrize("code", ["xx", "foo", "german", "", "und", "zxx"])
def test_an_unknown_code_is_refused(code: str) -> None:
    with pytest.raises(ConfigError, match=rf"analyzer.code={code!r} is no language: a code of ISO 639 was expected"):
        Language(code)


def test_codes_of_one_language_are_one() -> None:
    assert Language("deu") == Language("ger") == Language("de")


def test_each_thread_has_a_stemmer_of_its_own() -> None:
    """A stemmer keeps the word in hand: shared by threads it gave other words' stems, and raised."""
    chosen = random.Random(3)
    stems = ["".join(chosen.choices("abdeghiklmnorstu", k=chosen.randint(4, 9))) for _ in range(4000)]
    found = [stem + chosen.choice(("ungen", "keiten", "lichen", "isch", "est")) for stem in stems]
    parts = [" ".join(found[n::4]) for n in range(4)]
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)  # so that threads cut in on each other within a word
    try:
        with ThreadPoolExecutor(4) as pool:
            together = list(pool.map(Language("de", stop_words=False).terms, parts))
    finally:
        sys.setswitchinterval(before)
    alone = GermanStemmer()
    assert together == [[alone.stemWord(word) for word in part.split()] for part in parts]
