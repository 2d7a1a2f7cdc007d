"""`languages=SOURCE-TARGET`: the analyser and the metrics' tokeniser of the language that is searched and scored."""

import re
from importlib.util import find_spec
from pathlib import PurePath

from omegaconf import DictConfig, OmegaConf, open_dict

from clirbench.configuration.composing import config_parts
from clirbench.errors import ConfigError

PAIR = re.compile("[a-z]{2,3}-([a-z]{2,3})")
LUCENE = "clirbench.retrieval.analyzers.english.English"
"""The default analyser; any other was chosen by the user."""
PLAIN = "13a"
"""The default tokeniser; any other was chosen by the user."""


def target_of(languages: str) -> str:
    """The code of the target language: of a pair (`de-zh`) or of a path with a folder of such a name.

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


def apply_languages(cfg: DictConfig) -> None:
    """Give the default analyser and tokenisers of `cfg` those of the target language, where `languages` names a pair.

    Raises `ConfigError` where no laboratory has an analyser for other languages than English.
    """
    if not cfg.get("languages"):
        return
    target = target_of(str(cfg.languages))
    with open_dict(cfg):
        if target != "en" and OmegaConf.select(cfg, "analyzer._target_") == LUCENE:
            files = [path for folder in config_parts("analyzer") if (path := folder / "language.yaml").is_file()]
            if not files:
                raise ConfigError(f"languages={cfg.languages}: no analyser of that language is installed")
            cfg.analyzer = OmegaConf.merge(OmegaConf.load(files[0]), {"code": target})
        for metric in (cfg.get("metric") or {}).values():
            if metric is not None and metric.get("tokenize") == PLAIN:
                metric.tokenize = tokeniser_of(target)
