"""From the name of a measure to the measure: `MAP`, `nDCG@20`, `RBO(p=0.9,ties=a)`.

A name is `NAME`, `NAME@k` (a rank; for IPrec a level of recall) or `NAME(key=value,...)`, and `@k` may follow the
brackets. Our own measures are looked up first, then those of ir-measures, then those of laboratories, then trec_eval's
names.
"""

import ast
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import fields
from typing import Any, TypeAlias

from clirbench.errors import ConfigError, UnknownName, closest
from clirbench.measures.base import Measure
from clirbench.measures.ir import IrMeasure
from clirbench.measures.rbo import RBO
from clirbench.measures.rbp import RBP

CUTOFF = r"(?:@\s*(?P<cutoff>\d+(?:\.\d+)?))?"
NAME = re.compile(rf"\s*(?P<base>[^\W\d]\w*)\s*(?:\((?P<arguments>.*)\))?\s*{CUTOFF}\s*", re.DOTALL)

TREC_EVAL = re.compile(r"(?P<name>[A-Za-z_]+?)(?:[_@](?P<cutoff>\d+))?")
OF_TREC_EVAL = {
    "map": "AP", "map_cut": "AP", "gm_map": "AP", "ndcg": "nDCG", "ndcg_cut": "nDCG", "p": "P", "precision": "P",
    "recall": "R", "r": "R", "recip_rank": "RR", "mrr": "RR", "rprec": "Rprec", "success": "Success",
    "bpref": "Bpref", "infap": "infAP", "num_rel": "NumRel", "num_ret": "NumRet", "num_rel_ret": "NumRelRet",
}  # fmt: skip
"""Names of trec_eval, in small letters (and ranx, which has them with @), as ir-measures calls them."""

COMMA = re.compile(r"(=\s*\d+),(\d+)")
DIGITS = str.maketrans("OoIl", "0011")
"""Letters that are typed for digits."""
SLIPPED = re.compile(
    r"(?P<base>.*?)(?:(?:[\W_]*(?=\d)|[\W_]+(?=\D?\d))(?P<cutoff>[\d.OoIl]+))?\s*(?P<rest>(?:\(.*)?)", re.DOTALL
)
"""A name and its cut-off, however they are joined."""

Kinds: TypeAlias = Mapping[str, tuple[Any, Mapping[str, Any]]]
"""By name the class of a measure, and what the name sets that differs from the class's defaults."""


def parse(name: str, of_laboratories: Callable[[], Kinds] = dict) -> Measure:
    """The measure that a name means; its column is called as the user wrote it.

    `of_laboratories` gives their measures (`configuration/laboratories.py`).
    Raises `UnknownName` (choices, closest match) for a name nobody knows, `ConfigError` for a wrong parameter.
    """
    match = NAME.fullmatch(name)
    if match is None:
        raise _unknown(name, of_laboratories())
    base, cutoff = match["base"], match["cutoff"]
    if (pointed := COMMA.sub(r"\1.\2", name)) != name:
        raise ConfigError(f"measure {name!r}: a number has a point, not a comma; type {pointed}")
    if cutoff is not None and float(cutoff) == 0:
        raise ConfigError(f"measure {name!r}: the cut-off after @ must be above 0")
    if base == "GMAP":
        return IrMeasure(name, name.replace("GMAP", "AP", 1), geometric=True)
    if base in OURS:
        return _named(match, OURS)
    import ir_measures

    if base not in ir_measures.measures.registry:
        if base in (theirs := of_laboratories()):
            return _named(match, theirs)
        if (known := TREC_EVAL.fullmatch(name)) and (meant := OF_TREC_EVAL.get(known["name"].lower())):
            spec = f"{meant}@{known['cutoff']}" if known["cutoff"] else meant
            return IrMeasure(name, spec, geometric=known["name"].lower() == "gm_map")
        raise _unknown(name, theirs)
    return IrMeasure(name, name)


def _unknown(name: str, theirs: Kinds) -> ConfigError:
    """The error for a name that nobody knows, with the measure that it is close to, its cut-off with it."""
    listed = re.split(r"[\s,;+|]+(?![^(]*\))", name.strip("[] "))
    if len(listed) > 1 and all(map(is_measure, listed)):
        return ConfigError(f"measure {name!r}: several are a list, measures=[{','.join(listed)}]")
    found = SLIPPED.fullmatch(name)
    word, at, rest = (found[key] or "" for key in ("base", "cutoff", "rest")) if found else (name, "", "")
    known = OF_TREC_EVAL | {one: one for one in choices(theirs)}
    if meant := known.get(closest(word, [*known], 0.65), ""):
        at = at.translate(DIGITS)
        meant += (f"(p={at})" if "." in at else f"@{at}" if at else "") + rest
    if meant in ("", name) and NAME.fullmatch(name) is None:
        return ConfigError(f"measure {name!r} cannot be read; write NAME, NAME@k or NAME(key=value,...)")
    return UnknownName("measure", name, choices(theirs), meant)


def is_measure(name: str, of_laboratories: Callable[[], Kinds] = dict) -> bool:
    """Whether a name is that of a measure."""
    with suppress(ConfigError):
        return bool(parse(name, of_laboratories))
    return False


def choices(theirs: Kinds) -> list[str]:
    """Every name without parameters that can be written, but for other spellings of one of them (`NDCG` for nDCG)."""
    import ir_measures

    registry = ir_measures.measures.registry.items()
    known = {name for name, measure in registry if name == measure.NAME or name.lower() != measure.NAME.lower()}
    return sorted({*OURS, *theirs, "GMAP", *known})


def _named(match: re.Match[str], kinds: Kinds) -> Measure:
    """The measure of these kinds that a name, a match of `NAME`, means; `@k` is its parameter `k`."""
    name, base, cutoff = match[0], match["base"], match["cutoff"]
    kind, defaults = kinds[base]
    arguments = _arguments(name, match["arguments"])
    given = {**defaults, **arguments, **({"k": _value(cutoff)} if cutoff else {})}
    allowed = [field.name for field in fields(kind) if field.init and field.name != "name"]
    for key in given:
        if key not in allowed:
            raise UnknownName(f"parameter of measure {base}", key, allowed)
    measure: Measure = kind(name=name, **given)
    return measure


def _arguments(name: str, text: str | None) -> dict[str, Any]:
    """`p=0.9,ties=a` as a dict: numbers, true / false / none, and words, quoted or not."""
    arguments: dict[str, Any] = {}
    for part in (text or "").split(","):
        if not part.strip():
            continue
        key, equals, value = (piece.strip() for piece in part.partition("="))
        if not equals or not value:
            raise ConfigError(f"measure {name!r}: {part.strip()!r} is no parameter; write key=value")
        if key in arguments:
            raise ConfigError(f"measure {name!r}: {key} is given twice")
        arguments[key] = _value(value)
    return arguments


def _value(text: str) -> Any:
    words = {"true": True, "false": False, "none": None, "null": None}
    if text.lower() in words:
        return words[text.lower()]
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text


OURS: Kinds = {"RBO": (RBO, {}), "RBP": (RBP, {})}
"""The core's measures that ir-measures does not have."""
