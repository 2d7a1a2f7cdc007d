"""Tiny random models of other kinds, loaded as real ones are: decoders with a chat, models of many languages."""

import json
import warnings
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from clirbench.errors import ConfigError, ResourceError
from clirbench.labs.models.transformers import TransformersTranslator
from clirbench.labs.models.translating.base import translate_lines

pytestmark = pytest.mark.slow
WORDS = ["der", "hund", "die", "katze", "the", "dog", "cat", "Translate", "below", ":", "<user>", "<bot>"]
TEMPLATE = "{% for m in messages %}<user> {{ m.content }}{% endfor %}{% if add_generation_prompt %} <bot>{% endif %}"
LINES = ["der hund", "die katze der hund die katze", "katze"]


@pytest.fixture(autouse=True, scope="module")
def libraries() -> None:
    missing = [name for name in ("torch", "transformers", "sentencepiece") if find_spec(name) is None]
    if missing:
        pytest.skip(f"EXTRA ABSENT: pip install '.[transformers]' ({missing}); loading models is not tested")


def run(made: TransformersTranslator, model: Path, lines: list[str]) -> list[str]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the library, about models that nobody trained
        with made.loaded(model) as engine:
            return translate_lines(engine, lines, "test")


@pytest.fixture(scope="module")
def llama(tmp_path_factory: pytest.TempPathFactory) -> Path:
    import torch
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

    folder = tmp_path_factory.mktemp("llama")
    pieces = Tokenizer(models.WordLevel({word: at for at, word in enumerate(["<unk>", "</s>", *WORDS])}, "<unk>"))
    pieces.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=pieces, unk_token="<unk>", eos_token="</s>")
    tokenizer.chat_template = TEMPLATE
    tokenizer.save_pretrained(folder)
    torch.manual_seed(5)
    sizes = {"hidden_size": 16, "intermediate_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2}
    config = LlamaConfig(vocab_size=len(WORDS) + 2, eos_token_id=1, bos_token_id=None, initializer_range=1.0, **sizes)
    LlamaForCausalLM(config).save_pretrained(folder)
    return folder


def by_hand(folder: Path, asked: str, new: int) -> str:
    """Greedy, token by token, one text alone."""
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    tokenizer, network = AutoTokenizer.from_pretrained(folder), AutoModelForCausalLM.from_pretrained(folder).eval()
    ids, written = tokenizer(asked, add_special_tokens=False)["input_ids"], []
    while len(written) < new:
        with torch.inference_mode():
            written.append(int(network(torch.tensor([ids + written])).logits[0, -1].argmax()))
        if written[-1] == 1:
            break
    return str(tokenizer.decode(written, skip_special_tokens=True))


def test_a_decoder_is_asked_through_its_chat_template(llama: Path) -> None:
    made = TransformersTranslator(prompt="Translate below : {text}", max_new_tokens=6, batch_size=2)
    wanted = [by_hand(llama, f"<user> Translate below : {line} <bot>", 6) for line in LINES]
    assert run(made, llama, [*LINES, ""]) == [*wanted, ""]
    assert len(set(wanted)) > 1
    cut = TransformersTranslator(prompt="Translate below : {text}", max_new_tokens=6, max_source_tokens=2)
    assert run(cut, llama, [LINES[1]]) == [by_hand(llama, "<user> Translate below : die katze <bot>", 6)]


def test_without_a_template_the_prompt_is_all(llama: Path, tmp_path: Path) -> None:
    for file in llama.iterdir():
        content = file.read_bytes()
        if file.name == "tokenizer_config.json":
            held = json.loads(content)
            held.pop("chat_template", None)
            content = json.dumps(held).encode()
        if file.suffix != ".jinja":
            (tmp_path / file.name).write_bytes(content)
    made = TransformersTranslator(prompt="<bot> {text}", max_new_tokens=5)
    assert run(made, tmp_path, LINES) == [by_hand(llama, f"<bot> {line}", 5) for line in LINES]


def generated(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """What `generate` is called with, from now on."""
    from transformers import GenerationMixin

    calls: list[dict[str, Any]] = []
    real = GenerationMixin.generate

    def spy(self: Any, *given: Any, **settings: Any) -> Any:
        calls.append(settings)
        return real(self, *given, **settings)

    monkeypatch.setattr(GenerationMixin, "generate", spy)
    return calls


def test_m2m_begins_with_the_code_of_the_target(marian: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from transformers import M2M100Config, M2M100ForConditionalGeneration, M2M100Tokenizer

    vocabulary = {piece: at for at, piece in enumerate(["<s>", "<pad>", "</s>", "<unk>", "▁das", "▁haus", "▁house"])}
    (tmp_path / "vocab.json").write_text(json.dumps(vocabulary), encoding="utf-8")
    tokenizer = M2M100Tokenizer(str(tmp_path / "vocab.json"), str(marian / "source.spm"), src_lang="de")
    folder = tmp_path / "m2m"
    tokenizer.save_pretrained(folder)
    sizes = {"d_model": 16, "encoder_layers": 1, "decoder_layers": 1, "encoder_attention_heads": 2}
    config = M2M100Config(vocab_size=300, decoder_attention_heads=2, encoder_ffn_dim=32, decoder_ffn_dim=32, **sizes)
    M2M100ForConditionalGeneration(config).save_pretrained(folder)
    calls = generated(monkeypatch)
    made = TransformersTranslator(source_language="de", target_language="en", max_new_tokens=4)
    assert len(run(made, folder, ["das haus"])) == 1
    assert calls[0]["forced_bos_token_id"] == tokenizer.get_lang_id("en")
    assert int(calls[0]["input_ids"][0, 0]) == tokenizer.get_lang_id("de")
    with pytest.raises(ResourceError, match="target_language=xx: the tokenizer does not know it"):
        run(TransformersTranslator(target_language="xx"), folder, ["das haus"])


@pytest.mark.parametrize(
    ("kind", "known", "settings"),
    [
        ("NllbTokenizerFast", ["eng_Latn"], {"forced_bos_token_id": 4}),
        ("MBart50TokenizerFast", ["eng_Latn"], {"forced_bos_token_id": 4}),
        ("MBartTokenizer", ["eng_Latn"], {"decoder_start_token_id": 4}),
        ("M2M100Tokenizer", ["__eng_Latn__"], {"forced_bos_token_id": 4}),
    ],
)
def test_how_each_kind_is_told_the_target(kind: str, known: list[str], settings: dict[str, int]) -> None:
    """By the documentation of NLLB, mBART-50, mBART and M2M-100 in transformers."""

    class Tokenizer:
        unk_token_id = 3

        def convert_tokens_to_ids(self, token: str) -> int:
            return 4 if token in known else self.unk_token_id

    tokenizer = type(kind, (Tokenizer,), {})()
    assert TransformersTranslator(target_language="eng_Latn")._first_token(tokenizer) == settings


def test_a_configuration_that_is_none(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("[", encoding="utf-8")
    (tmp_path / "model.safetensors").write_bytes(b"")
    with pytest.raises(ResourceError, match="transformers cannot load it"):
        run(TransformersTranslator(), tmp_path, ["a"])
    with pytest.raises(ConfigError, match=r"prompt: must hold \{text\} once"):
        TransformersTranslator(prompt="x")
