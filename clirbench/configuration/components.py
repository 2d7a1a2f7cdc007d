"""The keys of components: what their constructors take, by name and by type."""

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from clirbench.errors import ClirbenchError, ConfigError, UnknownName
from clirbench.keys import is_number, is_text

TARGET = "_target_"


def unknown(node: Any, key: str) -> Iterator[ClirbenchError]:
    """An error for each key of a component, and of those in it, that its constructor does not take."""
    for name, component, parameters in _components(node, key):
        if any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters.values()):
            continue
        for entry in component:
            if entry == "force" and entry not in parameters and ".relevance." in str(component[TARGET]):
                yield ConfigError(f"{name}.force: there is no such key any more; no measure is left out, take it away")
            elif not entry.startswith("_") and entry not in parameters:
                yield UnknownName(f"key in {name}", entry, [known for known in parameters if known != "self"])


def misfits(node: Any, key: str) -> Iterator[ClirbenchError]:
    """An error for each value of a component, and of those in it, that is not of the type its constructor says."""
    for name, component, parameters in _components(node, key):
        hints = _hints(_located(component[TARGET]))
        for entry, value in component.items():
            if entry in parameters and entry in hints and not value_fits(value, hints[entry]):
                yield ConfigError(f"{name}.{entry}={value!r} must be {words(hints[entry])}")


QUOTED = "a text (a number is quoted inside the shell's quotes: '\"7\"')"
KINDS: dict[Any, tuple[str, Callable[[Any], bool]]] = {
    int: ("a whole number", lambda value: type(value) is int),
    float: ("a number", is_number),
    bool: ("true or false", lambda value: isinstance(value, bool)),
    str: (QUOTED, lambda value: isinstance(value, str)),
    Path: (QUOTED, lambda value: isinstance(value, str)),
    NoneType: ("null", lambda value: value is None),
    Mapping: ("a mapping", lambda value: isinstance(value, dict)),
    Sequence: ("a list, [A,B]", lambda value: isinstance(value, list)),
}


def _kind(hint: Any) -> Any:
    """The entry of `KINDS` for a type; None for one that is not known here."""
    origin = get_origin(hint)
    general = next((one for one in (Mapping, Sequence) if isinstance(origin, type) and issubclass(origin, one)), hint)
    return KINDS.get(general)


def value_fits(value: Any, hint: Any) -> bool:
    """Whether a value of a configuration can be meant by a type; types that are not known here take everything."""
    arguments, kind = get_args(hint), _kind(hint)
    if get_origin(hint) in (Union, UnionType):
        named = Sequence[str] in arguments and is_text(value)
        return named or any(value_fits(value, argument) for argument in arguments)
    if isinstance(value, dict) and TARGET in value:
        return hint not in (int, float, bool, NoneType)
    if get_origin(hint) is Literal:
        return value in arguments
    if kind is None:  # what is one of our components has a `_target_`
        return not (isinstance(hint, type) and hint.__module__.startswith("clirbench."))
    if not kind[1](value) or kind is not KINDS[Sequence]:
        return bool(kind[1](value))
    # In a list a number is a name too.
    return all(is_text(one) if arguments[0] is str else value_fits(one, arguments[0]) for one in value)


def words(hint: Any) -> str:
    """What a type is called in a message."""
    if get_origin(hint) in (Union, UnionType):
        return " or ".join(dict.fromkeys(map(words, get_args(hint))))
    if get_origin(hint) is Literal:
        return f"one of {', '.join(map(str, get_args(hint)))}"
    return _kind(hint)[0] if _kind(hint) else getattr(hint, "__name__", str(hint))


def _components(node: Any, key: str) -> Iterator[tuple[str, dict[str, Any], Mapping[str, inspect.Parameter]]]:
    """(its key, the component, what its constructor takes) of a node and of all in it that are ours."""
    children = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for name, child in children:
        yield from _components(child, f"{key}.{name}")
    if isinstance(node, dict) and (constructor := _located(node.get(TARGET))) is not None:
        yield key, node, inspect.signature(constructor).parameters


def _located(target: object) -> Any:
    """The class or function of a dotted name; None for one that Hydra will report as not found."""
    module, _, name = str(target).rpartition(".")
    if not module.startswith("clirbench."):
        return None  # importing is running: what is not ours is first imported when it is built
    try:
        return getattr(import_module(module), name, None)
    except ImportError:
        return None


def _hints(constructor: Any) -> dict[str, Any]:
    try:
        return get_type_hints(constructor.__init__ if inspect.isclass(constructor) else constructor)
    except (NameError, TypeError):  # a type that is imported for type checkers alone
        return {}
