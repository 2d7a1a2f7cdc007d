"""The ctranslate2 translator loads a converted (tiny) model and writes what that model was trained to write."""

import json
import shutil
import warnings
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from clirbench.errors import ConfigError, ResourceError
from clirbench.labs.models.ctranslate2 import CTranslate2Translator
from clirbench.labs.models.libraries import positions
from clirbench.labs.models.translating.base import Translator, translate_lines
from tests.labs.models.tiny_models import PAIRS, convert


@pytest.fixture(scope="module")
def converted(marian: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tiny model of transformers as CTranslate2's converter writes it, with its SentencePiece models."""
    if find_spec("ctranslate2") is None:
        pytest.skip("EXTRA ABSENT: pip install '.[ctranslate2]'; loading its models is not tested")
    return convert(marian, tmp_path_factory.mktemp("converted") / "model", "source.spm", "target.spm")


def run(translator: CTranslate2Translator, lines: Sequence[str], model: Path) -> Sequence[str]:
    translator.check(model)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Marian's tokenizer recommends a package
        with translator.loaded(model) as engine:
            return translate_lines(engine, lines, "test")


@pytest.mark.slow
@pytest.mark.parametrize("settings", [{}, {"beam": 4}, {"batch_size": 2, "threads": 1}, {"compute_type": "float32"}])
def test_every_line_gets_its_own_translation(converted: Path, settings: dict[str, Any]) -> None:
    translator = CTranslate2Translator(**settings)
    lines = [*PAIRS, "", *reversed(PAIRS)]
    assert run(translator, lines, converted) == [PAIRS.get(line, "") for line in lines]


@pytest.mark.slow
def test_a_tokenizer_of_transformers_that_lies_elsewhere(converted: Path, marian: Path) -> None:
    translator = CTranslate2Translator(tokenizer=str(marian))
    assert run(translator, list(PAIRS), converted) == list(PAIRS.values())


@pytest.mark.slow
def test_a_model_that_adds_the_end_of_line_itself_is_not_given_another(converted: Path, tmp_path: Path) -> None:
    model = Path(shutil.copytree(converted, tmp_path / "model"))
    settings = json.loads((model / "config.json").read_text(encoding="utf-8"))
    (model / "config.json").write_text(json.dumps({**settings, "add_source_eos": True}), encoding="utf-8")
    assert run(CTranslate2Translator(), list(PAIRS), model) == list(PAIRS.values())
    (model / "config.json").write_text("{}", encoding="utf-8")
    with pytest.raises(ResourceError, match=r"config.json: does not say .*KeyError: 'add_source_eos'.*source_suffix"):
        run(CTranslate2Translator(), list(PAIRS), model)


@pytest.mark.slow
def test_words_that_are_pieces_already(converted: Path, marian: Path) -> None:
    from sentencepiece import SentencePieceProcessor

    pieces = SentencePieceProcessor(model_file=str(marian / "source.spm"))
    (written,) = run(
        CTranslate2Translator(tokenizer_kind="words", source_suffix=["</s>"]),  # words are given as they are
        [" ".join(pieces.encode("ein rotes buch", out_type=str))],
        converted,
    )
    assert pieces.decode(written.split()) == "a red book"


@pytest.mark.slow
def test_what_every_output_begins_with_is_taken_off(converted: Path, marian: Path) -> None:
    from sentencepiece import SentencePieceProcessor

    pieces = SentencePieceProcessor(model_file=str(marian / "target.spm"))
    first, *rest = pieces.encode("a red book", out_type=str)
    translator = CTranslate2Translator(target_prefix=[first])
    assert run(translator, ["ein rotes buch"], converted) == [pieces.decode(rest)]


@pytest.mark.slow
def test_weights_that_are_damaged(converted: Path, tmp_path: Path) -> None:
    model = Path(shutil.copytree(converted, tmp_path / "model"))
    (model / "model.bin").write_bytes(b"damaged")
    with pytest.raises(ResourceError, match=f"{model}: CTranslate2 cannot load it"):
        run(CTranslate2Translator(), ["ein rotes buch"], model)


def test_folders_that_are_no_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("ctranslate2", "pieces"):
        monkeypatch.setattr(f"clirbench.labs.models.{module}.require", lambda key, extra, *libraries: None)
    translator = CTranslate2Translator()
    assert isinstance(translator, Translator)
    with pytest.raises(ResourceError, match="nowhere: no such folder"):
        translator.check(Path("nowhere"))
    with pytest.raises(ResourceError, match="no model.bin"):
        translator.check(tmp_path)
    (tmp_path / "model.bin").write_bytes(b"")
    with pytest.raises(ResourceError, match="no tokenizer: neither tokenizer_config.json nor one of source.spm"):
        translator.check(tmp_path)
    (tmp_path / "source.spm").write_bytes(b"")
    with pytest.raises(ResourceError, match=r"none of target.spm, sentencepiece.bpe.model"):
        translator.check(tmp_path)
    CTranslate2Translator(tokenizer_kind="words").check(tmp_path)


def test_a_library_that_is_not_there_is_named_with_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("clirbench.checks.find_spec", lambda name: None)
    with pytest.raises(ResourceError, match=r"ctranslate2: not installed; .*pip install '\.\[ctranslate2\]'"):
        CTranslate2Translator().check(Path("m"))


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"batch_size": 0}, "batch_size=0 must be a whole number of at least 1"),
        ({"threads": -1}, "threads=-1"),
        ({"device": "gpu"}, "device='gpu' is not one of auto, cpu, cuda"),
        ({"compute_type": "int4"}, "compute_type='int4' is not one of default"),
        ({"tokenizer_kind": "bpe"}, "tokenizer_kind='bpe' is not one of auto, sentencepiece, transformers, words"),
    ],
)
def test_settings_that_make_no_sense(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        CTranslate2Translator(**settings)


def test_the_signature_holds_what_moves_the_output_and_no_path() -> None:
    one, other = CTranslate2Translator(beam=2), CTranslate2Translator(beam=2, tokenizer="/somewhere", device="cpu")
    assert one.signature == other.signature
    assert CTranslate2Translator(target_prefix=["eng"]).signature != CTranslate2Translator().signature


@pytest.mark.slow
def test_a_long_line_is_split_at_ends_of_sentences_and_obeys_the_positions_of_the_model(
    converted: Path, tmp_path: Path
) -> None:
    """The tiny model has 64 positions, and does not say so; a config.json may."""
    line = ". ".join(["das haus ist rot"] * 40)
    with pytest.raises(ResourceError, match=r"set systems.translator.max_source_tokens=64"):
        run(CTranslate2Translator(), [line.replace(".", "")], converted)
    model = Path(shutil.copytree(converted, tmp_path / "model"))
    settings = json.loads((model / "config.json").read_text(encoding="utf-8"))
    (model / "config.json").write_text(json.dumps({**settings, "max_position_embeddings": 64}), encoding="utf-8")
    with_line = run(CTranslate2Translator(), ["ein rotes buch", line, "das haus " * 500, ""], model)
    assert len(with_line) == 4
    assert (with_line[0], with_line[3]) == ("a red book", "")
    # One sentence at a time, each as it is translated alone: so nothing of the line is cut.
    room = CTranslate2Translator(max_source_tokens=12)
    alone = run(room, ["das haus ist rot."], model)[0]
    assert run(room, [line + "."], model) == [" ".join([alone] * 40)]


@pytest.mark.parametrize("content", ["[]", "{", '{"max_position_embeddings": "64"}', '{"max_position_embeddings": -1}'])
def test_a_config_that_says_nothing_of_positions_sets_no_limit(tmp_path: Path, content: str) -> None:
    (tmp_path / "config.json").write_text(content, encoding="utf-8")
    assert positions(tmp_path) > 1e9
