"""`systems=checkpoints systems.model=PATTERN`: models that a translator serves."""

import os
import time
from pathlib import Path
from typing import Any

import pytest

from clirbench.errors import ConfigError, InputError, Problems, ResourceError
from clirbench.labs.models.chain import ChainTranslator
from clirbench.labs.models.translating.base import Translator
from clirbench.labs.models.translating.translation import OfCheckpoints
from clirbench.systems.checkpoints import CheckpointSystems
from tests.labs.models.translating.test_translation import Glossary
from tests.systems.sides import folder_corpus, write
from tests.systems.test_pending import LONG_AGO


class Nobodys(OfCheckpoints):
    """Knows of no model which translator it is made for."""

    def of(self, model: Path) -> Translator:
        raise ResourceError(f"{model}: no translator is made for it")


def test_models_are_listed_and_checked_but_not_run(tmp_path: Path) -> None:
    corpus = folder_corpus(tmp_path / "d")
    for step in (20, 3):
        write(tmp_path / f"models/ckpt_{step}/rules.txt", ["x"])
    settings: dict[str, Any] = {"model": f"{tmp_path}/models/ckpt_%step%", "cache": str(tmp_path / "cache")}
    found = CheckpointSystems(**settings, translator=Glossary()).translations(corpus)
    assert [(t.system, dict(t.metadata)) for t in found] == [("step3", {"step": "3"}), ("step20", {"step": "20"})]
    assert not (tmp_path / "cache").exists()
    with pytest.raises(Problems, match=r"ckpt_3: no translator is made for it") as caught:
        CheckpointSystems(**settings, translator=Nobodys()).translations(corpus)
    assert len(caught.value.errors) == 2
    with pytest.raises(ConfigError, match="name what translates"):
        CheckpointSystems(**settings).translations(corpus)


def test_models_need_the_source_side(tmp_path: Path) -> None:
    corpus = folder_corpus(tmp_path / "d", source=None)
    write(tmp_path / "models/ckpt_3/rules.txt", ["x"])
    systems = CheckpointSystems(model=f"{tmp_path}/models/ckpt_%step%", translator=Glossary())
    with pytest.raises(InputError, match="the source side is needed: put source.txt"):
        systems.translations(corpus)


def test_a_model_that_is_still_saved(tmp_path: Path) -> None:
    for step, age in ((1, LONG_AGO), (2, int(time.time()))):
        file = write(tmp_path / f"ckpt_{step}" / "weights", ("x",))
        for path in (file, file.parent):
            os.utime(path, (age, age))
    translator = Glossary()
    systems = CheckpointSystems(model=f"{tmp_path}/ckpt_%step%", translator=translator, unfinished="skip")
    found = systems.translations(folder_corpus(tmp_path / "d"))
    assert [t.pending.rpartition(": ")[2] for t in found] == ["", "touched just now"]
    assert [t.test is None for t in found] == [False, True]


def test_models_of_equal_content_are_an_error_that_names_them(tmp_path: Path) -> None:
    """Ten empty folders would be ten systems of one text; a copy beside another model is one system, too."""
    corpus = folder_corpus(tmp_path / "d")
    for step in range(1, 11):
        (tmp_path / f"empty/ckpt_{step}").mkdir(parents=True)
    cache = str(tmp_path / "cache")
    chain = ChainTranslator(["cat {model}/rules.txt -", "tail -n 8"], cache=cache)
    with pytest.raises(InputError, match=r"ckpt_1, .*ckpt_10: these 10 systems are one: the same content"):
        CheckpointSystems(model=f"{tmp_path}/empty/ckpt_%step%", translator=chain, cache=cache).translations(corpus)
    for step, rule in ((1, "x"), (2, "y"), (3, "x")):
        write(tmp_path / f"models/ckpt_{step}/rules.txt", [rule])
    settings: dict[str, Any] = {"model": f"{tmp_path}/models/ckpt_%step%", "translator": chain, "cache": cache}
    with pytest.raises(InputError, match=r"ckpt_1, \S+ckpt_3: these 2 systems are one") as caught:
        CheckpointSystems(**settings).translations(corpus)
    assert "ckpt_2" not in str(caught.value)
    found = CheckpointSystems(**settings, exclude=["step3"]).translations(corpus)
    assert [t.system for t in found] == ["step1", "step2"]
