"""`languages=SOURCE-TARGET`, or what the folder and its texts say: the analyser and the metrics' tokeniser."""

from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import fields, is_dataclass, replace
from importlib import import_module
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import yaml

from clirbench.configuration.laboratories import choices
from clirbench.corpora.layout import (
    BY_CHARACTER,
    LONG,
    Languages,
    contradicts,
    language_of,
    language_pair,
    sample_of,
)
from clirbench.corpora.sides import SideTexts
from clirbench.errors import ClirbenchError, ConfigError, InputError, StoreError
from clirbench.retrieval.analyzers import ByLanguage, English
from clirbench.store.keys import environment, fingerprint
from clirbench.store.store import Store
from clirbench.text import Text

PLAIN = "13a"
"""The default tokeniser; any other was chosen by the user."""
ENGLISH = "en"
CUT = ("topics", "second_topics", "retriever", "also_retriever", "relevance", "metrics", "analyses")
"""Parts of an experiment that cut texts into words."""


def languages_of(stated: str, corpus: object, called: str = "", store: Store | None = None) -> Languages:
    """The languages of a run, of each side: what is `stated` (`languages=de-en`), else what the folder's name says
    unless the text plainly contradicts it, else what the text is; where nothing tells, the target is English.

    corpus: a `CorpusSource`; of one without `side_texts`, and of one that cannot be read, no text is known. called: the
    folder's name where it has moved. store: keeps what was told from a text. Raises
    `ConfigError` for texts that plainly contradict what is stated, and for references in different languages.
    """
    texts: SideTexts | None = None
    with suppress(ClirbenchError):  # said where it is read
        texts = corpus.side_texts() if hasattr(corpus, "side_texts") else None
    sides = ([texts.source] if texts.source else [], texts.target) if texts else ([], [])
    read = [_read(side, store) for side in sides]
    seen = [next(iter(side.values()), "") for side in read]
    if texts and (source_text := texts.source):
        for text in texts.target:
            with suppress(InputError):  # said where it is read
                if len(sample := sample_of(source_text)) >= LONG and sample_of(text) == sample:
                    raise ConfigError(
                        f"{source_text.where} and {text.where} are the same text; the reference is what "
                        "people translated the source to"
                    )
    for where, code in read[1].items():
        if contradicts(seen[1], code):
            first = next(iter(read[1]))
            raise ConfigError(f"{first} is in {seen[1]}, {where} in {code}: systems translate into one language")
    named = ("", "") if texts is None else _named_pair(called or texts.where)
    source, target = (s if contradicts(own, s) else own or s for own, s in zip(named, seen, strict=True))
    if stated:
        pair = language_pair("languages", stated)
        texts_of = [(own, text) for own, side in zip(pair, read, strict=True) for text in side.items()]
        if wrong := [f"{where} is in {code}" for own, (where, code) in texts_of if contradicts(own, code)]:
            known = zip(pair, seen, (source, target), strict=True)
            meant = "-".join(best if contradicts(own, s) or pair == named[::-1] else own for own, s, best in known)
            raise ConfigError(f"languages={stated}: {', '.join(wrong)}; type languages={meant}")
        return Languages(*pair, "as stated")
    known_by = f"by the folder's name{' and the texts' if seen[1] == target else ''}" if named[1] else "by the texts"
    if any(map(contradicts, named, seen)):
        known_by = f"by the texts, against the folder's name, {'-'.join(named)}"
    if not target:
        known_by = "assumed; languages=SOURCE-TARGET names others"
    return Languages(source, target or ENGLISH, known_by)


def tokeniser_of(target: str) -> str:
    """The tokeniser for texts of a language: sacreBLEU's own for zh, ja and ko (where MeCab is installed), else 13a.

    Without MeCab, and for languages that put no space between words, single characters.
    **Source:** sacreBLEU's defaults by target language (`BLEU.TOKENIZERS`, `_TOKENIZER_MAP`).
    """
    if target == "zh":
        return "zh"
    if target in ("ja", "ko"):
        needed = "MeCab" if target == "ja" else "mecab_ko"
        return f"{target}-mecab" if find_spec(needed) else "char"
    return "char" if target in BY_CHARACTER else PLAIN


def in_its_language(
    parts: Mapping[str, Any], stated: str, called: str = "", store: Store | None = None
) -> dict[str, Any]:
    """The parts of an experiment with its `languages`; the target's analyser and tokeniser are where the defaults were.

    parts: by the names of the fields of `Experiment`. Raises as `languages_of`; `ConfigError` where no analyser of
    the language is installed.
    """
    if parts.get("corpus") is None:
        return dict(parts)
    languages = languages_of(stated, parts["corpus"], called, store)
    cut = {name: _cut_for(languages.target, parts[name]) for name in CUT if name in parts}
    return {**parts, **cut, "languages": languages}


def analyser_for(target: str, default: ByLanguage) -> Any:
    """The analyser of a language, with the settings of the default one: Lucene's of English, others of a laboratory."""
    if target == ENGLISH:
        return English(default.stop_words, default.stem)
    if (file := choices("analyzer").get("language")) is None:
        raise ConfigError(f"languages: only an analyser of English is installed, none of {target}")
    module, _, name = str(yaml.safe_load(file.read_text(encoding="utf-8"))["_target_"]).rpartition(".")
    return getattr(import_module(module), name)(target, default.stop_words, default.stem)


def _cut_for(target: str, part: Any) -> Any:
    """A component, or several, with the analyser and the tokeniser of a language in place of the defaults."""
    if isinstance(part, ByLanguage):
        return analyser_for(target, part)
    if isinstance(part, tuple | list):
        return type(part)(_cut_for(target, one) for one in part)
    if isinstance(part, Mapping):
        return {name: _cut_for(target, one) for name, one in part.items()}
    if not is_dataclass(part) or isinstance(part, type):
        return part
    own = {field.name: getattr(part, field.name) for field in fields(part) if field.init}
    new = {name: _cut_for(target, one) for name, one in own.items()}
    if own.get("tokenize") == PLAIN:
        new["tokenize"] = tokeniser_of(target)
    changed = {name: one for name, one in new.items() if one is not own[name] and one != own[name]}
    return replace(part, **changed) if changed else part


def _read(texts: Iterable[Text], store: Store | None) -> dict[str, str]:
    """The language of each text that tells it, by where the text is."""
    found: dict[str, str] = {}
    for text in texts:
        with suppress(ClirbenchError):  # said where it is read
            found[text.where] = _told(sample_of(text), store)
    return {where: code for where, code in found.items() if code}


def _told(sample: str, store: Store | None) -> str:
    """`language_of`, kept by what it is told from: to load the model takes longer than to add a system to a run."""
    if store is None:
        return language_of(sample)
    key = fingerprint(environment(), language_of, *map(version, ("py3langid", "langcodes", "stop-words")), sample)
    found = store.find(key, [key])
    if key not in found:
        found[key] = [language_of(sample)]
        with suppress(StoreError):  # said when the run keeps its results
            store.put(key, found)
    return str(found[key][0])


def _named_pair(where: str) -> tuple[str, str]:
    """The pair that a folder, or the nearest one around it, is called by; empty where none is."""
    for part in reversed(Path(where).absolute().parts):
        with suppress(ConfigError):
            return language_pair("languages", part.lower())
    return "", ""
