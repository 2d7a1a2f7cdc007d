"""numba's `njit`, through which all of clirbench imports numba: no file of the current folder configures it.

numba reads `.numba_config.yaml` of the current folder when it is loaded and before each compilation. The file can
name the folder of numba's cache, which is unpickled. Its environment variables (`NUMBA_*`) are the user's, and count.
"""

import os

_is_file = os.path.isfile
os.path.isfile = lambda path: path != ".numba_config.yaml" and _is_file(path)  # while numba is loaded
try:
    from numba import njit as njit
    from numba.core import config
finally:
    os.path.isfile = _is_file
config._config_fname = os.devnull  # before each compilation, and where numba was loaded before
config.reload_config()  # type: ignore[no-untyped-call]
