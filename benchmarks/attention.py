"""Attention over all words, in windows, and within groups: time and memory of a forward and backward pass by length.

    python -m benchmarks.attention

The sizes of "Gated Group Self-Attention": width 300, 6 heads, groups of 10 with offsets 0 and 5; a window of 11 is the
odd one next to 10. Rows are full, so that global attention needs no mask and runs as PyTorch's bare fused kernel, its
strongest form. From 500 words on a batch has 8,000 words whatever their length: a way that is linear in the length
takes the same time in all of these rows, a quadratic one 16 times as long in the last as in the first.

Runs on a GPU where there is one, in bfloat16. On a CPU it runs in one thread and counts its processor time: cores may
be shared, and two threads that wait for each other after every short operation would measure the neighbours. Memory is
the peak of what PyTorch's allocator held beyond the inputs.
"""

# ruff: noqa: T201

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

WIDTH, HEADS, SIZE, WINDOW = 300, 6, 10, 11
OFFSETS = (0, 0, 0, 5, 5, 5)
BATCHES = {50: 512, 200: 128, 500: 16, 1000: 8, 2000: 4, 4000: 2, 8000: 1}  # words of a text: texts
ROUNDS = 5  # in turn, after the one that measures memory
ENOUGH = 2.0  # seconds: a way that has taken as long is not repeated
OTHERS = ("global", "local as mask", "local as gather")
PAPER = 1.28 / 0.32  # local over group, seconds a batch of the whole model: its Table 3

Step = Callable[[], object]


def main() -> None:
    try:
        import torch
    except ImportError as error:
        print(f"\n## Attention: left out, {error}")
        return
    torch.set_num_threads(1)
    device = f"{torch.cuda.get_device_name()}, bfloat16" if torch.cuda.is_available() else "one CPU thread, float32"
    print(f"\n## Attention ({device}; forward and backward, median of up to {ROUNDS} rounds in turn)")
    for title, steps in (("The attention step alone", attention_steps), ("With its projections", layer_steps)):
        times, peaks = {}, {}
        for words, batch in BATCHES.items():
            ways = steps(batch, words)
            peaks[words] = {name: peak_bytes(step) for name, step in ways.items()}
            times[words] = seconds(ways)
        show(title, times, peaks)


def ways_to_attend() -> dict[str, Any]:
    from torch.nn import functional

    from anselm.layers.attention import in_groups, in_windows, local_attention_by_mask

    return {
        "group": in_groups(HEADS, SIZE, OFFSETS),
        "global": lambda q, k, v, mask: functional.scaled_dot_product_attention(q, k, v),
        "local as mask": partial(local_attention_by_mask, window=WINDOW),
        "local as gather": in_windows(WINDOW),
    }


def place() -> dict[str, Any]:
    import torch

    gpu = torch.cuda.is_available()
    return {"device": "cuda" if gpu else "cpu", "dtype": torch.bfloat16 if gpu else torch.float32}


def attention_steps(batch: int, words: int) -> dict[str, Step]:
    """q, k, v are given, in the layout in which projections leave them."""
    import torch

    leaves = [torch.randn(batch, words, HEADS, WIDTH // HEADS, **place(), requires_grad=True) for _ in range(3)]
    mask = torch.ones(batch, words, dtype=torch.bool, device=leaves[0].device)
    gradient = torch.randn_like(leaves[0])

    def step(attend: Any) -> object:
        found = attend(*(leaf.transpose(1, 2) for leaf in leaves), mask).transpose(1, 2)  # (batch, words, heads, d)
        return torch.autograd.grad(found, leaves, gradient)

    return {name: partial(step, attend) for name, attend in ways_to_attend().items()}


def layer_steps(batch: int, words: int) -> dict[str, Step]:
    import torch

    from anselm.layers.attention import MultiHead

    x = torch.randn(batch, words, WIDTH, **place(), requires_grad=True)
    mask = torch.ones(batch, words, dtype=torch.bool, device=x.device)
    gradient = torch.randn_like(x)

    def step(layer: Any) -> object:
        return torch.autograd.grad(layer(x, mask), [x, *layer.parameters()], gradient)

    return {name: partial(step, MultiHead(WIDTH, HEADS, way).to(**place())) for name, way in ways_to_attend().items()}


def seconds(steps: dict[str, Step]) -> dict[str, float]:
    times: dict[str, list[float]] = {name: [] for name in steps}
    for _ in range(ROUNDS):
        for name, step in steps.items():
            if sum(times[name]) < ENOUGH:
                began = now()
                step()
                times[name].append(now() - began)
    return {name: median(spent) for name, spent in times.items()}


def now() -> float:
    import torch

    if not torch.cuda.is_available():
        return time.process_time()
    torch.cuda.synchronize()
    return time.perf_counter()


def peak_bytes(step: Step) -> int:
    """On a CPU the allocator's own record: a process's resident memory would count pages that it merely keeps."""
    import torch
    from torch.profiler import ProfilerActivity, profile

    if torch.cuda.is_available():
        before = torch.cuda.memory_allocated()
        torch.cuda.reset_peak_memory_stats()
        step()
        return torch.cuda.max_memory_allocated() - before
    with profile(activities=[ProfilerActivity.CPU], profile_memory=True) as record:
        step()
    with tempfile.TemporaryDirectory() as folder:
        record.export_chrome_trace(str(Path(folder) / "trace.json"))
        events = json.loads((Path(folder) / "trace.json").read_text())["traceEvents"]
    changes = [event["args"] for event in sorted(events, key=when) if event.get("name") == "[memory]"]
    before = changes[0]["Total Allocated"] - changes[0]["Bytes"]
    return int(max(change["Total Allocated"] for change in changes) - before)


def when(event: dict[str, Any]) -> float:
    return float(event.get("ts", 0))


def show(title: str, times: dict[int, dict[str, float]], peaks: dict[int, dict[str, int]]) -> None:
    print(f"\n{title}: group attention, and the others as multiples of it.\n")
    print(f"| words x texts | group, ms | µs a word | {' | '.join(OTHERS)} | group, MiB | {' | '.join(OTHERS)} |")
    print("|---" * (4 + 2 * len(OTHERS)) + "|")
    for words, spent in times.items():
        group, batch = spent["group"], BATCHES[words]
        slower = " | ".join(f"{spent[name] / group:.2f}" for name in OTHERS)
        larger = " | ".join(f"{peaks[words][name] / peaks[words]['group']:.2f}" for name in OTHERS)
        print(f"| {words:,} x {batch} | {1000 * group:.1f} | {1e6 * group / words / batch:.2f} | {slower}", end="")
        print(f" | {peaks[words]['group'] / 2**20:.0f} | {larger} |")
    growth = ", ".join(f"{name} {times[8000][name] / times[500][name]:.2f}" for name in ("group", *OTHERS))
    print(f"\n8,000 words over 500, as many in all (linear 1, quadratic 16): {growth}.")
    short, long = (times[words]["global"] / times[words]["group"] for words in (200, 2000))
    gather = times[200]["local as gather"] / times[200]["group"]
    print(f"Global over group at 200 words: {short:.2f} (wanted: 1 or more), at 2,000: {long:.2f} (5 or more).")
    print(f"Local as gather over group at 200 words: {gather:.2f}; the paper's whole models: {PAPER:.1f}.")


if __name__ == "__main__":
    main()
