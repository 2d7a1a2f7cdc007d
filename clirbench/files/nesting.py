"""How deep JSON may nest: a file that only opens brackets is refused before it is read."""

import re

from clirbench.text import current_limits, limit_error

NESTED = re.compile(rb'"(?:[^"\\]++|\\.)*+"?|[\[\]{}]', re.DOTALL)


def refuse_depth(where: str, content: bytes) -> None:
    """Raise `InputError` for JSON with more lists and objects within each other than `limits.json_depth`."""
    most = current_limits().json_depth
    if content.count(b"[") + content.count(b"{") <= most:
        return
    depth = 0
    for found in NESTED.finditer(content):
        depth += {b"[": 1, b"{": 1, b"]": -1, b"}": -1}.get(found[0], 0)
        if depth > most:
            raise limit_error(where, "json_depth", "more than {:,} lists and objects within each other")
