"""The command line as a test calls it: in this process, or in one of its own where that is the point."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

from anselm import cli

FAQ = "Parking is free.\nThe shop opens at nine in the morning.\nReturns are accepted for 30 days.\n"
QUESTION = "When does the shop open in the morning?"


class Pipe(io.BytesIO):
    """With a number, as files have one, which may be turned away from."""

    def __init__(self) -> None:
        super().__init__()
        self.number = os.open(os.devnull, os.O_WRONLY)

    def fileno(self) -> int:
        return self.number


class Done(NamedTuple):
    returncode: int
    stdout: bytes
    stderr: bytes


def anselm(*arguments: str | Path, stdin: bytes | None = None) -> Done:
    """In this process, without the start of one; what is written is what a pipe would get."""
    pipes = Pipe(), Pipe()
    out, err = (io.TextIOWrapper(pipe, encoding="utf-8", write_through=True) for pipe in pipes)
    given = io.TextIOWrapper(io.BytesIO(stdin or b""), encoding="utf-8")
    streams = {"argv": ["anselm", *map(str, arguments)], "stdin": given, "stdout": out, "stderr": err}
    with patch.multiple(sys, **streams):
        try:
            cli.main()
        except SystemExit as left:
            code = left.code
    for pipe in pipes:
        os.close(pipe.number)
    return Done(int(code or 0), *(pipe.getvalue() for pipe in pipes))


def anselm_process(
    *arguments: str | Path, stdin: bytes | None = None, **environment: str
) -> subprocess.CompletedProcess[bytes]:
    """In a process of its own, with its encoding, its standard streams and its modules."""
    command = [sys.executable, "-m", "anselm", *map(str, arguments)]
    return subprocess.run(command, input=stdin, capture_output=True, env=os.environ | environment)


def as_json(*arguments: str | Path, stdin: bytes | None = None) -> Any:
    done = anselm(*arguments, "--json", stdin=stdin)
    assert done.returncode == 0, done.stderr.decode()
    return json.loads(done.stdout)
