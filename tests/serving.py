"""`anselm serve` in a process of its own, for tests that talk to it over HTTP."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def serving(*options: str, **environment: str) -> Iterator[str]:
    """The address of a service that runs until the end of the block."""
    command = [sys.executable, "-m", "anselm", "serve", "--port", "0", "--processes", "1", *options]
    started = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env={**os.environ, **environment})
    assert started.stderr is not None
    try:
        found = re.search(r"http://\S+?(?=,)", started.stderr.readline())
        assert found, started.stderr.read()
        yield found[0]
    finally:
        started.terminate()
        started.communicate(timeout=60)
