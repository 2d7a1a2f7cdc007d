"""Encoders of transformers: tiny random networks that the test makes, against torch by hand."""

import json
import shutil
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from clirbench.errors import ConfigError, ResourceError
from clirbench.labs.models.dense import Dense, Encoder
from clirbench.labs.models.dense_transformers import Transformers
from clirbench.store.keys import fingerprint
from clirbench.types import Document, Documents, Topic

WORDS = ["oil", "price", "pearl", "farm", "the", "of", "huile", "prix", "perle"]
TEXTS = ["oil price", "the price of the oil", "pearl", "", "perle huile prix farm"]


def tokenizer_of(side: str = "right") -> Any:
    from tokenizers import Tokenizer, models, pre_tokenizers, processors
    from transformers import PreTrainedTokenizerFast

    made = Tokenizer(
        models.WordLevel({w: i for i, w in enumerate(["[PAD]", "[UNK]", "[CLS]", "[SEP]", *WORDS])}, "[UNK]")
    )
    made.pre_tokenizer = pre_tokenizers.Whitespace()
    made.post_processor = processors.TemplateProcessing("[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)])
    return PreTrainedTokenizerFast(
        tokenizer_object=made, pad_token="[PAD]", unk_token="[UNK]", eos_token="[SEP]", padding_side=side
    )


@pytest.fixture(scope="module")
def bert(tmp_path_factory: pytest.TempPathFactory) -> Path:
    missing = [name for name in ("torch", "transformers") if find_spec(name) is None]
    if missing:
        pytest.skip(f"EXTRA ABSENT: pip install '.[transformers]' ({missing}); encoders are not tested")
    import torch
    from transformers import BertConfig, BertModel

    torch.manual_seed(3)
    folder = tmp_path_factory.mktemp("encoder") / "bert"
    sizes = {"hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 32}
    BertModel(BertConfig(vocab_size=len(WORDS) + 4, max_position_embeddings=32, **sizes)).eval().save_pretrained(folder)
    tokenizer_of().save_pretrained(folder)
    return folder


def by_hand(folder: Path, text: str, pooling: str) -> Any:
    """One text alone, so that nothing is padded."""
    import torch
    from transformers import AutoModel, AutoTokenizer

    given = AutoTokenizer.from_pretrained(folder)(text, return_tensors="pt", truncation=True, max_length=8)
    with torch.inference_mode():
        states = AutoModel.from_pretrained(folder).eval()(**given).last_hidden_state[0]
    return {"mean": states.mean(0), "cls": states[0], "last": states[-1]}[pooling].numpy()


@pytest.mark.slow
@pytest.mark.parametrize("pooling", ["mean", "cls", "last"])
@pytest.mark.parametrize("side", ["right", "left"])
def test_vectors_are_those_of_each_text_alone(bert: Path, tmp_path: Path, pooling: str, side: str) -> None:
    folder = Path(shutil.copytree(bert, tmp_path / "model"))
    tokenizer_of(side).save_pretrained(folder)
    made = Transformers(str(folder), pooling=pooling, max_tokens=8, batch_size=3)
    assert isinstance(made, Encoder)
    found = made.encode(TEXTS)
    assert found.dtype == np.float32
    for row, text in zip(found, TEXTS, strict=True):
        np.testing.assert_allclose(row, by_hand(folder, text, pooling), atol=2e-5)
    assert len(made.encode([])) == 0


@pytest.mark.slow
def test_pooling_is_what_sentence_transformers_says(bert: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(bert, tmp_path / "model"))
    (folder / "1_Pooling").mkdir()
    modules = [{"type": f"sentence_transformers.models.{kind}"} for kind in ("Transformer", "Pooling", "Normalize")]
    modes = {"pooling_mode_cls_token": True, "pooling_mode_mean_tokens": False, "word_embedding_dimension": 16}

    def write(kinds: Any = modules, **also: bool) -> None:
        (folder / "modules.json").write_text(json.dumps(kinds), encoding="utf-8")
        (folder / "1_Pooling" / "config.json").write_text(json.dumps({**modes, **also}), encoding="utf-8")

    write()
    assert "pooling:cls" in Transformers(str(folder)).signature
    assert "pooling:last" in Transformers(str(folder), pooling="last").signature
    np.testing.assert_allclose(Transformers(str(folder)).encode(["oil"])[0], by_hand(folder, "oil", "cls"), atol=2e-5)
    write(pooling_mode_max_tokens=True)
    with pytest.raises(ResourceError, match=r"its pooling \(cls_token, max_tokens\) is not computed here"):
        Transformers(str(folder)).encode(["oil"])
    write([*modules, {"type": "sentence_transformers.models.Dense"}])
    with pytest.raises(ResourceError, match="modules.json asks for Dense"):
        _ = Transformers(str(folder), pooling="mean").signature


@pytest.mark.slow
def test_an_encoder_decoder_lends_its_encoder(tmp_path: Path, bert: Path) -> None:
    from transformers import T5Config, T5Model

    config = T5Config(vocab_size=len(WORDS) + 4, d_model=16, d_kv=8, d_ff=32, num_layers=1, num_heads=2)
    T5Model(config).eval().save_pretrained(tmp_path / "t5")
    tokenizer_of().save_pretrained(tmp_path / "t5")
    assert Transformers(str(tmp_path / "t5")).encode(TEXTS).shape == (5, 16)


@pytest.mark.slow
def test_it_ranks_and_a_model_is_its_content(bert: Path, tmp_path: Path) -> None:
    texts = {"1": "pearl farm", "2": "oil price", "3": "", "4": "oil"}
    held = Documents.of(Document(doc_id, text) for doc_id, text in texts.items())
    made = Dense(Transformers(str(bert)), query_prefix="the ", passage_prefix="the ")
    run = made.rank(held, [Topic.of("t", "oil price")])
    assert run.ranking("t")[0] == "2"
    assert set(run.ranking("t")) == {"1", "2", "4"}
    assert run.values("t")[0] == pytest.approx(1)
    copy = str(shutil.copytree(bert, tmp_path / "elsewhere"))
    assert fingerprint(Transformers(copy)) == fingerprint(Transformers(str(bert)))
    (Path(copy) / "model.safetensors").write_bytes(b"\x10\0\0\0\0\0\0\0not what it should")
    with pytest.raises(ResourceError, match="transformers cannot load it"):
        Transformers(copy).encode(["oil"])


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({}, "retrieval.encoder.folder: the folder of a model"),
        ({"folder": "x", "pooling": "max"}, "retrieval.encoder.pooling='max'"),
        ({"folder": "x", "device": "gpu"}, "retrieval.encoder.device='gpu'"),
        ({"folder": "x", "batch_size": 0}, "retrieval.encoder.batch_size=0"),
    ],
)
def test_settings_that_make_no_sense(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        Transformers(**settings)


def test_a_folder_that_is_no_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("clirbench.labs.models.libraries.require", lambda key, extra, *libraries: None)
    with pytest.raises(ResourceError, match=r"no config.json"):
        _ = Transformers(str(tmp_path)).signature
