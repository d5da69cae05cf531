"""What a student knows, written down, and what it thinks of the dev lists."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import torch
from safetensors.torch import save_file
from torch import Tensor

from tools.default_model.teaching.arrays import Data, labelled_lists
from tools.default_model.teaching.judging import judge, spell
from tools.default_model.teaching.lessons import PRESENT, PRESENT_ENTRIES, entry_units
from tools.default_model.teaching.scoring import pair_scores, say
from tools.default_model.teaching.small import Small

if TYPE_CHECKING:
    from tools.default_model.teaching.pupils import Pupil

PART = 11_500_000  # bytes of weights in a folder
MADE = ("few candidates", "short documents", "mixtures")  # of other lists


def save(pupil: Pupil, out: Path) -> None:
    """Running means, in half precision, split into folders."""
    names = [name for name, one in pupil.model.named_parameters() if one.requires_grad]
    if isinstance(pupil.model, Small):
        names = pupil.model.names
    state = {name: one.half().contiguous().cpu() for name, one in zip(names, pupil.mean.weights, strict=True)}
    for number, part in enumerate(parts_of(state)):
        folder = out.with_name(f"{out.name}-{number + 1}") if number else out
        folder.mkdir(exist_ok=True)
        save_file(part, folder / f"{pupil.name}-{number}.partial")
        (folder / f"{pupil.name}-{number}.partial").rename(folder / f"{pupil.name}-{number}.safetensors")


def parts_of(state: dict[str, Tensor]) -> list[dict[str, Tensor]]:
    """So many that none is too large."""
    parts: list[dict[str, Tensor]] = [{}]
    for name, one in state.items():
        if sum(each.nbytes for each in parts[-1].values()) + one.nbytes > PART and parts[-1]:
            parts.append({})
        parts[-1][name] = one
    return parts


def look_at(pupil: Pupil, judged: Data, path: Path, cosines: np.ndarray) -> None:
    """What the running mean of its weights thinks of the dev lists."""
    look, own = labelled_lists(judged.file), pupil.weights()
    before = [one.detach().clone() for one in own]
    with torch.no_grad():
        for one, mean in zip(own, pupil.mean.weights, strict=True):
            one.copy_(mean)
        pupil.model.eval()
        scores = pair_scores(judged, look, "small", lambda row: pupil.score(row)[0])
        pupil.model.train()
        for one, kept in zip(own, before, strict=True):
            one.copy_(kept)
    np.savez_compressed(path, scores=scores.astype(np.float16))
    if pupil.name == "default" and len(cosines):
        weights = np.where(entry_units(judged)[look.units][:, None], PRESENT_ENTRIES, PRESENT)
        scores = weights[:, 0] * scores + weights[:, 1] * cosines
    say(pupil.name, spell(judge(judged.file, look, scores, lambda name: name.split("/")[0] not in MADE)))


def keep(pupils: Sequence[Pupil], judged: Data, out: Path, cosines: np.ndarray) -> None:
    for one in pupils:
        save(one, out)
    for one in pupils:
        look_at(one, judged, out / f"judged-{one.name}.npz", cosines)


def small_cosines(parts: Path) -> np.ndarray:
    """By the small encoder, of the dev lists, once the teacher has written them."""
    path = parts / "judged.npz"
    return np.load(path)["small"].astype(np.float32) if path.exists() else np.empty(0)
