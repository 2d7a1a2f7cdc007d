"""Codes of languages have one spelling, and texts tell their language: the folders of WMT, each in its own."""

from pathlib import Path

import pytest
from langcodes import standardize_tag

from clirbench.configuration.languages import languages_of
from clirbench.corpora.folder import FolderCorpus
from clirbench.corpora.layout import WELL_KNOWN, contradicts, language_code, language_of, language_pair, sample_of
from clirbench.errors import ConfigError
from clirbench.text import TextFile, TextLines

WMT = ("wmt21", "wmt22", "wmt23", "wmt24")
ENGLISH = "This is a sentence of an English text, and there are several others like it on the same page here. " * 2
GERMAN = "Dies ist ein Satz eines deutschen Textes, und es gibt davon noch einige weitere auf derselben Seite. " * 2


@pytest.mark.parametrize(
    ("code", "one"),
    [("de", "de"), ("deu", "de"), ("ger", "de"), ("DE", "de"), ("zho", "zh"), ("cmn", "zh"), ("jpn", "ja"),
     ("nb", "no"), ("liv", "liv"), ("iw", "he"), ("fas", "fa"), ("hr", "hr")],
)  # fmt: skip
def test_iso_639_has_one_spelling(code: str, one: str) -> None:
    """**Source:** the registry of ISO 639-3, whose set 1, 2B, 2T and 3 these are."""
    assert language_code(code) == one
    assert all(standardize_tag(known, macro=True) == known for known in WELL_KNOWN.pattern.split("|"))


@pytest.mark.parametrize("code", ["foo", "xx", "und", "mul", "zxx", "d", "german", "de-DE", ""])
def test_what_is_no_language_is_refused(code: str) -> None:
    with pytest.raises(ConfigError, match="is no language: a code of ISO 639 was expected, such as de, deu or ger"):
        language_code(code)
    with pytest.raises(ConfigError, match="'jp' is no language: .*, such as ja$"):
        language_code("jp")


def test_a_pair_names_its_key() -> None:
    assert language_pair("languages", "ger-eng") == ("de", "en")
    with pytest.raises(ConfigError, match="pair=foo-eng: 'foo' is no language"):
        language_pair("pair", "foo-eng")
    with pytest.raises(ConfigError, match="languages=German: a pair SOURCE-TARGET in ISO 639 codes was expected"):
        language_pair("languages", "German")


def test_every_source_and_reference_of_wmt_is_in_the_language_of_its_folder(shared_data: Path) -> None:
    """Livonian is in no list of languages that can be told: its texts are taken for Latgalian."""
    wrong, texts = [], 0
    for folder in (path for year in WMT for path in sorted((shared_data / year).iterdir()) if path.is_dir()):
        source, target = folder.name.split("-")
        for file in sorted(folder.glob("*.txt.gz")):
            texts += 1
            meant = source if file.name.startswith("source") else target
            if (found := language_of(sample_of(TextFile(file)))) != meant:
                wrong.append((f"{folder.parent.name}/{folder.name}/{file.name}", found))
    assert texts == 129
    assert wrong == [("wmt22/en-liv/reference-A.txt.gz", "ltg"), ("wmt22/liv-en/source.txt.gz", "ltg")]


AFRIKAANS = 8 * (
    "Die minister het gister gesê dat die regering in die komende jaar meer geld aan skole sal bestee. Dit is nie die "
    "eerste keer dat so 'n belofte gemaak word nie. Volgens haar was daar in die verlede probleme met die begroting, "
    "maar dit is nou opgelos. Die land het in die laaste kwartaal met twee persent gegroei, wat beter is as wat verwag "
    "is. "
)


GALICIAN = (
    24 * "O ministro dixo onte que o goberno vai gastar máis cartos nas escolas no ano que vén. Non é a primeira. "
)
BELARUSIAN = 24 * "Міністр учора сказала, што ўрад у наступным годзе выдаткуе больш грошай на школы. Не першы раз. "


def test_only_a_text_that_is_plainly_in_a_language_throughout_is_told_without_the_model(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Four common words once called half a German text English; sixteen, paragraphs of Afrikaans."""
    monkeypatch.setattr("clirbench.corpora.layout._identifier", lambda: pytest.fail("the model was asked"))
    assert [language_of("\n".join([one] * 12)) for one in (ENGLISH, GERMAN)] == ["en", "de"]
    for text in (
        ENGLISH,
        "\n".join([ENGLISH, GERMAN] * 6),
        "\n".join([ENGLISH] * 8 + [GERMAN] * 2),
        "\n".join([GERMAN] * 8 + [ENGLISH] * 2),
        AFRIKAANS,
        GALICIAN,
        BELARUSIAN,
    ):
        with pytest.raises(pytest.fail.Exception, match="the model was asked"):
            language_of(text)


@pytest.mark.parametrize("text", ["", "short", "1 2 3 4 5 " * 50, "un deux trois quatre cinq six"])
def test_a_short_text_tells_nothing(text: str) -> None:
    assert language_of(sample_of(TextLines([text]))) == ""


def test_close_languages_contradict_nobody() -> None:
    assert contradicts("en", "de")
    assert contradicts("uk", "ru")
    assert not contradicts("hr", "bs")
    assert not contradicts("liv", "ltg"), "no model knows Livonian"
    assert not contradicts("en", "")


def folder_of(folder: Path, reference: str, source: str = "") -> Path:
    (folder / "systems").mkdir(parents=True)
    for name, text in {"reference.txt": reference, "source.txt": source, "systems/a.txt": reference}.items():
        if text:
            (folder / name).write_text(text + "\n", encoding="utf-8")
    return folder


@pytest.mark.parametrize(
    ("name", "reference", "source", "stated", "found", "known_by"),
    [
        ("x", ENGLISH, GERMAN, "", "de-en", "by the texts"),
        ("de-en", ENGLISH, GERMAN, "", "de-en", "by the folder's name and the texts"),
        ("ger-eng", ENGLISH, "", "", "de-en", "by the folder's name and the texts"),
        ("de-zh", "three short words", "", "", "de-zh", "by the folder's name"),
        ("x", "three short words", "", "", "en", "assumed; languages=SOURCE-TARGET names others"),
        ("cs-uk", ENGLISH, GERMAN, "", "de-en", "by the texts, against the folder's name, cs-uk"),
        ("fr-de", ENGLISH, "", "deu-eng", "de-en", "as stated"),
        ("en-liv", "three short words", "", "", "en-liv", "by the folder's name"),
    ],
)
def test_languages_are_read_from_the_key_the_name_and_the_texts(
    tmp_path: Path, name: str, reference: str, source: str, stated: str, found: str, known_by: str
) -> None:
    languages = languages_of(stated, FolderCorpus(str(folder_of(tmp_path / name, reference, source))))
    assert (str(languages), languages.known_by) == (found, known_by)


def test_a_text_that_contradicts_what_is_stated_stops_the_run_with_what_to_type(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"languages=fr-zh: .*source.txt is in en, .*reference.txt is in de; type "
                       "languages=en-de"):  # fmt: skip
        languages_of("fr-zh", FolderCorpus(str(folder_of(tmp_path / "x", GERMAN, ENGLISH))))
    with pytest.raises(ConfigError, match="source.txt and .*reference.txt are the same text"):
        languages_of("", FolderCorpus(str(folder_of(tmp_path / "same", 20 * GERMAN, 20 * GERMAN))))


def test_what_to_type_goes_by_the_folders_name_where_the_text_does_not_contradict_it(shared_data: Path) -> None:
    """Livonian is read as Latgalian: the advice was languages=ltg-en."""
    with pytest.raises(ConfigError, match="type languages=liv-en$"):
        languages_of("eng-jpn", FolderCorpus(str(shared_data / "wmt22" / "liv-en")))


def test_a_test_set_in_another_language_than_the_collection_is_refused(tmp_path: Path) -> None:
    one, other = folder_of(tmp_path / "a", ENGLISH), folder_of(tmp_path / "b", GERMAN)
    with pytest.raises(ConfigError, match="a/reference.txt is in en, .*b/reference.txt in de: systems translate into"):
        languages_of("", FolderCorpus(str(one), str(other)))


def test_a_folder_that_moved_is_known_by_its_old_name(tmp_path: Path) -> None:
    corpus = FolderCorpus(str(folder_of(tmp_path / "x", "three short words")))
    assert str(languages_of("", corpus, "/data/en-liv")) == "en-liv"
