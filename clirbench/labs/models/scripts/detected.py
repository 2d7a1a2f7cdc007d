"""Translations by a model on this machine, with the default settings of the preset that its folder is made for."""

from pathlib import Path
from types import ModuleType
from typing import Any

import yaml

from clirbench.labs.models.scripts import ct2, hf
from clirbench.labs.models.scripts.lines import ScriptError, Work, main

PRESETS = Path(__file__).parents[1] / "conf" / "systems" / "translator"


def chosen(settings: dict[str, Any]) -> tuple[ModuleType, dict[str, Any]]:
    """CTranslate2 (model.bin) or transformers (*.safetensors), with its settings; fails for another folder."""
    other = "choose systems/translator=program for other engines, or leave it out with systems.exclude"
    model = Path(settings["model"])
    if not model.is_dir():
        raise ScriptError(f"{model}: is no folder of a model; {other}")
    there = sorted(path.name for path in model.iterdir())
    scripts = {"model.bin": (ct2, "ctranslate2"), ".safetensors": (hf, "transformers")}
    for ending, (script, name) in scripts.items():
        if any(file.endswith(ending) for file in there):
            return script, {**yaml.safe_load((PRESETS / f"{name}.yaml").read_text(encoding="utf-8")), **settings}
    raise ScriptError(
        f"{model}: has neither model.bin (CTranslate2) nor *.safetensors (transformers; pickled weights are not "
        f"loaded), but {', '.join(there[:10]) or 'nothing'}; {other}"
    )


def about(settings: dict[str, Any]) -> str:
    """What the preset says of itself."""
    script, whole = chosen(settings)
    return f"{sorted((name, value) for name, value in whole.items() if name != 'model')} {script.about(whole)}"


def work(settings: dict[str, Any]) -> Work:
    """What the preset loads."""
    script, whole = chosen(settings)
    made: Work = script.work(whole)
    return made


if __name__ == "__main__":
    main(about, work)
