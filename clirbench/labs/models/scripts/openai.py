"""A model of a server that speaks OpenAI's interface (vLLM, llama.cpp, Ollama, ...): translations, or vectors.

`url`: its address up to `/v1`; `alias` stands for it in what is kept. `model`: the server's name of it. `key`: the NAME
of the environment variable that holds the key ("": none is sent). `concurrency`: requests at a time. `timeout`: seconds
until an answer must be there whole. `retries`: further attempts where it cannot be reached, does not answer in time or
not as it should, or says that it is busy or has failed; after 1, 2, 4, ... seconds or what it says, at most 60.

Translations (where there is a `prompt`, in which `{text}` stands for the lines): `batch_lines` lines a request;
`instructions`: a message of the system's role before it; `temperature`, `max_tokens` (null: not sent), `extra`: further
fields. Blank lines of an answer, and what a model thinks before it between <think> marks, are left out. Where another
number of lines comes back, each line is asked for alone, and the lines of that answer are joined by spaces.

**Source:** OpenAI API reference, "Create chat completion", "Create embeddings".
"""

import http.client
import json
import math
import os
import re
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import chain
from typing import Any
from urllib.parse import urlsplit

from clirbench.datasets.downloads import Pace, Refused, answer, reason
from clirbench.errors import DownloadError
from clirbench.labs.models.scripts.lines import ScriptError, Work, main, whole

TEXT = "{text}"
FIRST_WAIT, LONGEST_WAIT = 1.0, 60.0  # seconds before a request is made again: twice as many each time
MOST_BYTES, MOST_CHARACTERS = 1 << 28, 1 << 20  # of one answer; of one text's translation, or 100 times its own
BUSY = (408, 409, 425, 429)  # and 500 and above: later the answer may be another one
HINTS = {401: "; is the key right?", 403: "; is the key right?", 404: "; are address and model right?"}
THOUGHTS = re.compile(r"\A\s*<think>.*?</think>", re.DOTALL)


def about(settings: dict[str, Any]) -> str:
    """The server and the version of this script; fails for settings that make no sense."""
    if not settings["url"] or not settings["model"]:
        raise ScriptError("url and model of the server were expected")
    whole(settings, concurrency=1, retries=0, **({"batch_lines": 1} if "prompt" in settings else {"batch_size": 1}))
    if not (isinstance(settings["timeout"], int | float) and settings["timeout"] > 0):
        raise ScriptError(f"timeout={settings['timeout']} must be above 0 seconds")
    if settings.get("prompt", TEXT).count(TEXT) != 1:
        raise ScriptError(f"prompt: must hold {TEXT} once, where the lines to translate are put")
    if (parts := urlsplit(settings["url"])).scheme not in ("http", "https") or not parts.hostname:
        raise ScriptError(f"url={settings['url']!r}: an address such as http://127.0.0.1:8000/v1 was expected")
    return f"openai 1 {(settings['alias'] or settings['url']).rstrip('/')}"


def work(settings: dict[str, Any]) -> Work:
    """What asks the server."""
    headers = {"Content-Type": "application/json", "Accept": "application/json"}
    if settings["key"]:
        if not (secret := os.environ.get(settings["key"])):
            raise ScriptError(f"the environment variable {settings['key']}, which holds the key, is not set")
        headers["Authorization"] = f"Bearer {secret}"
    ask = partial(asked, settings, headers)
    one, size = (translated, settings["batch_lines"]) if "prompt" in settings else (encoded, settings["batch_size"])

    def each(lines: Sequence[str]) -> Iterator[str]:
        pool = ThreadPoolExecutor(settings["concurrency"])
        try:
            parts = [lines[at : at + size] for at in range(0, len(lines), size)]
            yield from chain.from_iterable(pool.map(partial(one, settings, ask), parts))
        finally:
            pool.shutdown(cancel_futures=True)

    return each


def asked(settings: dict[str, Any], headers: dict[str, str], path: str, body: Any, read: Callable[[Any], Any]) -> Any:
    """What `read` makes of the answer's JSON to a request, which is made again where that may help."""
    url, wait, patience = settings["url"].rstrip("/") + path, FIRST_WAIT, settings["timeout"]
    for left in range(settings["retries"], -1, -1):
        at_least = 0.0
        try:
            pace = Pace(patience, patience, MOST_BYTES)
            with answer(url, headers, pace, json.dumps(body).encode()) as response:
                return read(json.loads(response.read()))
        except Refused as error:
            if error.code < 500 and error.code not in BUSY:
                raise ScriptError(f"{error}{HINTS.get(error.code, '')}") from None
            said, at_least = str(error), error.wait
        except DownloadError as error:
            said = str(error)
        except (http.client.HTTPException, OSError) as error:
            said = f"{url}: broke off ({reason(error)})"
        except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError):
            said = f"{url}: the answer is not as OpenAI's interface has it"
        if left:
            time.sleep(min(LONGEST_WAIT, max(wait, at_least)))
            wait *= 2
    raise ScriptError(f"{said}; {settings['retries'] + 1} attempts failed" if settings["retries"] else said)


def translated(settings: dict[str, Any], ask: Callable[..., Any], lines: Sequence[str]) -> list[str]:
    """A translation for each line, of one request where as many come back."""
    text = "\n".join(lines)
    roles = {"system": settings["instructions"], "user": settings["prompt"].replace(TEXT, text)}
    sent = {name: settings[name] for name in ("temperature", "max_tokens") if settings[name] is not None}
    messages = [{"role": role, "content": content} for role, content in roles.items() if content]

    def read(said: Any) -> list[str]:
        content = said["choices"][0]["message"]["content"] or ""
        if len(content) > max(MOST_CHARACTERS, 100 * len(text)):
            raise ValueError("no translation has as many characters")
        return answer_lines(content)

    body = {"model": settings["model"], "messages": messages, **sent, **settings["extra"]}
    found: list[str] = ask("/chat/completions", body, read)
    if len(lines) == 1:
        return [" ".join(found)]
    return found if len(found) == len(lines) else [one for line in lines for one in translated(settings, ask, [line])]


def answer_lines(answer: str) -> list[str]:
    """The lines of a language model's answer that are not blank, without what it thinks before it."""
    return [line.strip() for line in THOUGHTS.sub("", answer).split("\n") if line.strip()]


def encoded(settings: dict[str, Any], ask: Callable[..., Any], texts: Sequence[str]) -> list[str]:
    """A vector for each text, as JSON."""

    def read(said: Any) -> list[str]:
        rows = {one["index"]: one["embedding"] for one in said["data"]}
        found = [rows[at] for at in range(len(texts))]
        if len(rows) != len(texts) or len(set(map(len, found))) != 1:
            raise ValueError("a vector for each text")
        if any(type(x) not in (int, float) or not math.isfinite(x) or abs(x) > 3.4e38 for row in found for x in row):
            raise ValueError("finite numbers")
        return [json.dumps(row) for row in found]

    vectors: list[str] = ask("/embeddings", {"model": settings["model"], "input": list(texts)}, read)
    return vectors


if __name__ == "__main__":
    main(about, work)
