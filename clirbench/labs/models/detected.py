"""Which translator a model's folder is made for, by the files in it."""

from dataclasses import dataclass
from pathlib import Path

from clirbench.corpora.alignment import first_ten
from clirbench.errors import ResourceError
from clirbench.labs.models.ctranslate2 import CTranslate2Translator
from clirbench.labs.models.transformers import TransformersTranslator
from clirbench.labs.models.translating.base import Translator
from clirbench.labs.models.translating.translation import OfCheckpoints


@dataclass(frozen=True)
class Detected(OfCheckpoints):
    """Detects the translator that a model's folder is made for, with its default settings."""

    def of(self, model: Path) -> Translator:
        """The translator of a model folder, with its defaults: CTranslate2 (model.bin) or transformers (*.safetensors).

        Raises `ResourceError` for a folder that is neither.
        """
        if (model / "model.bin").is_file():
            return CTranslate2Translator()
        if any(model.glob("*.safetensors")):
            return TransformersTranslator()
        if not model.is_dir():
            raise ResourceError(
                f"{model}: is no folder of a model; choose systems/translator=command for other engines"
            )
        found = sorted(path.name for path in model.iterdir())
        raise ResourceError(
            f"{model}: has neither model.bin (CTranslate2) nor *.safetensors (transformers; pickled weights are not "
            f"loaded), but {first_ten(found) if found else 'nothing'}; choose systems/translator=command for other "
            "engines, or leave it out with systems.exclude"
        )
