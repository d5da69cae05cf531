"""Many programs on one machine with a GPU, side by side: python -m tools.side_by_side JOBS.json FOLDER [--seconds 1500]

JOBS are a list of objects: `id`, `command` (of bash), `memory` (GB of the GPU that it may take), and perhaps `after`
(ids of jobs that must have ended well), `files` (that must be there), `environment`, `group` with `most` (of which no
more run at once), `seconds` (after which it is ended) and `tries`: a job that fails begins again, with more memory, as
often as that. They begin in their order while memory and places last; a job that is due and does not fit holds back
those behind it, but for those of a group. FOLDER/status.txt says how each is, FOLDER/log has what they print. Whoever a
failed job was needed by is left out. What runs beside all this and is not told of takes memory from it.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

GIVEN = "GPU_MEMORY"
SLACK = 1.08
MORE = 1.35  # memory, after a failure
MEMORY, PLACES = 125.0, 15  # of one GPU with 141 GB, whose programs take half a GB each besides, and 16 cores


@dataclass(frozen=True)
class Job:
    id: str
    command: str
    memory: float
    after: Sequence[str] = ()
    files: Sequence[str] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    group: str | None = None
    most: int = 1
    seconds: float | None = None
    tries: int = 1

    @property
    def again(self) -> Job:
        return replace(self, memory=self.memory * MORE, tries=self.tries - 1)


@dataclass
class Running:
    job: Job
    process: subprocess.Popen[bytes]
    began: float

    @property
    def over(self) -> bool:
        limit = self.job.seconds
        if self.process.poll() is None and limit is not None and time.monotonic() - self.began > limit:
            end(self.process, signal.SIGKILL)
        return self.process.poll() is not None


def due(jobs: Sequence[Job], state: Mapping[str, str], memory: float, places: int) -> Iterator[Job]:
    """Those that begin now."""
    running, held = [job for job in jobs if state[job.id] == "runs"], False
    for job in jobs:
        if state[job.id] != "waits" or not ready(job, state) or (held and job.group is None):
            continue
        if job.group is not None and sum(job.group == other.group for other in running) >= job.most:
            continue
        if len(running) >= places or sum(other.memory for other in running) + job.memory > memory:
            held = True
            continue
        running.append(job)
        yield job


def ready(job: Job, state: Mapping[str, str]) -> bool:
    return all(state[one] == "done" for one in job.after) and all(Path(one).exists() for one in job.files)


def left_out(jobs: Sequence[Job], state: Mapping[str, str]) -> list[str]:
    """Those that wait for what failed, or for nobody."""
    lost, waiting = ("failed", "left out"), [job for job in jobs if state[job.id] == "waits"]
    return [job.id for job in waiting if any(state.get(one, "failed") in lost for one in job.after)]


def run(
    jobs: Sequence[Job], folder: Path, seconds: float, memory: float = MEMORY, places: int = PLACES
) -> dict[str, str]:
    logs, began, jobs = folder / "log", time.monotonic(), list(jobs)
    logs.mkdir(parents=True, exist_ok=True)
    state, running, took = {job.id: "waits" for job in jobs}, list[Running](), dict[str, float]()
    while True:
        for one in [one for one in running if one.over]:
            running.remove(one)
            state[one.job.id] = "done" if one.process.returncode == 0 else "failed"
            if state[one.job.id] == "failed" and one.job.tries > 1:
                state[one.job.id] = "waits"
                jobs[jobs.index(one.job)] = one.job.again
        state |= dict.fromkeys(left_out(jobs, state), "left out")
        for job in due(jobs, state, memory, places):
            running.append(begin(job, logs))
            state[job.id] = "runs"
        took |= {one.job.id: time.monotonic() - one.began for one in running}
        note(folder / "status.txt", state, took)
        if not {"waits", "runs"} & set(state.values()) or time.monotonic() - began > seconds:
            break
        if not running and not any(job.files for job in jobs if state[job.id] == "waits"):
            break  # what is left fits nowhere
        time.sleep(0.5 if seconds > 10 else 0.02)
    for one in running:
        end(one.process, signal.SIGTERM)
    return state


def begin(job: Job, logs: Path) -> Running:
    with (logs / f"{job.id}.log").open("wb") as log:
        process = subprocess.Popen(
            ["bash", "-c", job.command], stdout=log, stderr=subprocess.STDOUT, start_new_session=True,
            env={**os.environ, GIVEN: str(job.memory), **job.environment},
        )  # fmt: skip
    return Running(job, process, time.monotonic())


def end(process: subprocess.Popen[bytes], sign: signal.Signals) -> None:
    """And what it has started."""
    try:
        os.killpg(process.pid, sign)
        process.wait(5)
    except (ProcessLookupError, subprocess.TimeoutExpired):
        return


def note(path: Path, state: Mapping[str, str], took: Mapping[str, float]) -> None:
    lines = [f"{name} {how} {took.get(name, 0):.0f} s" for name, how in state.items() if how != "waits"]
    partial = path.with_suffix(".partial")
    partial.write_text("\n".join([f"{len(state) - len(lines)} of {len(state)} wait", *lines]) + "\n", encoding="utf-8")
    partial.replace(path)


def keep_to_memory() -> None:
    """For the job itself: it fails rather than that others do."""
    import torch

    if given := os.environ.get(GIVEN):
        whole = torch.cuda.get_device_properties(0).total_memory
        torch.cuda.set_per_process_memory_fraction(min(1.0, SLACK * float(given) * 1e9 / whole))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("jobs", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seconds", type=float, default=1500)
    parser.add_argument("--memory", type=float, default=MEMORY)
    parser.add_argument("--places", type=int, default=PLACES)
    given = parser.parse_args()
    jobs = [Job(**one) for one in json.loads(given.jobs.read_text(encoding="utf-8"))]
    run(jobs, given.folder, given.seconds, given.memory, given.places)
    (given.folder / "over").write_text("over\n", encoding="utf-8")


if __name__ == "__main__":
    main()
