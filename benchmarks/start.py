"""Starting up: `import anselm`, and `anselm rank` on 30 candidates from cold on each engine, beside bare Python."""

# ruff: noqa: T201

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from importlib.util import find_spec
from pathlib import Path

from anselm.runtime.engines import ENGINES, VARIABLE

REPEATS = 7


def seconds(*command: str, **environment: str) -> float:
    """The median wall time of a new process."""
    times = []
    for _ in range(REPEATS):
        began = time.perf_counter()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=os.environ | environment)
        times.append(time.perf_counter() - began)
    return sorted(times)[REPEATS // 2]


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "candidates.txt"
        path.write_text("".join(f"Answer {i} says that the shop opens at {i} in the morning.\n" for i in range(30)))
        python = sys.executable
        bare = seconds(python, "-c", "pass")
        rows = {
            "python -c pass": bare,
            "import anselm": seconds(python, "-c", "import anselm"),
            "import numpy": seconds(python, "-c", "import numpy"),
        }
        for engine in filter(find_spec, ENGINES):
            for options in ((), ("--json",)):
                took = seconds(python, "-m", "anselm", "rank", "When?", "-c", str(path), *options, **{VARIABLE: engine})
                rows[" ".join(["anselm rank", *options, f"({engine})"])] = took
    print(f"\n## Starting up (median of {REPEATS} new processes, {os.cpu_count()} cores; 30 candidates)\n")
    print("| command | seconds | beyond a bare interpreter |\n|---|---|---|")
    for name, value in rows.items():
        print(f"| `{name}` | {value:.3f} | {value - bare:.3f} |")


if __name__ == "__main__":
    main()
