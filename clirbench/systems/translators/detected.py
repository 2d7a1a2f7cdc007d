"""Which translator a model's folder is made for, by the files that lie in it."""

from pathlib import Path

from clirbench.corpora.alignment import listed
from clirbench.errors import ResourceError
from clirbench.systems.translators.base import Translator
from clirbench.systems.translators.ctranslate2 import CTranslate2Translator
from clirbench.systems.translators.transformers import TransformersTranslator


def detected(model: Path) -> Translator:
    """The translator of a model folder, with its defaults: CTranslate2 (model.bin) or transformers (*.safetensors).

    Raises `ResourceError` for a folder that is neither.
    """
    if (model / "model.bin").is_file():
        return CTranslate2Translator()
    if model.is_dir() and any(model.glob("*.safetensors")):
        return TransformersTranslator()
    found = sorted(path.name for path in model.iterdir()) if model.is_dir() else []
    raise ResourceError(
        f"{model}: no model that is known: neither model.bin (CTranslate2) nor *.safetensors (transformers; pickled "
        f"weights are not loaded, convert them) lies in it, but {listed(found) if found else 'nothing'}; choose "
        "systems/translator=command for other engines, or leave it out with systems.exclude"
    )
