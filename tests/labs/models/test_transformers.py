"""The transformers translator loads a real (tiny) model and writes what that model was trained to write."""

import shutil
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from clirbench.corpora.base import Corpus
from clirbench.corpora.sentences import SentenceSplitter
from clirbench.errors import ConfigError, ResourceError
from clirbench.labs.models.detected import Detected
from clirbench.labs.models.transformers import TransformersTranslator
from clirbench.labs.models.translating.base import Translator, translate_lines
from clirbench.labs.models.translating.translation import complete_translations
from clirbench.systems.checkpoints import CheckpointSystems
from clirbench.text import TextLines
from clirbench.types import DocumentMap, Documents, TestSet
from tests.labs.models.tiny_models import PAIRS


def run(translator: TransformersTranslator, lines: Sequence[str], model: Path) -> Sequence[str]:
    translator.check(model)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Marian's tokenizer recommends a package
        with translator.loaded(model) as engine:
            return translate_lines(engine, lines, "test")


@pytest.mark.slow
@pytest.mark.parametrize("settings", [{}, {"beam": 4}, {"batch_size": 2}, {"batch_size": 1, "device": "cpu"}])
def test_every_line_gets_its_own_translation(marian: Path, settings: dict[str, Any]) -> None:
    lines = [*PAIRS, "", *reversed(PAIRS)]
    assert run(TransformersTranslator(**settings), lines, marian) == [PAIRS.get(line, "") for line in lines]


@pytest.mark.slow
def test_an_output_ends_where_it_must_and_a_long_line_is_cut(marian: Path) -> None:
    (short,) = run(TransformersTranslator(max_new_tokens=2), ["wo ist das haus"], marian)
    assert "where is the house".startswith(short)
    assert len(short) < len("where is the house")
    assert len(run(TransformersTranslator(max_source_tokens=32), ["das haus " * 500], marian)) == 1
    # The model has 64 positions: a line is cut there, however many tokens the settings allow.
    assert len(run(TransformersTranslator(max_source_tokens=5000), ["das haus " * 500], marian)) == 1


@pytest.mark.slow
def test_a_model_that_never_ends_a_line_stops_at_its_positions(marian: Path, tmp_path: Path) -> None:
    """An untrained network repeats itself up to the limit; its config.json tells 64 positions."""
    from transformers import AutoTokenizer, MarianConfig, MarianMTModel

    model = Path(shutil.copytree(marian, tmp_path / "model"))
    MarianMTModel(MarianConfig.from_pretrained(marian)).save_pretrained(model)
    (output,) = run(TransformersTranslator(), ["wo ist das haus"], model)
    assert len(AutoTokenizer.from_pretrained(model)(text_target=output)["input_ids"]) <= 64


@pytest.mark.slow
def test_the_tokenizer_of_another_model_is_named_not_the_memory(marian: Path, tmp_path: Path) -> None:
    from transformers import MarianConfig, MarianMTModel

    model = Path(shutil.copytree(marian, tmp_path / "model"))
    few = MarianConfig.from_pretrained(marian, vocab_size=8, pad_token_id=7, decoder_start_token_id=7)
    MarianMTModel(few).save_pretrained(model)
    with pytest.raises(
        ResourceError, match=r"IndexError: .*; a token or a position is unknown .*\(its config\.json: 64\)$"
    ):
        run(TransformersTranslator(), ["wo ist das haus"], model)


@pytest.mark.slow
def test_a_prefix_stands_before_each_line_and_an_unknown_language_is_refused(marian: Path) -> None:
    assert run(TransformersTranslator(prefix="wo ist "), ["das haus"], marian) == ["where is the house"]
    with pytest.raises(ResourceError, match="target_language=eng_Latn: the tokenizer does not know it"):
        run(TransformersTranslator(target_language="eng_Latn"), ["das haus"], marian)


@pytest.mark.slow
def test_the_tokenizer_may_lie_elsewhere(marian: Path, tmp_path: Path) -> None:
    model, tokenizer = tmp_path / "model", tmp_path / "tokenizer"
    for folder, names in ((model, ("config.json", "model.safetensors", "generation_config.json")), (tokenizer, ())):
        folder.mkdir()
        for path in marian.iterdir():
            if path.name in names or (not names and not path.name.endswith(".safetensors")):
                shutil.copy(path, folder)
    with pytest.raises(ResourceError, match="transformers cannot load it"):
        run(TransformersTranslator(), ["ein rotes buch"], model)
    assert run(TransformersTranslator(tokenizer=str(tokenizer)), ["ein rotes buch"], model) == ["a red book"]


@pytest.mark.slow
def test_weights_that_are_damaged(marian: Path, tmp_path: Path) -> None:
    model = Path(shutil.copytree(marian, tmp_path / "model"))
    (model / "model.safetensors").write_bytes(b"\x10\0\0\0\0\0\0\0not what it should")
    with pytest.raises(ResourceError, match=f"{model}: transformers cannot load it"):
        run(TransformersTranslator(), ["ein rotes buch"], model)


@pytest.mark.slow
def test_a_sweep_of_models_translates_test_set_and_collection(marian: Path, tmp_path: Path) -> None:
    """One checkpoint is the trained model, one has weights that are damaged: it alone fails."""
    shutil.copytree(marian, tmp_path / "ckpt_200")
    broken = Path(shutil.copytree(marian, tmp_path / "ckpt_100"))
    (broken / "model.safetensors").write_bytes(b"damaged")
    source, english = TextLines(tuple(PAIRS)), TextLines(tuple(PAIRS.values()))
    test = TestSet((tuple(PAIRS.values())[:2],), tuple(PAIRS)[:2])
    corpus = Corpus(test, Documents(english, DocumentMap.blocks_of(len(PAIRS), 2)), source)
    systems = CheckpointSystems(
        model=f"{tmp_path}/ckpt_%step%", translator=Detected(), shard_lines=3, cache=str(tmp_path / "cache")
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found, errors = complete_translations(systems.translations(corpus), lambda title, values, total: values)
    assert list(errors) == ["step100"]
    assert [t.system for t in found] == ["step100", "step200"]
    trained = found[1]
    assert trained.test is not None
    assert trained.collection is not None
    assert trained.test.lines() == test.references[0]
    assert trained.collection.lines() == tuple(PAIRS.values())


def test_folders_that_are_no_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("clirbench.labs.models.libraries.require", lambda key, extra, *libraries: None)
    translator = TransformersTranslator()
    assert isinstance(translator, Translator)
    with pytest.raises(ResourceError, match="some/hub-name: no such folder; a model's folder on this machine"):
        translator.check(Path("some/hub-name"))
    with pytest.raises(ConfigError, match="a model is needed"):
        translator.check(None)
    with pytest.raises(ResourceError, match=r"no config.json"):
        translator.check(tmp_path)
    (tmp_path / "config.json").write_text("{}", encoding="utf-8")
    with pytest.raises(ResourceError, match=r"no \*.safetensors$"):
        translator.check(tmp_path)
    (tmp_path / "pytorch_model.bin").write_bytes(b"")
    with pytest.raises(ResourceError, match="its weights are pickled, which is never loaded"):
        translator.check(tmp_path)
    (tmp_path / "model.safetensors").write_bytes(b"")
    with pytest.raises(ResourceError, match="tokenizer=nowhere: no such folder"):
        TransformersTranslator(tokenizer="nowhere").check(tmp_path)


def test_a_library_that_is_not_there_is_named_with_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("clirbench.checks.find_spec", lambda name: None)
    with pytest.raises(ResourceError, match=r"torch, transformers: not installed; .*pip install '\.\[transformers\]'"):
        TransformersTranslator().check(Path("m"))


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"beam": 0}, "beam=0 must be a whole number of at least 1"),
        ({"device": "gpu"}, "device='gpu' is not one of auto, cpu, cuda"),
        ({"dtype": "int4"}, "dtype='int4' is not one of float32"),
    ],
)
def test_settings_that_make_no_sense(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        TransformersTranslator(**settings)


def test_the_signature_holds_what_moves_the_output_and_no_path() -> None:
    one, other = TransformersTranslator(beam=2), TransformersTranslator(beam=2, tokenizer="/somewhere", device="cpu")
    assert one.signature == other.signature
    assert "beam:2" in one.signature
    assert TransformersTranslator(target_language="eng_Latn").signature != TransformersTranslator().signature


@pytest.mark.slow
def test_documents_are_translated_sentence_by_sentence(marian: Path, tmp_path: Path) -> None:
    """Title and text of a document, one line in the end; no reference side, no test set."""
    (tmp_path / "docs.jsonl").write_text(
        '{"id": "d2", "title": "wo ist das haus", "text": "der hund schl\u00e4ft"}\n'
        '{"id": "d1", "text": "ein rotes buch"}\n',
        encoding="utf-8",
    )
    formats = pytest.importorskip("clirbench.labs.formats.documents", reason="needs the laboratory formats")
    reader = formats.JsonDocuments(("title", "text"))
    corpus = formats.DocumentsCorpus(reader, source=tmp_path / "docs.jsonl", sentences=SentenceSplitter("de")).read()
    (tmp_path / "models").mkdir()
    shutil.copytree(marian, tmp_path / "models" / "ckpt_1")
    systems = CheckpointSystems(
        model=f"{tmp_path}/models/ckpt_%step%", translator=Detected(), cache=str(tmp_path / "cache")
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        (found,), errors = complete_translations(systems.translations(corpus), lambda title, values, total: values)
    assert not errors
    assert found.test is None
    assert found.collection is not None
    assert found.collection.lines() == ("where is the house the dog sleeps", "a red book")
