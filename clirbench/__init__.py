"""clirbench: does an MT metric predict retrieval quality, how sure is that, and which checkpoint to ship.

`import clirbench as cb` loads nothing: a package lists its names in its `__init__.pyi`, for type checkers and for
`names`, and each is loaded when it is used.
"""

import sys
from collections.abc import Callable
from functools import cache
from importlib import import_module
from pathlib import Path

__version__ = "0.1.0"

# `python -m clirbench.fetch` is `clirbench fetch`: commands are found one folder higher than they lie.
__path__ = [*__path__, str(Path(__file__).with_name("commands"))]


@cache
def places(package: str) -> dict[str, tuple[str, str]]:
    """The names that a package offers, each with the module and the name that it stands for."""
    import ast  # here, because a start needs none of it

    stub = Path(str(sys.modules[package].__file__)).with_suffix(".pyi")
    found: dict[str, tuple[str, str]] = {}
    for node in ast.parse(stub.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("clirbench"):
            found |= {one.asname or one.name: (node.module, one.name) for one in node.names}
        elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Name):
            found[node.targets[0].id] = found.pop(node.value.id)  # type: ignore[attr-defined]
    return found


def names(package: str) -> tuple[Callable[[str], object], Callable[[], list[str]]]:
    """`__getattr__` and `__dir__` of a package."""

    def offered(name: str) -> object:
        if name == "__all__":
            return list(places(package))
        if name.startswith("_") or name not in places(package):
            near = import_module("clirbench.errors").closest_match(name, [*places(package)])
            raise AttributeError(f"{package} has no {name!r}; it has {', '.join(places(package))}.{near}")
        module, original = places(package)[name]
        if f"{module}.{original}" in sys.modules or module == package:
            return import_module(f"{module}.{original}")
        try:
            return getattr(import_module(module), original)
        except ModuleNotFoundError as error:
            laboratory = ".".join(module.split(".")[:3])
            if not str(error.name).startswith("clirbench.labs") or not laboratory.startswith(str(error.name)):
                raise
            said = f"{package}.{name}: its laboratory {laboratory} is not installed"
        raise AttributeError(said)

    return offered, lambda: [*places(package), *(name for name in vars(sys.modules[package]) if name[:2] == "__")]


__getattr__, __dir__ = names(__name__)
