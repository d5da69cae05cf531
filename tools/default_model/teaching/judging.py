"""Mean average precision, right first, and how well the best score tells lists with an answer from those without."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from tools.default_model.teaching.arrays import Lists

Table = dict[str, dict[str, float]]


def judge(file: Mapping[str, Any], lists: Lists, scores: np.ndarray, wanted: Callable[[str], bool]) -> Table:
    """By the kind of list; without lists that have no answer for the first two."""
    names, kind = file["kinds"].tolist(), file["kind"]
    found: Table = {}
    for number, name in enumerate(names):
        if not wanted(name):
            continue
        precision, first, best, answered = [], [], [], []
        for one in np.flatnonzero(kind == number):
            inside = slice(lists.bounds[one], lists.bounds[one + 1])
            right = lists.labels[inside] > 0
            best.append(scores[inside].max())
            answered.append(right.any())
            if right.any():
                order = right[np.argsort(-scores[inside], kind="stable")]
                precision.append(float((np.cumsum(order) / np.arange(1, len(order) + 1))[order].mean()))
                first.append(float(order[0]))
        found[name] = {
            "map": float(np.mean(precision)),
            "first": float(np.mean(first)),
            "auc": area(np.array(best), np.array(answered)),
        }
    return found


def area(values: np.ndarray, positive: np.ndarray) -> float:
    """Under the curve: how often a positive one is above another. Ties count half."""
    if positive.all() or not positive.any():
        return float("nan")
    yes, no = values[positive], values[~positive]
    return float((yes[:, None] > no).mean() + 0.5 * (yes[:, None] == no).mean())


def spell(table: Table) -> str:
    mean = np.mean([row["map"] for row in table.values()])
    parts = (f"{name} {row['map']:.3f}/{row['first']:.2f}/{row['auc']:.2f}" for name, row in table.items())
    return f"mean {mean:.4f} | " + " | ".join(parts)
