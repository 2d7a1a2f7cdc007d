"""What is there to choose? `python benchmarks/inventory.py CHECKOUT [OTHER]`: with two, what only one of them has.

A line for each experiment, analysis, metric, corpus, topics, retriever, ... of the configurations, each command, each
key of a run and each measure, wherever they are: in the core or in a laboratory.
"""

import subprocess
import sys
from pathlib import Path

KEYS = "from clirbench.keys import KEYS; print(*(key.name for key in KEYS), sep='\\n')"
MEASURES = """
from clirbench.configuration.measuring import measures_of_laboratories
from clirbench.measures.parsing import OURS
print(*OURS, *measures_of_laboratories(), sep="\\n")
"""


def inventory(checkout: Path) -> set[str]:
    """The lines of a checkout."""
    homes = [checkout / "conf", *checkout.glob("clirbench/labs/*/conf")]
    found = {
        f"{path.parent.relative_to(home)}={path.stem}"
        for home in homes
        for path in home.rglob("*.yaml")
        if path.parent != home and "hydra" not in path.parts
    }
    commands = [*checkout.glob("clirbench/commands/*.py"), *checkout.glob("clirbench/labs/*/commands/*.py")]
    found |= {f"command {path.stem}" for path in commands if path.stem not in ("__init__", "base", "faults")}
    for kind, code in (("key", KEYS), ("measure", MEASURES)):
        done = subprocess.run([sys.executable, "-c", code], cwd=checkout, capture_output=True, text=True, check=True)
        found |= {f"{kind} {name}" for name in done.stdout.split("\n") if name}
    return found


def main() -> int:
    """Print the lines of one checkout, or what only one of two has; 1 where that is anything."""
    first, *rest = (Path(argument).absolute() for argument in sys.argv[1:])
    if not rest:
        print(*sorted(inventory(first)), sep="\n")
        return 0
    before, after = inventory(first), inventory(rest[0])
    print(
        *(f"- {line}" for line in sorted(before - after)), *(f"+ {line}" for line in sorted(after - before)), sep="\n"
    )
    print(f"{len(before)} before, {len(after)} after")
    return int(before != after)


if __name__ == "__main__":
    sys.exit(main())
