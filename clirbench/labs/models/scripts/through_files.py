"""A metric's command that takes files, `{hypothesis}`, `{reference}`, `{source}`, and prints a score a line.

All segments go through one call, by /bin/sh; of lines with other things the first group of `pattern` is the score.
"""

import json
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path


def main() -> None:
    """Run the command of the settings."""
    settings = json.loads(sys.argv[-1])
    if "--about" in sys.argv:
        return
    rows = [json.loads(line) for line in sys.stdin.buffer.read().decode("utf-8").split("\n")[:-1]]
    command = settings["command"]
    with tempfile.TemporaryDirectory(prefix="clirbench-") as folder:
        for mark in rows[0] if rows else ():
            path = Path(folder) / f"{mark}.txt"
            path.write_bytes("".join(f"{row[mark]}\n" for row in rows).encode("utf-8", "replace"))
            command = command.replace(f"{{{mark}}}", shlex.quote(str(path)))
        done = subprocess.run(["/bin/sh", "-c", command], stdout=subprocess.PIPE, check=False)
    if done.returncode:
        sys.exit(done.returncode % 256)
    for line in done.stdout.removesuffix(b"\n").split(b"\n"):
        found = re.search(settings["pattern"] or "(.*)", line.decode("utf-8", "replace"))
        if found:
            sys.stdout.buffer.write(found.group(1).encode() + b"\n")


if __name__ == "__main__":
    main()
