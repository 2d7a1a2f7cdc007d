"""`systems=openai`: language models behind any server that speaks OpenAI's chat interface."""

import json
import logging
import threading
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any, ClassVar

from clirbench.checks import number, whole_number
from clirbench.errors import ConfigError, StoreError
from clirbench.labs.models.server import Ask, Server
from clirbench.labs.models.translating.base import PROMPT, TEXT, Translate, answer_lines, check_prompt, most_characters

MOST_TOKENS = 1 << 48
LOG = logging.getLogger(__name__)


@dataclass(frozen=True)
class OpenAITranslator:
    """A model of a server, asked for the translation of `batch_lines` lines at a time.

    `model`: the server's name of it. `prompt`: what is asked, `{text}` stands for the lines; `instructions`: a message
    of the system's role before it ("": none). `temperature`, `max_tokens`: as the interface has them (None: not sent);
    `extra`: further fields of each request. `version` is any text: change it when the server's model changed, to
    translate again. Blank lines of an answer, and what a model thinks before it between <think> marks, are left out.
    Where another number of lines comes back, each line is asked for alone, and the lines of that answer are joined by
    spaces. A line for which nothing comes back is empty, with a warning.

    Every answer is kept in `folder` as soon as it has come, under its server and its request, with its counts of
    tokens: after a kill nothing that was answered is asked again.

    **Raises** `ConfigError` for settings that make no sense; translating: `ResourceError` where the server fails.

    **Source:** OpenAI API reference, "Create chat completion".
    """

    kind: ClassVar[str] = "server"
    works_elsewhere: ClassVar[bool] = True
    server: Server
    model: str
    prompt: str = PROMPT
    instructions: str = ""
    batch_lines: int = 1
    temperature: float | None = 0.0
    max_tokens: int | None = None
    extra: Mapping[str, Any] = field(default_factory=dict, hash=False)
    version: str = ""
    folder: Path = field(default=Path("runs/.cache/answers"), compare=False)

    def __post_init__(self) -> None:
        if not self.model:
            raise ConfigError("model: the server's name of the model was expected")
        check_prompt(self.prompt)
        whole_number("batch_lines", self.batch_lines)
        whole_number("max_tokens", self.max_tokens, or_null=True)
        if self.temperature is not None:
            number("temperature", self.temperature, least=0)

    @property
    def signature(self) -> str:
        asked = json.dumps(self._request(TEXT), sort_keys=True)
        return f"openai|server:{self.server.identity}|batch:{self.batch_lines}|v:{self.version or '-'}|{asked}"

    def check(self, model: Path | None) -> None:
        if model is not None:
            raise ConfigError("systems=openai: its models are a server's, none of this machine")

    def fingerprint(self, model: Path | None) -> str:
        """Nothing of this machine decides what it writes."""
        return "-"

    @contextmanager
    def loaded(self, model: Path | None) -> Iterator[Translate]:
        self.check(model)
        known_as = f"{self.server.identity}|{self.model}|{self.version}"
        kept = _Kept(self.folder / f"{sha256(known_as.encode()).hexdigest()[:32]}.jsonl")
        seen: Counter[str] = Counter()

        def translate(lines: Sequence[str]) -> list[str]:
            batches = [lines[at : at + self.batch_lines] for at in range(0, len(lines), self.batch_lines)]
            parts = self.server.each(lambda ask, batch: self._batch(ask, batch, kept, seen), batches)
            return [line for part in parts for line in part]

        yield translate
        counts = f"{self.model}: {seen['asked']} requests, {seen['read']} tokens read, {seen['written']} written"
        LOG.info("%s", counts)
        if seen["empty"] or seen["cut"] or seen["alone"]:
            LOG.warning(
                "%s; lines that came back empty: %d, answers cut at max_tokens: %d, batches asked for line by line: %d",
                counts, seen["empty"], seen["cut"], seen["alone"],
            )  # fmt: skip

    def _request(self, text: str) -> dict[str, Any]:
        messages = [{"role": "user", "content": self.prompt.replace(TEXT, text)}]
        if self.instructions:
            messages.insert(0, {"role": "system", "content": self.instructions})
        options = {"temperature": self.temperature, "max_tokens": self.max_tokens}
        given = {name: value for name, value in options.items() if value is not None}
        return {"model": self.model, "messages": messages, **given, **self.extra}

    def _batch(self, ask: Ask, lines: Sequence[str], kept: "_Kept", seen: "Counter[str]") -> list[str]:
        found = self._answer(ask, "\n".join(lines), kept, seen)
        if len(lines) == 1:
            seen["empty"] += not found
            return [" ".join(found)]
        if len(found) != len(lines):
            seen["alone"] += 1
            return [line for one in lines for line in self._batch(ask, [one], kept, seen)]
        return found

    def _answer(self, ask: Ask, text: str, kept: "_Kept", seen: "Counter[str]") -> list[str]:
        """The lines that are not blank of the answer to a request, which is asked for unless it is kept."""
        request = self._request(text)
        key = sha256(json.dumps(request, sort_keys=True).encode()).hexdigest()
        answer = kept.answers.get(key)
        if answer is None:
            answer = ask("/chat/completions", request, lambda said: _answer(said, most_characters(text)))
            kept.keep(key, answer)
            with kept.lock:
                seen.update(asked=1, read=answer["read"], written=answer["written"], cut=int(answer["cut"]))
        return answer_lines(answer["text"])


def _answer(said: Any, most: int) -> dict[str, Any]:
    """What is kept of an answer; raises TypeError and the like where it is none, or of more than `most` characters."""
    choice, usage = said["choices"][0], said.get("usage") or {}
    text = choice["message"]["content"]
    if not isinstance(text, str | None):
        raise TypeError("content is text")
    counts = {"read": int(usage.get("prompt_tokens") or 0), "written": int(usage.get("completion_tokens") or 0)}
    if not all(0 <= count < MOST_TOKENS for count in counts.values()) or len(text or "") > most:
        raise ValueError("no answer has as many tokens or characters")
    return {"text": text or "", "cut": choice.get("finish_reason") == "length", **counts}


class _Kept:
    """Answers by request, in a file to which a line of JSON each is added; an incomplete line is ignored.

    Runs at the same time may write to one file: a line is written at once.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.lock = threading.Lock()
        self.answers: dict[str, dict[str, Any]] = {}
        content = path.read_bytes() if path.is_file() else b""
        for line in content.split(b"\n"):
            try:
                held = json.loads(line)
                self.answers[held.pop("key")] = {"text": str(held["text"]), **held}
            except (ValueError, KeyError, TypeError, AttributeError):
                continue
        self.begin = b"" if content.endswith(b"\n") or not content else b"\n"

    def keep(self, key: str, answer: Mapping[str, Any]) -> None:
        """Raises `StoreError` where it cannot be written."""
        line = json.dumps({"key": key, **answer}).encode() + b"\n"
        with self.lock:
            try:
                self.path.parent.mkdir(parents=True, exist_ok=True)
                with self.path.open("ab", buffering=0) as stream:
                    stream.write(self.begin + line)
            except OSError as error:
                raise StoreError(
                    f"{self.path.parent}: an answer cannot be kept there ({error.strerror or error}); free space, or "
                    "name another folder with paths.cache=DIR"
                ) from None
            self.begin = b""
            self.answers[key] = dict(answer)
