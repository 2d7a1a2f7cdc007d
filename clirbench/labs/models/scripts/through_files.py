"""A command of a user that takes files: `{source}`, `{output}` of a translator; `{hypothesis}`, `{reference}`,
`{source}` of a metric, which then prints a score a line. All lines go through one call, by /bin/sh.
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
    if "--about" not in sys.argv:
        lines = sys.stdin.buffer.read().decode("utf-8").split("\n")[:-1]
        with tempfile.TemporaryDirectory(prefix="clirbench-") as folder:
            rows = (
                [json.loads(line) for line in lines]
                if "{hypothesis}" in settings["command"]
                else [{"source": x} for x in lines]
            )
            command, output = settings["command"], Path(folder) / "output.txt"
            for mark in rows[0] if rows else ():
                path = Path(folder) / f"{mark}.txt"
                path.write_bytes("".join(f"{row[mark]}\n" for row in rows).encode("utf-8", "replace"))
                command = command.replace(f"{{{mark}}}", shlex.quote(str(path)))
            done = subprocess.run(
                ["/bin/sh", "-c", command.replace("{output}", shlex.quote(str(output)))],
                input=None
                if "{source}" in settings["command"] or "{hypothesis}" in settings["command"]
                else "".join(f"{line}\n" for line in lines).encode(),
                stdout=subprocess.PIPE,
                check=False,
            )
            if done.returncode:
                sys.exit(done.returncode % 256)
            if "{output}" in settings["command"] and not output.is_file():
                sys.exit("ended well but wrote no {output} file")
            written = output.read_bytes() if "{output}" in settings["command"] else done.stdout
            for line in written.removesuffix(b"\n").split(b"\n"):
                if settings.get("pattern"):
                    found = re.search(settings["pattern"], line.decode("utf-8", "replace"))
                    line = found.group(1).encode() if found else b""
                    if not found:
                        continue
                sys.stdout.buffer.write(line + b"\n")


if __name__ == "__main__":
    main()
