"""Builds the compiled loops into the package; without a compiler, the wheel is pure Python and works without them."""

import importlib.util
import subprocess
import sysconfig
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class CompiledLoops(BuildHookInterface):
    """Compiles clirbench/native; the library uses nothing of Python, so one wheel serves every Python of a platform."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile into the folder of sources, from where an editable install and the wheel take it."""
        spec = importlib.util.spec_from_file_location("library", Path(self.root, "clirbench", "native", "library.py"))
        assert spec is not None
        assert spec.loader is not None
        library = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(library)
        try:
            path = library.build()
        except (OSError, subprocess.CalledProcessError) as error:
            said = getattr(error, "stderr", None) or error
            self.app.display_warning(f"clirbench's loops are not compiled, numpy does their work: {said}")
            return
        build_data["artifacts"].append(path.relative_to(self.root).as_posix())
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{sysconfig.get_platform().replace('-', '_').replace('.', '_')}"
