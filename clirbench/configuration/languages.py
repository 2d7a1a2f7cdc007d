"""`languages=SOURCE-TARGET`: the analyser and the metrics' tokeniser of the language that is searched and scored."""

import re
from importlib.util import find_spec
from pathlib import PurePath

from clirbench.errors import ConfigError

PAIR = re.compile("[a-z]{2,3}-([a-z]{2,3})")
LUCENE = "clirbench.retrieval.analyzers.english.English"
"""The default analyser; any other was chosen by the user."""
PLAIN = "13a"
"""The default tokeniser; any other was chosen by the user."""


def target_of(languages: str) -> str:
    """The code of the target language: of a pair (`de-zh`), or of a path with a folder named by a pair.

    Raises `ConfigError` for a text without a pair.
    """
    found = [match[1] for part in PurePath(languages).parts if (match := PAIR.fullmatch(part))]
    if not found:
        raise ConfigError(
            f"languages={languages}: a pair SOURCE-TARGET in ISO 639 codes was expected, such as languages=de-zh"
        )
    return found[-1]


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
    return "char" if target in ("th", "lo", "km", "my") else PLAIN
