"""Teach the small encoder the cosines of the large one: the similarity that the default's score is a sum of.

    python -m tools.default_model.teaching.similar TEXTS.npz JUDGED.npz PARTS SMALL OUT --seconds 600

To order a list as the large encoder's cosines do, sharpened, and to have the same cosines; pulled to the weights that
it had. The table of words stays. OUT, OUT-2: the running mean of its weights; judged-similar-SHARE.npz: cosines of the
dev lists by means of old and new weights.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import save_file
from torch import Tensor, nn
from torch.nn import functional

from tools.default_model.teaching.arrays import Data, labelled_lists
from tools.default_model.teaching.lessons import Clock, Lesson, Lessons, Mean
from tools.default_model.teaching.looks import parts_of
from tools.default_model.teaching.losses import log_shares
from tools.default_model.teaching.rows import Row, by_width
from tools.default_model.teaching.scoring import Similarities, say

STEP, CHUNK = 131_072, 65_536  # tokens
RATE, PULL = 5e-5, 2.0
SHARP, CLOSE = 20.0, 5.0  # of the softmax, and how much the squared difference counts
SHARES = (0.25, 0.5, 0.75, 1.0)
WORDS = "embeddings.word_embeddings.weight"


def read(encoder: nn.Module, row: Row) -> Tensor:
    """Of length one. (rows, width)"""
    states = encoder(row.ids, attention_mask=row.shown.long()).last_hidden_state.float()
    shown = row.shown[:, :, None].float()
    return functional.normalize((states * shown).sum(1) / shown.sum(1), dim=1)


def vectors(encoder: nn.Module, rows, numbers: np.ndarray, lengths: np.ndarray, device: torch.device) -> Tensor:
    order = list(by_width(np.minimum(lengths, 254) + 2, CHUNK if device.type == "cuda" else 4096))
    with torch.autocast(device.type, torch.bfloat16, enabled=device.type == "cuda"):
        found = torch.cat([read(encoder, rows(numbers[some], "small")) for some in order])
    return found[torch.from_numpy(np.argsort(np.concatenate(order))).to(device)]


def loss_of(encoder: nn.Module, data: Data, lesson: Lesson) -> Tensor:
    owner = lesson.owner.cpu().numpy()
    asked = lesson.questions[np.unique(owner, return_index=True)[1]]
    distinct, place = np.unique(lesson.units, return_inverse=True)
    one = vectors(encoder, data.question_rows, asked, data.lengths[asked], data.device)
    two = vectors(encoder, data.unit_rows, distinct, data.lengths[data.units[distinct]].sum(axis=1), data.device)
    cosine = (one[lesson.owner] * two[torch.from_numpy(place).to(data.device)]).sum(1)
    wanted, _ = log_shares(SHARP * lesson.meant, lesson.owner, lesson.count, null=False)
    found, _ = log_shares(SHARP * cosine, lesson.owner, lesson.count, null=False)
    return (wanted.exp() * (wanted - found)).sum() / lesson.count + CLOSE * (cosine - lesson.meant).square().mean()


def save(names: list[str], weights: list[Tensor], out: Path) -> None:
    state = {name: one.half().contiguous().cpu() for name, one in zip(names, weights, strict=True)}
    for number, part in enumerate(parts_of(state)):
        folder = out.with_name(f"{out.name}-{number + 1}") if number else out
        folder.mkdir(exist_ok=True)
        save_file(part, folder / f"similar-{number}.partial")
        (folder / f"similar-{number}.partial").rename(folder / f"similar-{number}.safetensors")


@torch.no_grad()
def look(encoder: nn.Module, own: list[Tensor], origin: list[Tensor], mean: Mean, judged: Data, out: Path) -> None:
    kept, lists = [one.clone() for one in own], labelled_lists(judged.file)
    encoder.eval()
    for share in SHARES:
        for one, before, after in zip(own, origin, mean.weights, strict=True):
            one.copy_(torch.lerp(before, after, share))
        with torch.autocast(judged.device.type, torch.bfloat16, enabled=judged.device.type == "cuda"):
            cosines = Similarities(judged, "small", lambda row: read(encoder, row), lists.asked).of(lists)
        np.savez_compressed(out / f"judged-similar-{share}.npz", scores=cosines.astype(np.float16))
    for one, before in zip(own, kept, strict=True):
        one.copy_(before)
    encoder.train()


def main() -> None:
    from transformers import AutoModel

    given = parse()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.manual_seed(1)
    given.out.mkdir(parents=True, exist_ok=True)
    data, judged = Data(given.texts, device), Data(given.judged, device)
    encoder = AutoModel.from_pretrained(given.small, dtype=torch.float32, add_pooling_layer=False).to(device).train()
    named = [(name, one) for name, one in encoder.named_parameters() if name != WORDS]
    encoder.get_parameter(WORDS).requires_grad_(False)
    names, own = [name for name, _ in named], [one for _, one in named]
    origin, mean = [one.detach().clone() for one in own], Mean(own)
    optimizer = torch.optim.AdamW(own, lr=RATE, weight_decay=0.0, betas=(0.9, 0.98), fused=device == "cuda")
    lessons = Lessons(data, given.parts, STEP if device == "cuda" else 4096, patient=True)
    clock, looked, mild = Clock(given.seconds, 1e12), time.time(), 0.0
    for number, lesson in enumerate(lessons, 1):
        if number == 1:
            clock.start = time.time()
        value, rate = loss_of(encoder, data, lesson), RATE * clock.rate(number)
        value.backward()
        if torch.isfinite(torch.nn.utils.clip_grad_norm_(own, 1.0)):
            for group in optimizer.param_groups:
                group["lr"] = rate
            optimizer.step()
            with torch.no_grad():
                torch._foreach_lerp_(own, origin, PULL * rate)
            mean.add(own)
            mild = 0.98 * mild + 0.02 * value.detach() if number > 1 else value.detach()
        optimizer.zero_grad(set_to_none=True)
        if number % (100 if device == "cuda" else 1) == 0:
            say(f"step {number}, {lessons.fresh / 1e6:.2f}M fresh, {clock.gone:.3f} over, loss {float(mild):.4f}")
        if time.time() - looked > 120:
            save(names, mean.weights, given.out)
            looked = time.time()
        if clock.gone >= 1 or (device == "cpu" and number >= 3):
            break
    save(names, mean.weights, given.out)
    look(encoder, own, origin, mean, judged, given.out)
    say("done")


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("texts", "judged", "parts", "small", "out"):
        parser.add_argument(name, type=Path)
    parser.add_argument("--seconds", type=float, default=600)
    return parser.parse_args()


if __name__ == "__main__":
    main()
