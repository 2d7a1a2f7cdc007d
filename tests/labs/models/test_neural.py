"""The scripts hf and ct2 with tiny models that the test makes, against their libraries by hand."""

import json
import shutil
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

from clirbench.errors import ResourceError
from clirbench.labs.models import dense, systems
from clirbench.labs.models.scripts.hf import first_token
from clirbench.labs.models.scripts.lines import ScriptError
from tests.conftest import PACKAGE
from tests.labs.models.made_up import run
from tests.labs.models.tiny_models import PAIRS, convert, untrained

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]  # of the libraries, about tiny models
WORDS = ["<unk>", "</s>", "<pad>", "der", "hund", "die", "katze", "Translate", "below", ":", "<user>", "<bot>"]
TEMPLATE = "{% for m in messages %}<user> {{ m.content }}{% endfor %}{% if add_generation_prompt %} <bot>{% endif %}"
LINES = ["der hund", "die katze der hund die katze der hund katze die", "katze"]
LONG = "das haus " * 500
KNOWN = [*PAIRS, "", *reversed(PAIRS)]


def preset(group: str, name: str, **changed: Any) -> Any:
    """What a preset builds, with its own settings but for these."""
    path = PACKAGE / "clirbench/labs/models/conf" / group / f"{name}.yaml"
    settings = yaml.safe_load(path.read_text(encoding="utf-8"))
    built = getattr(dense if group.startswith("retrieval") else systems, settings.pop("_target_").split(".")[-1])
    return built(**settings | changed)


def translated(name: str, model: Path, lines: Sequence[str], **changed: Any) -> list[str]:
    return run(preset("systems/translator", name, **changed).program, lines, model)


@pytest.fixture(scope="module")
def models(marian: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Folders: marian (trained), wild (the same, untrained), ct2 (converted), llama, bert (both untrained)."""
    if find_spec("ctranslate2") is None:
        pytest.skip("EXTRA ABSENT: pip install '.[ctranslate2]'; loading its models is not tested")
    import torch
    import transformers
    from tokenizers import Tokenizer, pre_tokenizers
    from tokenizers.models import WordLevel

    root = tmp_path_factory.mktemp("networks")
    shutil.copytree(marian, root / "wild")
    untrained(transformers.AutoTokenizer.from_pretrained(marian)).save_pretrained(root / "wild")
    convert(marian, root / "ct2", "source.spm", "target.spm")
    torch.manual_seed(5)
    size: dict[str, Any] = {"hidden_size": 16, "intermediate_size": 32, "num_hidden_layers": 2,
                            "num_attention_heads": 2, "vocab_size": len(WORDS), "initializer_range": 1.0}  # fmt: skip
    llama = transformers.LlamaConfig(eos_token_id=1, bos_token_id=None, **size)
    transformers.LlamaForCausalLM(llama).save_pretrained(root / "llama")
    transformers.BertModel(transformers.BertConfig(max_position_embeddings=32, **size)).save_pretrained(root / "bert")
    pieces = Tokenizer(WordLevel({word: at for at, word in enumerate(WORDS)}, "<unk>"))
    pieces.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    special = {"unk_token": "<unk>", "eos_token": "</s>", "pad_token": "<pad>", "padding_side": "left"}
    for name in ("llama", "bert"):
        made = transformers.PreTrainedTokenizerFast(tokenizer_object=pieces, chat_template=TEMPLATE, **special)
        made.save_pretrained(root / name)
    return {"marian": marian, **{path.name: path for path in root.iterdir()}}


def test_every_line_gets_what_was_learnt(models: dict[str, Path]) -> None:
    ways: list[tuple[str, str, dict[str, Any]]] = [
        ("transformers", "marian", {"beam": 4, "batch_size": 2}),
        ("ctranslate2", "ct2", {"beam": 4, "batch_size": 1, "threads": 1, "compute_type": "float32"}),
        ("ctranslate2", "ct2", {"tokenizer": str(models["marian"])}),
    ]
    for name, model, changed in ways:
        assert translated(name, models[model], KNOWN, **changed) == [PAIRS.get(line, "") for line in KNOWN], name


def by_library(kind: str, folder: Path, text: str, new: int) -> str:
    """What the library writes for one text alone."""
    import transformers

    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    network = getattr(transformers, kind).from_pretrained(folder)
    given = tokenizer(text, return_tensors="pt", truncation=True, max_length=64)
    (output,) = network.generate(**given, num_beams=1, do_sample=False, max_new_tokens=new)
    output = output[given["input_ids"].shape[1] :] if kind == "AutoModelForCausalLM" else output
    return str(tokenizer.decode(output, skip_special_tokens=True))


def test_an_encoder_decoder_in_batches_stops_at_its_positions(models: dict[str, Path]) -> None:
    """An untrained network repeats itself up to the limit; its config.json tells 64 positions."""
    wanted = [by_library("MarianMTModel", models["wild"], line, 63) for line in (*PAIRS, LONG)]
    assert len(set(wanted)) > 1
    assert translated("transformers", models["wild"], [*PAIRS, LONG], batch_size=3) == wanted


def test_a_decoder_is_asked_through_its_chat_template_and_a_long_line_is_cut(models: dict[str, Path]) -> None:
    asked = {"prompt": "Translate below : {text}", "max_new_tokens": 6, "batch_size": 2}
    texts = [f"<user> Translate below : {line} <bot>" for line in (*LINES, "die katze")]
    *wanted, short = [by_library("AutoModelForCausalLM", models["llama"], text, 6) for text in texts]
    assert len({*wanted, short}) > 2
    assert translated("transformers", models["llama"], [*LINES, ""], **asked) == [*wanted, ""]
    assert translated("transformers", models["llama"], LINES[1:2], **asked, max_source_tokens=2) == [short]


def test_a_line_of_ctranslate2_is_split_at_ends_of_sentences(models: dict[str, Path], tmp_path: Path) -> None:
    """The tiny model has 64 positions, and does not say so; a config.json may."""
    line = ". ".join(["das haus ist rot"] * 40) + "."
    with pytest.raises(ResourceError, match=r"No position encodings .*; a smaller batch_size .*max_source_tokens"):
        translated("ctranslate2", models["ct2"], [line.replace(".", "")])
    model = Path(shutil.copytree(models["ct2"], tmp_path / "model"))
    told = json.loads((model / "config.json").read_text(encoding="utf-8")) | {"max_position_embeddings": 64}
    (model / "config.json").write_text(json.dumps(told), encoding="utf-8")
    first, *_, last = translated("ctranslate2", model, ["ein rotes buch", LONG, ""])
    assert (first, last) == ("a red book", "")
    alone, whole = translated("ctranslate2", model, ["das haus ist rot.", line], max_source_tokens=12)
    assert whole == " ".join([alone] * 40)


@pytest.mark.parametrize("pooling", ["mean", "cls", "last"])
def test_vectors_are_those_of_each_text_alone(models: dict[str, Path], pooling: str) -> None:
    """One text at a time, so that nothing is padded; a longer one is cut."""
    import torch
    from transformers import AutoModel, AutoTokenizer

    folder = str(models["bert"])
    tokenizer, network = AutoTokenizer.from_pretrained(folder), AutoModel.from_pretrained(folder).eval()
    made = preset("retrieval/encoder", "transformers", folder=folder, pooling=pooling, max_tokens=8, batch_size=3)
    for row, text in zip(made.encode(LINES), LINES, strict=True):
        with torch.inference_mode():
            given = tokenizer(text, return_tensors="pt", truncation=True, max_length=8)
            states = network(**given).last_hidden_state[0]
        wanted = {"mean": states.mean(0), "cls": states[0], "last": states[-1]}[pooling]
        np.testing.assert_allclose(row, wanted.numpy(), atol=2e-5)
    dense.release()


def test_how_each_kind_is_told_the_target() -> None:
    """By the documentation of NLLB, mBART and M2M-100 in transformers."""
    for kind, piece, key in (("NllbTokenizerFast", "eng_Latn", "forced_bos_token_id"),
                             ("MBartTokenizer", "eng_Latn", "decoder_start_token_id"),
                             ("M2M100Tokenizer", "__eng_Latn__", "forced_bos_token_id")):  # fmt: skip
        ids = {piece: 4}
        known = {"unk_token_id": 3, "convert_tokens_to_ids": lambda self, x, ids=ids: ids.get(x, 3)}
        tokenizer = type(kind, (), known)()
        assert first_token({"target_language": "eng_Latn"}, tokenizer) == {key: 4}
        with pytest.raises(ScriptError, match="target_language=xx: the tokenizer does not know it"):
            first_token({"target_language": "xx"}, tokenizer)


def test_what_cannot_be_loaded_or_computed_is_named(models: dict[str, Path], tmp_path: Path) -> None:
    from transformers import MarianConfig, MarianMTModel

    for name, model, file in (("transformers", "marian", "model.safetensors"), ("ctranslate2", "ct2", "model.bin")):
        broken = Path(shutil.copytree(models[model], tmp_path / model))
        (broken / file).write_bytes(b"\x10\0\0\0\0\0\0\0not what it should")
        with pytest.raises(ResourceError, match=f"{broken}: (transformers|CTranslate2) cannot load it"):
            translated(name, broken, ["ein rotes buch"])
    few = MarianConfig.from_pretrained(models["marian"], vocab_size=8, pad_token_id=7, decoder_start_token_id=7)
    MarianMTModel(few).save_pretrained(tmp_path / "marian")
    with pytest.raises(ResourceError, match=r"IndexError: .*; a smaller batch_size .*suit the model"):
        translated("transformers", tmp_path / "marian", ["wo ist das haus"])
