"""`python -m tests.net.write [--shipped] [--mirror DIR] [NAME ...]`: write digests anew, and show what changed.

Without a name all small folders; with `--shipped` the experiments that the project ships, instead. A case that ends in
an error of Python keeps its file, and the exit status is 1.
"""

import argparse
import sys
import tempfile
import time
import traceback
from collections.abc import Mapping
from pathlib import Path

from tests.conftest import SHARED
from tests.net.cases import CASES, SHIPPED, Case, Shipped
from tests.net.digests import differences, in_folder, read, write

HERE = Path(__file__).parent


def main() -> int:
    """Write, and print what changed, case by case."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shipped", action="store_true")
    parser.add_argument("--mirror", type=Path, default=SHARED, help="the folder of real data")
    parser.add_argument("names", nargs="*", metavar="NAME")
    options = parser.parse_args()
    cases: Mapping[str, Case | Shipped] = SHIPPED if options.shipped else CASES
    failed = False
    for name in options.names or cases:
        begun = time.perf_counter()
        with tempfile.TemporaryDirectory() as folder:
            try:
                experiment, settings = cases[name].ready(Path(folder), options.mirror)
                tables = in_folder(Path(folder), experiment, settings)
            except Exception:  # noqa: BLE001 - the others are written all the same
                traceback.print_exc()
                failed = True
                continue
        path = HERE / ("shipped" if options.shipped else "small") / f"{name}.tsv"
        changes = list(differences(read(path), tables))
        write(path, tables)
        print(f"{name} ({time.perf_counter() - begun:.1f} s): {f'{len(changes)} lines' if changes else 'the same'}")
        print("".join(f"    {line}\n" for line in changes), end="", flush=True)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
