"""The laboratories that are installed: packages that add to the core, found without being loaded.

An entry point of the group `clirbench.labs` names a package. Its folder may hold

    conf/               configurations, as the core's: `conf/metric/NAME.yaml`, `conf/experiment/NAME.yaml`
    conf/joining.yaml   analyses that join runs nobody asked it of (`composing.py`)
    commands/           `clirbench NAME` is the module `commands/NAME.py`
    hooks.py            functions by the names in `HOOKS`, loaded when the core has something to ask
    reaches.yaml        of ours: components that do more than read files and compute (`building.py`)

so that a package of anybody's works like ours.

Measures by their names, those of laboratories too.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from clirbench.errors import ConfigError

if TYPE_CHECKING:
    from clirbench.measures.base import Measure

HERE = Path(__file__).resolve().parents[1]
# In a wheel conf/ lies inside the package, in a checkout beside it.
CONF = HERE / "conf" if (HERE / "conf").is_dir() else HERE.parent / "conf"
GROUP = "clirbench.labs"
HOOKS = ("is_kept", "after_sweep", "measures")
"""`is_kept(path)`: whether a file that it made below the cache, which the plan of a run names, is there and whole.

`after_sweep(folder, jobs, settings, failed)`: the files that it wrote about the finished runs of a sweep; `settings`:
the key `pool`, `failed`: why conditions (`KEY=VALUE ...`) have no results.

`measures()`: by the name of each measure that it adds, its class and what the name sets: `{"mAQWV": (AQWV, {"empty":
"modified"})}`.
"""


@cache
def laboratories() -> dict[str, Path]:
    """The folder of each installed laboratory by its package, ordered by name; raises `ConfigError` for a missing
    package."""
    named = {(point.name, point.value) for point in entry_points(group=GROUP)}  # one installed twice is one
    return {package: _folder(name, package) for name, package in sorted(named)}


def _folder(name: str, package: str) -> Path:
    """The folder of a package, whose modules stay unloaded."""
    try:
        spec = find_spec(package)
    except ModuleNotFoundError:  # of the package that it is in
        spec = None
    if spec is None or not spec.submodule_search_locations:
        raise ConfigError(f"laboratory {name!r}: its package {package} is missing; install or uninstall it")
    return Path(spec.submodule_search_locations[0])


def config_folders() -> list[Path]:
    """The folders of configurations of all laboratories."""
    return [conf for folder in laboratories().values() if (conf := folder / "conf").is_dir()]


def commands() -> dict[str, str]:
    """The module of each command, the core's first; its `main` takes the arguments.

    Raises `ConfigError` for two of one name.
    """
    found: dict[str, str] = {}
    for package, folder in [("clirbench", HERE), *laboratories().items()]:
        for path in sorted((folder / "commands").glob("[!_]*.py")):
            module, known = f"{package}.commands.{path.stem}", found.get(path.stem)
            if known:
                raise ConfigError(f"command {path.stem!r}: {known} and {module} have this name; uninstall one of them")
            if module != "clirbench.commands.base":
                found[path.stem] = module
    return found


def described_commands() -> str:
    """A line for each command: its name, and what the first sentence of its module says; none is loaded."""
    folders, lines = {"clirbench": HERE, **laboratories()}, []
    for name, module in commands().items():
        text = (folders[module.rpartition(".commands.")[0]] / "commands" / f"{name}.py").read_text(encoding="utf-8")
        said = " ".join(text.partition('"""')[2].partition('"""')[0].partition("`: ")[2].split())  # its docstring
        lines.append(f"{name:<10} {said.partition('. ')[0].removesuffix('.')}".rstrip())
    return "\n".join(sorted(lines))


def hooks(name: str) -> Iterator[Callable[..., Any]]:
    """What laboratories have to say where the core asks: each function of this name, one of `HOOKS`."""
    for package, folder in laboratories().items():
        if (folder / "hooks.py").is_file():
            function = getattr(import_module(f"{package}.hooks"), name, None)
            if function is not None:
                yield function


def config_parts(group: str) -> list[Path]:
    """The folder of a group of the configuration in the core, and those in laboratories."""
    return [path for folder in (CONF, *config_folders()) if (path := folder / group).is_dir()]


def choices(group: str, more: Sequence[Path] = ()) -> dict[str, Path]:
    """The file of each choice of a group, by its name; `more`: further folders of configurations."""
    places = [*config_parts(group), *(folder / group for folder in more)]
    return {path.stem: path for place in places for path in place.glob("*.yaml")}


def parse(name: str) -> "Measure":
    """The measure that a name means; its column is called as the user wrote it.

    Raises `UnknownName` (choices, closest match) for a name nobody knows, `ConfigError` for a wrong parameter.
    """
    from clirbench.measures import parsing  # which loads libraries that the help does not need

    return parsing.parse(name, measures_of_laboratories)


@cache
def measures_of_laboratories() -> dict[str, Any]:
    """The measures that laboratories add; which are loaded for a name that only they may know."""
    return {name: kind for measures in hooks("measures") for name, kind in measures().items()}


def measure_of(measure: Any) -> Any:
    """A measure by its name, or as an object of ir_measures (`nDCG @ 10`), as ours; any other object as it is."""
    theirs = type(measure).__module__.partition(".")[0] == "ir_measures"
    return parse(str(measure)) if theirs or isinstance(measure, str) else measure


def is_measure(name: str) -> bool:
    """Whether a name is that of a measure."""
    from clirbench.measures import parsing  # as in `parse`

    return parsing.is_measure(name, measures_of_laboratories)
