"""A network of transformers on this machine: translations (with `max_new_tokens`), or vectors.

The folder holds config.json and *.safetensors (pickled weights are refused), and the tokenizer unless `tokenizer` names
another folder; nothing is downloaded, no code of the folder is run. `batch_size`: lines of like length at a time.
`device`: auto takes a GPU when there is one. `dtype`: float32, float16, bfloat16.

Translations by encoder-decoders (Marian, T5, M2M, NLLB, mBART, ...) or decoders (Llama, Qwen, ...). `beam`: hypotheses
kept, 1 is greedy. `max_source_tokens`: a longer line is cut there; `max_new_tokens`: an output ends there; both at the
latest where an encoder-decoder has no more positions. `prefix` is put before each line (T5). `source_language`,
`target_language`: codes of a multilingual model's tokenizer (`deu_Latn` for NLLB, `de` for M2M, `de_DE` for mBART). A
decoder is asked `prompt`, in which `{text}` stands for a line, through its tokenizer's chat template where it has one
(`template`: further arguments of it); the lines of its answer are joined by spaces.

Vectors: the last layer, pooled over a text's tokens: BERT and its kin, E5, BGE, GTE, LaBSE, encoders of T5, ...
`pooling`: mean of the tokens, the first one (cls) or the last; auto: what sentence-transformers' files say, else mean.
`max_tokens`: a longer text is cut there.

**Source:** N. Reimers, I. Gurevych (2019), Sentence-BERT, section 3 (mean and CLS pooling).
"""

import json
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from clirbench.labs.models.scripts.lines import (
    HINT,
    ScriptError,
    Work,
    chosen,
    folder,
    main,
    need,
    positions,
    released,
    vectors,
    whole,
)
from clirbench.labs.models.scripts.openai import TEXT, answer_lines

# What the library raises for a folder it cannot make sense of, and while it computes.
LOADING = (OSError, ValueError, KeyError, TypeError, AttributeError, RuntimeError, ImportError)
RUNNING = (RuntimeError, ValueError, IndexError, MemoryError)
KINDS = {"mean_tokens": "mean", "cls_token": "cls", "lasttoken": "last"}


def about(settings: dict[str, Any]) -> str:
    """The library and how vectors are pooled; fails for what is missing or makes no sense."""
    translates = "max_new_tokens" in settings
    numbers = (
        ("beam", "batch_size", "max_source_tokens", "max_new_tokens") if translates else ("batch_size", "max_tokens")
    )
    whole(settings, **dict.fromkeys(numbers, 1))
    chosen(settings, "device", "auto", "cpu", "cuda")
    chosen(settings, "dtype", "float32", "float16", "bfloat16")
    if translates and settings["prompt"].count(TEXT) != 1:
        raise ScriptError(f"prompt: must hold {TEXT} once, where the lines to translate are put")
    if not translates:
        chosen(settings, "pooling", "auto", "mean", "cls", "last")
    need("transformers", "torch", "transformers")
    model = folder(settings, "model")
    if not (model / "config.json").is_file():
        raise ScriptError(f"{model}: no config.json; a folder written by save_pretrained was expected")
    if not any(model.glob("*.safetensors")):
        pickled = any(model.glob("pytorch_model*.bin"))
        hint = "; its weights are pickled, which is never loaded: save it again with save_pretrained"
        raise ScriptError(f"{model}: no *.safetensors{hint if pickled else ''}")
    if settings.get("tokenizer") and not Path(settings["tokenizer"]).is_dir():
        raise ScriptError(f"tokenizer={settings['tokenizer']}: no such folder")
    return f"hf 1 {'' if translates else pooling(settings, model)} {released('transformers')}"


def pooling(settings: dict[str, Any], model: Path) -> str:
    """How tokens are pooled; fails where sentence-transformers' files ask for more than that."""
    kinds = [str(module.get("type", "")).rpartition(".")[2] for module in _json(model / "modules.json") or []]
    if strange := [kind for kind in kinds if kind not in ("Transformer", "Pooling", "Normalize")]:
        raise ScriptError(f"{model}: modules.json asks for {', '.join(strange)}, which is not computed here")
    if settings["pooling"] != "auto":
        return str(settings["pooling"])
    asked = _json(model / "1_Pooling" / "config.json") or {"pooling_mode_mean_tokens": True}
    on = [name for name, is_on in asked.items() if name.startswith("pooling_mode_") and is_on]
    modes = [name.removeprefix("pooling_mode_") for name in on]
    if len(modes) != 1 or modes[0] not in KINDS:
        raise ScriptError(f"{model}: its pooling ({', '.join(modes)}) is not computed here; choose pooling=mean")
    return KINDS[modes[0]]


def _json(path: Path) -> Any:
    try:
        return json.loads(path.read_bytes())
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise ScriptError(f"{path}: cannot be read ({type(error).__name__})") from None


def work(settings: dict[str, Any]) -> Work:
    """The tokenizer and the network, loaded."""
    import torch
    import transformers
    from safetensors import SafetensorError
    from transformers.utils import logging

    terminal: Any = logging  # its bars and notes would be the last words of an error
    terminal.set_verbosity_error()
    terminal.disable_progress_bar()
    about(settings)
    model, local = str(settings["model"]), {"local_files_only": True, "trust_remote_code": False}
    device = "cuda" if settings["device"] != "cpu" and torch.cuda.is_available() else "cpu"
    if settings["device"] == "cuda" and device == "cpu":
        raise ScriptError("device=cuda: torch sees no GPU; device=auto takes the CPU then")
    translates = "max_new_tokens" in settings
    kinds = ("AutoModelForSeq2SeqLM", "AutoModelForCausalLM") if translates else ("AutoModel", "AutoModel")
    codes = {"src_lang": settings["source_language"]} if settings.get("source_language") else {}
    try:
        config = transformers.AutoConfig.from_pretrained(model, **local)
        tokenizer = transformers.AutoTokenizer.from_pretrained(settings.get("tokenizer") or model, **local, **codes)
        network = getattr(transformers, kinds[not config.is_encoder_decoder]).from_pretrained(
            model, use_safetensors=True, dtype=getattr(torch, settings["dtype"]), **local
        )
    except (*LOADING, SafetensorError) as error:
        raise ScriptError(f"{model}: transformers cannot load it ({_first_line(error)})") from None
    if translates:
        bound = positions(Path(model)) if config.is_encoder_decoder else sys.maxsize
        new = min(settings["max_new_tokens"], max(1, bound - 1))
        settings = {**settings, "max_source_tokens": min(settings["max_source_tokens"], bound), "max_new_tokens": new}
        batch = partial(written if config.is_encoder_decoder else chatted, settings, tokenizer, network)
    else:
        network = network.get_encoder() if config.is_encoder_decoder else network
        batch = partial(encoded, settings, tokenizer, network)
    if tokenizer.pad_token is None:
        tokenizer.pad_token = tokenizer.eos_token
    network.to(device).eval()
    return partial(by_length, settings, batch)


def by_length(settings: dict[str, Any], batch: Callable[[Sequence[str]], list[str]], lines: Sequence[str]) -> list[str]:
    """What batches of lines of like length make, a line for each, in the order of the lines."""
    order = sorted(range(len(lines)), key=lambda i: -len(lines[i]))
    found: dict[int, str] = {}
    for start in range(0, len(order), settings["batch_size"]):
        numbers = order[start : start + settings["batch_size"]]
        try:
            found.update(zip(numbers, batch([lines[i] for i in numbers]), strict=True))
        except RUNNING as error:
            raise ScriptError(f"{settings['model']}: {_first_line(error)}; {HINT}") from None
    return [found[i] for i in range(len(lines))]


def _first_line(error: Exception) -> str:
    return f"{type(error).__name__}: {str(error).strip().partition(chr(10))[0]}"


def encoded(settings: dict[str, Any], tokenizer: Any, network: Any, texts: Sequence[str]) -> list[str]:
    """A vector for each text."""
    import torch

    options = {"return_tensors": "pt", "padding": True, "truncation": True, "max_length": settings["max_tokens"]}
    # Places are counted from the left: padding there would move a text's tokens.
    given = tokenizer(list(texts), padding_side="right", **options).to(network.device)
    mask = given["attention_mask"]
    with torch.inference_mode():
        states = network(input_ids=given["input_ids"], attention_mask=mask).last_hidden_state.float()
    if (how := pooling(settings, Path(settings["model"]))) == "mean":
        return list(vectors((states * mask[..., None]).sum(1) / mask.sum(1, keepdim=True).clamp(min=1)))
    place = mask.sum(1).clamp(min=1) - 1 if how == "last" else 0
    return list(vectors(states[torch.arange(len(texts)), place]))


def written(settings: dict[str, Any], tokenizer: Any, network: Any, lines: Sequence[str]) -> list[str]:
    """What an encoder-decoder writes."""
    options = {"padding": True, "truncation": True, "max_length": settings["max_source_tokens"], "return_tensors": "pt"}
    given = tokenizer([settings["prefix"] + line for line in lines], **options)
    outputs = generated(settings, given, network, **first_token(settings, tokenizer))
    return [str(text) for text in tokenizer.batch_decode(outputs, skip_special_tokens=True)]


def chatted(settings: dict[str, Any], tokenizer: Any, network: Any, lines: Sequence[str]) -> list[str]:
    """What a decoder answers."""
    most, asked = settings["max_source_tokens"], []
    for line in (settings["prefix"] + line for line in lines):
        ids = tokenizer(line, add_special_tokens=False)["input_ids"]
        text = settings["prompt"].replace(TEXT, tokenizer.decode(ids[:most]) if len(ids) > most else line)
        if tokenizer.chat_template:
            chat = {"tokenize": False, "add_generation_prompt": True, **settings["template"]}
            text = tokenizer.apply_chat_template([{"role": "user", "content": text}], **chat)
        asked.append(text)
    options = {"padding": True, "padding_side": "left", "return_tensors": "pt"}
    given = tokenizer(asked, add_special_tokens=not tokenizer.chat_template, **options)
    outputs = generated(settings, given, network, pad_token_id=tokenizer.pad_token_id)
    answers = tokenizer.batch_decode(outputs[:, given["input_ids"].shape[1] :], skip_special_tokens=True)
    return [" ".join(answer_lines(str(answer))) for answer in answers]


def generated(settings: dict[str, Any], given: Any, network: Any, **more: Any) -> Any:
    """The tokens that a network writes."""
    import torch

    given = given.to(network.device)
    fixed = {"num_beams": settings["beam"], "do_sample": False, "max_new_tokens": settings["max_new_tokens"]}
    with torch.inference_mode():
        return network.generate(input_ids=given["input_ids"], attention_mask=given["attention_mask"], **fixed, **more)


def first_token(settings: dict[str, Any], tokenizer: Any) -> dict[str, int]:
    """How a model of many languages is told the target: mBART begins with its code, the others go on with it."""
    if not (target := settings["target_language"]):
        return {}
    for name in (target, f"__{target}__"):  # M2M's codes are pieces such as __en__
        code = tokenizer.convert_tokens_to_ids(name)
        if code is not None and code != tokenizer.unk_token_id:
            mbart = type(tokenizer).__name__ in ("MBartTokenizer", "MBartTokenizerFast")
            return {"decoder_start_token_id" if mbart else "forced_bos_token_id": code}
    raise ScriptError(f"target_language={target}: the tokenizer does not know it")


if __name__ == "__main__":
    main(about, work)
