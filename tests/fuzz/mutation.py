"""Hostile inputs made from real ones: bytes cut, doubled, swapped, and replaced by what breaks readers."""

import gzip
import random
from typing import Any

HOSTILE = (
    b"\x00", b"\x1b]0;x\x07", b"\xc2\x9b31m", b"\xe2\x80\xae", b"\xff\xfe", b"\xed\xa0\x80", b"\r\n", b"\r", b"\t",
    b"\n", b'"', b"'", b"<", b">", b"&", b"&#0;", b"&#x110000;", b"<!DOCTYPE x [<!ENTITY a 'b'>]>",
    b"<img src=x onerror=a()>", b"[" * 3000, b"{" * 3000, b'{"a":' * 1500, b"nan", b"inf", b"1e999", b"-1e308", b"1_5",
    b"12,5", b"9" * 5000, b"\\ud800", b"x" * 5000, b"\xef\xbb\xbf", b"\x1f\x8b", b"#", b" ", b"e\xcc\x81",
    b"\xe2\x80\xa8", b"null",
)  # fmt: skip


def mutated(draw: random.Random, sample: bytes) -> bytes:
    """One to four changes of a sample; now and then the whole is packed, and may be cut after that."""
    content = bytearray(sample)
    for _ in range(draw.randint(1, 4)):
        at = draw.randrange(len(content) + 1)
        to = min(len(content), at + draw.choice((1, 2, 8, 60)))
        change = draw.randrange(6)
        if change == 0:
            del content[at:to]
        elif change == 1:
            content[at:at] = content[at:to] * draw.choice((1, 2, 50))
        elif change == 2:
            content[at:to] = bytes(draw.randrange(256) for _ in range(draw.randint(1, 4)))
        elif change == 3:
            lines = bytes(content).split(b"\n")
            draw.shuffle(lines)
            content = bytearray(b"\n".join(lines))
        elif change == 4:
            del content[at:]
        else:
            content[at : draw.choice((at, to))] = draw.choice(HOSTILE)
    if draw.random() < 0.03:
        packed = gzip.compress(bytes(content))
        return packed[: draw.choice((len(packed), len(packed) // 2, 12))]
    return bytes(content)


def replaced(draw: random.Random, value: Any, hostile: Any) -> Any:
    """A JSON value with one of its parts, or one of its keys, replaced."""
    if isinstance(value, dict) and value and draw.random() < 0.9:
        key = draw.choice(list(value))
        if draw.random() < 0.15:
            return {str(hostile) if name == key else name: item for name, item in value.items()}
        return {**value, key: replaced(draw, value[key], hostile)}
    if isinstance(value, list) and value and draw.random() < 0.9:
        at = draw.randrange(len(value))
        return [*value[:at], replaced(draw, value[at], hostile), *value[at + 1 :]]
    return hostile
