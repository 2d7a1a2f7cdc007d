"""Rules of the design that no single module can break unseen."""

import ast
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points, packages_distributions
from importlib.util import find_spec
from pathlib import Path

import pytest
import yaml

PACKAGE = Path(__file__).resolve().parents[1] / "clirbench"
ROOT = PACKAGE.parent
HEAVY = {"numba", "matplotlib", "jnius", "torch", "pandas", "nltk", "ir_measures", "hydra", "omegaconf", "joblib"}

PAGE = (ROOT / "docs" / "explanation" / "architecture.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| (\d+) \| ([^|]*) \|", PAGE, re.MULTILINE)
FLOORS = [re.findall(r"`(\w+)`", rooms) for _, rooms in sorted(ROWS, key=lambda row: int(row[0]))]
"""The rooms of the core, from below, as the architecture page has them; each laboratory is a room above them all."""
LABS = sorted(path.name for path in (PACKAGE / "labs").iterdir() if (path / "__init__.py").is_file())
FLOOR = {room: floor for floor, rooms in enumerate((*FLOORS, [f"labs.{name}" for name in LABS])) for room in rooms}
PUBLIC = {
    (module, name)
    for line in (ROOT / "docs" / "reference" / "public.txt").read_text(encoding="utf-8").splitlines()
    if line and not line.startswith("#")
    for module, names in [line.split(": ")]
    for name in names.split(", ")
}
"""(module, name): what the core offers to laboratories."""

GROUPS = {
    "analyzer": "retrieval.analyzers",
    "corpus": "corpora",
    "engine": "engines",
    "metric": "metrics",
    "relevance": "relevance",
    "retrieval": "retrieval",
    "retrieval/encoder": "retrieval",
    "systems": "systems",
    "topics": "topics",
}
"""Each group of conf/, and the room that its components are in; those in conf/ of a laboratory are in that."""


def module_name(path: Path) -> str:
    """`measures.rbo`; a package is named like its folder."""
    parts = path.relative_to(PACKAGE).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {
    module_name(path): path for path in PACKAGE.rglob("*.py") if path.parent != PACKAGE or path.stem != "__init__"
}


@cache
def nodes(source: str) -> tuple[ast.AST, ...]:
    """All of a module's syntax."""
    return tuple(ast.walk(ast.parse(source)))


@cache
def imports(source: str) -> frozenset[str]:
    """Full names of everything a module imports, anywhere in it; of `from a import b` both `a` and `a.b`."""
    found = set()
    for node in nodes(source):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return frozenset(found)


def inner(source: str) -> set[str]:
    """The modules of this package that a module imports, without the package's name."""
    ours = {name.removeprefix("clirbench.") for name in imports(source) if name.startswith("clirbench.")}
    return {name for name in ours if name in MODULES}


def room(module: str) -> str:
    parts = module.split(".")
    return ".".join(parts[:2]) if parts[0] == "labs" and len(parts) > 1 else parts[0]


def broken_floors(sources: Mapping[str, str]) -> list[str]:
    """Every import that leads to the same floor (outside its room) or up."""
    return [
        f"{module} imports {other}"
        for module, source in sources.items()
        for other in sorted(inner(source))
        if room(other) != room(module) and not allowed(room(module), room(other))
    ]


def allowed(importer: str, imported: str) -> bool:
    together = FLOOR[imported] == FLOOR[importer] and importer != "engines" and not importer.startswith("labs.")
    return FLOOR[imported] < FLOOR[importer] or together


def taken_from_the_core(source: str) -> set[tuple[str, str]]:
    """(module, name) of all that a module imports from the core; a module as a whole is (package, module)."""
    found = set()
    for node in nodes(source):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.partition(".")[0] == "clirbench":
            if not node.module.startswith("clirbench.labs"):
                found |= {(node.module, alias.name) for alias in node.names}
        elif isinstance(node, ast.Import):
            found |= {
                tuple(alias.name.rpartition(".")[::2]) for alias in node.names if alias.name.startswith("clirbench.")
            }
    return found  # type: ignore[return-value]


def circle(sources: Mapping[str, str]) -> list[str]:
    """Modules that import each other in a circle, if there are any."""
    edges = {module: inner(source) - {module} for module, source in sources.items()}
    # A package is imported before its modules and imports nothing.
    done: set[str] = set()

    def visit(module: str, path: tuple[str, ...]) -> list[str]:
        if module in path:
            return [*path[path.index(module) :], module]
        if module in done:
            return []
        for other in sorted(edges.get(module, ())):
            if found := visit(other, (*path, module)):
                return found
        done.add(module)
        return []

    for module in sources:
        if found := visit(module, ()):
            return found
    return []


SOURCES = {module: path.read_text(encoding="utf-8") for module, path in MODULES.items()}


def test_the_folder_of_runs_is_there_and_git_ignores_what_is_put_into_it() -> None:
    """The agreed layout names runs/; a rule for the folder itself would hide its README from git as well."""
    assert len((ROOT / "runs/README.md").read_text(encoding="utf-8").splitlines()) == 3
    rules = (ROOT / ".gitignore").read_text(encoding="utf-8").splitlines()
    assert [rule for rule in rules if "runs" in rule] == ["/runs/*", "!/runs/README.md"]


def test_every_room_has_a_floor() -> None:
    assert [int(number) for number, _ in ROWS] == list(range(len(ROWS), 0, -1))
    assert re.findall(r"^\| `(\w+)` \|", PAGE.partition("## Laboratories")[2].partition("## ")[0], re.MULTILINE) == LABS
    assert {room(module) for module in MODULES} - {"data", "labs"} == set(FLOOR)


def test_a_room_imports_lower_ones_only() -> None:
    assert broken_floors({name: source for name, source in SOURCES.items() if room(name) not in ("data", "labs")}) == []


def test_a_laboratory_imports_only_what_is_public() -> None:
    """And all that is public is wanted by a laboratory."""
    found = {
        name
        for module, source in SOURCES.items()
        if room(module) in FLOOR and room(module).startswith("labs.")
        for name in taken_from_the_core(source)
    }
    assert sorted(found - PUBLIC) == []
    assert sorted(PUBLIC - found) == []


def test_no_circle() -> None:
    assert circle(SOURCES) == []


@pytest.mark.parametrize(
    ("module", "line"),
    [
        ("measures.rbo", "from clirbench.result import Result"),
        ("statistics.grades", "if TYPE_CHECKING:\n    from clirbench.report import facts"),
        ("errors", "def late():\n    from clirbench.store.store import Store"),
        ("report.tables", "from clirbench.labs.papers.published import PaperCell"),
        ("labs.search.libraries", "from clirbench.labs.models import dense"),
    ],
)
def test_a_forbidden_import_is_found(module: str, line: str) -> None:
    changed = {**SOURCES, module: f"{SOURCES[module]}\n{line}\n"}
    assert (
        len(broken_floors({name: source for name, source in changed.items() if room(name) not in ("data", "labs")}))
        >= 1
    )


def test_a_circle_is_found() -> None:
    changed = {**SOURCES, "errors": f"{SOURCES['errors']}\nfrom clirbench import later\n"}
    changed["later"] += "\nfrom clirbench.errors import shorten\n"
    assert set(circle(changed)) == {"errors", "later"}


def test_packages_import_nothing() -> None:
    """Not even when a name is asked for: what a package imports would be part of the key of all its modules."""
    for path in PACKAGE.rglob("__init__.py"):
        found = [name for name in imports(path.read_text(encoding="utf-8")) if name.startswith("clirbench")]
        assert found == [], path


def test_rooms_are_small_enough_to_look_around_in() -> None:
    assert len(list(PACKAGE.glob("*.py"))) <= 15
    for folder in {path.parent for path in PACKAGE.rglob("*.py")} - {PACKAGE}:
        assert len(list(folder.glob("*.py"))) <= 24, folder


def test_the_laboratories_that_are_declared_are_installed() -> None:
    """Those of an environment that was made before a laboratory was added would be missing in generated files too."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    declared = project["entry-points"]["clirbench.labs"]
    installed = {point.name: point.value for point in entry_points(group="clirbench.labs")}
    assert sorted(declared) == LABS
    assert declared.items() <= installed.items(), "run make install"


def test_tests_mirror_the_package() -> None:
    rooms = {path.parent.relative_to(ROOT / "tests") for path in (ROOT / "tests").rglob("test_*.py")}
    for folder in rooms - {Path(), Path("browser"), Path("docs"), Path("fuzz"), Path("net")}:
        assert (PACKAGE / folder).is_dir() or (PACKAGE / folder).with_suffix(".py").is_file(), folder


CONFS = {"": ROOT / "conf", **{f"labs.{name}": PACKAGE / "labs" / name / "conf" for name in LABS}}
"""The folders of configurations, by the room whose components they name."""


def components() -> Iterator[tuple[str, Path, str]]:
    """(room, file, target) of each component that conf/ and the laboratories' conf/ name."""
    found = [(lab, path) for lab, folder in CONFS.items() for path in sorted(folder.rglob("*.yaml"))]
    for lab, path in found:
        group = path.parent.relative_to(CONFS[lab]).as_posix()
        if lab or group in GROUPS:
            nodes = [yaml.safe_load(path.read_text(encoding="utf-8"))]
            for node in nodes:
                if isinstance(node, dict):
                    nodes += node.values()
                    if "_target_" in node:
                        yield lab or GROUPS[group], path, node["_target_"]
                        break


def test_a_name_in_conf_leads_to_its_module() -> None:
    found = list(components())
    assert len(found) > 100
    for of, path, target in found:
        where = (f"clirbench.{of}.",) if not of.startswith("labs.") else (f"clirbench.{of}.", *OF_THE_CORE)
        assert target.startswith(where), path
        if path.parent.name == "analyses":
            assert f"{{: #{path.stem} }}" in (ROOT / "docs/how-to/analyses.md").read_text(encoding="utf-8"), path


OF_THE_CORE = tuple(f"clirbench.{room}." for room in ("corpora", "datasets", "topics", "relevance", "systems"))
"""What experiments of a laboratory may configure besides its own components."""


def class_homes(sources: Mapping[str, str]) -> dict[str, list[str]]:
    """The modules that define each class."""
    homes: dict[str, list[str]] = {}
    for module, source in sources.items():
        for node in nodes(source):
            if isinstance(node, ast.ClassDef):
                homes.setdefault(node.name, []).append(module)
    return homes


def test_no_two_classes_have_one_name() -> None:
    """Wherever they are, in the core or in laboratories: a class is a noun, and means one thing."""
    assert {name: homes for name, homes in class_homes(SOURCES).items() if len(homes) > 1} == {}
    doubled = {**SOURCES, "later": f"{SOURCES['later']}\nclass Topic:\n    pass\n"}
    assert sorted(class_homes(doubled)["Topic"]) == ["later", "types"]


def top(source: str) -> set[str]:
    return {name.partition(".")[0] for name in imports(source)}


OF_ALL = (
    "docs", "test_architecture.py", "test_core_wheel.py", "configuration/test_reach.py",
    "statistics/test_validity.py",
)  # fmt: skip
"""Tests of the whole project."""
HELPERS = ("tests.", "benchmarks.")


@cache
def loaded_by(path: Path) -> frozenset[str]:
    """What the statements at the top of a module import."""
    top_level = [node for node in ast.parse(path.read_text(encoding="utf-8")).body if loads(node)]
    return imports(ast.unparse(ast.Module(top_level, [])))


def loaded_with(path: Path, seen: set[Path]) -> set[str]:
    """The laboratories' modules that a module of tests loads, itself or by helpers in tests/ and benchmarks/."""
    seen.add(path)
    names = loaded_by(path)
    helpers = {(ROOT / Path(*name.split("."))).with_suffix(".py") for name in names if name.startswith(HELPERS)}
    further = [loaded_with(helper, seen) for helper in helpers - seen if helper.is_file()]
    outside = {name for name in names if name.startswith(("clirbench.labs.", "tests.labs."))}
    return outside.union(*further)


def loads(node: ast.stmt) -> bool:
    """Whether a statement at the top of a module is executed and may import."""
    return isinstance(node, ast.Import | ast.ImportFrom | ast.Try | ast.With | ast.If) and not (
        isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)
    )


def foreign(path: Path) -> set[str]:
    """What a module of tests loads that is neither of the core nor of its own laboratory."""
    parts = path.relative_to(ROOT / "tests").parts
    own = (f"clirbench.labs.{parts[1]}", f"tests.labs.{parts[1]}") if parts[0] == "labs" else ()
    return {name for name in loaded_with(path, set()) if not f"{name}.".startswith(tuple(f"{one}." for one in own))}


def test_tests_load_the_core_and_their_own_laboratory() -> None:
    paths = [path for path in (ROOT / "tests").rglob("*.py") if "__pycache__" not in path.parts]
    kept = [path for path in paths if not path.relative_to(ROOT / "tests").as_posix().startswith(OF_ALL)]
    assert len(kept) > 200
    assert {str(path.relative_to(ROOT)): names for path in kept if (names := foreign(path))} == {}


def test_a_test_that_loads_another_laboratory_is_found(tmp_path: Path) -> None:
    path = tmp_path / "test_x.py"
    path.write_text(
        "import tests.labs.models\nimport benchmarks.stopping\ndef f():\n    import clirbench.labs.papers\n"
    )
    loaded = loaded_with(path, set())
    assert "tests.labs.models" in loaded
    assert any(name.startswith("clirbench.labs.watching.") for name in loaded)
    assert not any(name.startswith("clirbench.labs.papers") for name in loaded)


def test_hydra_stops_at_the_command_line_and_the_configuration() -> None:
    users = {module for module, source in SOURCES.items() if top(source) & {"hydra", "omegaconf"}}
    assert users == {"__main__", *(f"configuration.{name}" for name in ("building", "composing"))}


def test_no_pickle_is_ever_loaded() -> None:
    assert [module for module, source in SOURCES.items() if top(source) & {"pickle", "cloudpickle", "dill"}] == []


def test_what_is_imported_is_declared_and_what_is_declared_is_imported() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    lists = [project["dependencies"], *project["optional-dependencies"].values()]
    names = [[normal(re.split(r"[<>=\[ ]", line)[0]) for line in lines] for lines in lists]
    base, declared = set(names[0]), {name for lines in names for name in lines}
    by_module = {module: {normal(name) for name in found} for module, found in packages_distributions().items()}
    imported = {name for source in SOURCES.values() for name in top(source)} - {"clirbench", *sys.stdlib_module_names}
    # Libraries of extras that are not installed everywhere have the name of their distribution.
    assert {name for name in imported if not by_module.get(name, {normal(name)}) & declared} == BROUGHT_ALONG
    assert base - {name for module in imported for name in by_module.get(module, ())} == PROMISED
    assert not base & OF_MODELS


BROUGHT_ALONG = {"jnius", "jnius_config", "safetensors"}
"""Imported, and brought along by an extra that is declared: pyserini's bridge to Java, the files of transformers."""
OF_MODELS = {"torch", "transformers", "tokenizers", "wordllama", "ctranslate2", "sentencepiece", "safetensors"}
"""Libraries that load models: never part of the base install, nor imported by what may use them."""
PROMISED = {"snowballstemmer"}
"""Loaded by the name of a language."""


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def test_importing_is_silent_and_light() -> None:
    code = "import sys, clirbench, clirbench.types, clirbench.measures; print(*sorted(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr == ""
    assert not HEAVY & {name.split(".")[0] for name in done.stdout.split()}


def test_what_may_load_a_model_imports_nothing_of_it() -> None:
    parts = [name for name in MODULES if name.startswith(("labs.models", "systems.")) or name == "steps"]
    assert len(parts) > 20
    code = f"import sys, importlib; [importlib.import_module(n) for n in {[f'clirbench.{n}' for n in parts]}]"
    code = f"{code}; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not OF_MODELS & {name.split(".")[0] for name in done.stdout.split()}


def test_what_benchmarks_and_generators_import_is_there() -> None:
    """They run by hand, so a name that moved would be missed there last."""
    places = [*(ROOT / "benchmarks").glob("*.py"), *(ROOT / "docs" / "generator").glob("*.py")]
    wanted = [
        (path.name, node.module, name.name)
        for path in places
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("clirbench")
        for name in node.names
    ]
    assert len(wanted) > 80
    missing = [
        f"{file}: from {module} import {name}"
        for file, module, name in wanted
        for found in [import_module(str(module))]
        if not hasattr(found, name) and not (hasattr(found, "__path__") and find_spec(f"{module}.{name}"))
    ]
    assert missing == []
