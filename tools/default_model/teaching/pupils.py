"""Train students on what the teacher writes down: several fast ones side by side, or the default ranker's reader.

    python -m tools.default_model.teaching.pupils TEXTS.npz JUDGED.npz PARTS LARGE READER.onnx OUT near,read

Names are those of LATE and CROSS, or "default". Their rates fall with the time or the pairs that are left. All may
begin as an earlier one (--start) where the shapes are the same; without that, fast ones begin with what LARGE makes of
each piece, and the default's as its reader is. What is written is split into OUT, OUT-2 and so on.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import load_file
from torch import Tensor, nn

from anselm.models.frames.dequantized import thaw
from tools.default_model.teaching.arrays import Data
from tools.default_model.teaching.cross import Cross
from tools.default_model.teaching.large import Large
from tools.default_model.teaching.late import Late
from tools.default_model.teaching.lessons import (
    PRESENT,
    PRESENT_ENTRIES,
    Care,
    Clock,
    Lesson,
    Lessons,
    Mean,
    blended,
    lesson_loss,
)
from tools.default_model.teaching.looks import keep, look_at, small_cosines
from tools.default_model.teaching.rows import Row, by_width
from tools.default_model.teaching.scoring import say
from tools.default_model.teaching.small import WORDS, Small, attend_plainly

STEP, CHUNK = 131_072, 65_536  # tokens of a step, and of what is read at once
SIMILAR = 2.0  # how much the similarity of the texts as a whole counts beside the lesson


@dataclass
class Pupil:
    name: str
    model: nn.Module
    score: Callable[[Row], tuple[Tensor, Tensor | None]]  # and a cosine that is taught, too
    blend: Callable[[Tensor, Lesson], Tensor]
    optimizer: torch.optim.Optimizer
    rates: list[float]
    mean: Mean
    loss: float = 0.0
    half: bool = True  # whether it may compute in half precision
    origin: list[Tensor] | None = None  # weights that it is pulled to
    pull: float = 0.0  # how far in a step, beside the learning rate

    def weights(self) -> list[Tensor]:
        return [one for one in self.model.parameters() if one.requires_grad]


def make_pupil(name: str, model: nn.Module, rate: float, table_rate: float, score=None, blend=None) -> Pupil:
    tables = [one for key, one in model.named_parameters() if key in ("table", "rarity")]
    others = [one for key, one in model.named_parameters() if key not in ("table", "rarity")]
    fused = next(model.parameters()).is_cuda
    groups = [{"params": others, "weight_decay": 0.01}, *([{"params": tables, "weight_decay": 0.0}] if tables else [])]
    optimizer = torch.optim.AdamW(groups, lr=rate, betas=(0.9, 0.98), fused=fused)
    weights = [one for one in model.parameters() if one.requires_grad]
    return Pupil(name, model, score or model, blend or (lambda scores, lesson: scores), optimizer, [rate, table_rate],
                 Mean(weights))  # fmt: skip


def piece_vectors(large: Path, data: Data, device: str, kind: torch.dtype) -> Tensor:
    """What the large encoder makes of each piece alone, the rarer the longer (as model2vec does). (pieces, 768)"""
    frozen = {name: one.to(device, kind) for name, one in load_file(large / "model.safetensors").items()}
    encoder = Large(frozen).to(device).eval()
    numbers = torch.from_numpy(data.file["translation"].astype(np.int64)).to(device)
    ids = torch.stack([torch.full_like(numbers, 0), numbers, torch.full_like(numbers, 2)], dim=1)
    parts = []
    with torch.inference_mode():
        for some in ids.split(4096):
            shown = torch.ones_like(some, dtype=torch.bool)
            parts.append(encoder.pooled(Row(some, shown, shown), adapted=False).float())
    return torch.cat(parts).clone()


def principal(vectors: Tensor, width: int) -> tuple[Tensor, Tensor]:
    """The widest directions of vectors whose mean is taken out, and the way back. (rows, width), (width, before)"""
    middle = vectors - vectors.mean(dim=0)
    _, directions = torch.linalg.eigh((middle.t() @ middle).double().cpu())
    chosen = directions[:, -width:].t().float().to(vectors.device)
    return middle @ chosen.t(), chosen


def rarity(data: Data) -> Tensor:
    """log of 1 + log N / n, as the pieces stand in the texts. (pieces,)"""
    often = np.bincount(data.file["ids"], minlength=len(data.file["translation"])).astype(np.float64)
    weight = np.log(often.sum() / (often + 5))
    return torch.from_numpy(np.log(np.maximum(weight, 0.3) / weight.max())).float().to(data.device)


LATE = {  # width, layers of the question, what is done with the candidate, probes
    "static": (128, 2, "static", 4), "static256": (256, 2, "static", 4), "deep": (256, 4, "static", 16),
    "near": (128, 2, "near", 4), "near256": (256, 2, "near", 4), "read": (128, 2, "read", 4),
}  # fmt: skip
CROSS = {"two384": (384, 12, 1536), "two192": (192, 6, 768), "two128": (128, 4, 512)}  # width, heads, hidden


def begun(model: Late, start: dict[str, Tensor]) -> Late:
    """With what an earlier one knew, wherever it has the same shape."""
    own = model.state_dict()
    model.load_state_dict({**own, **{name: one for name, one in start.items() if one.shape == own[name].shape}})
    return model


def fast_pupil(name: str, data: Data, pieces: Tensor, reader: dict[str, Tensor], start: dict[str, Tensor]) -> Pupil:
    if name in LATE:
        width, layers, candidate, probes = LATE[name]
        table, _ = principal(pieces, width)
        table = table / table.norm(dim=1).mean() * width**0.5 * 0.5
        model = Late(table, rarity(data), layers, candidate, probes).to(data.device)
        return make_pupil(name, begun(model, start), 1e-3, 1.5e-3)
    width, heads, wide = CROSS[name]
    if width == 384:
        words = reader[WORDS].to(data.device).float()
        table, back = principal(words, 128)
        model = Cross(table, back, heads, wide).to(data.device)
        model.take(reader, (0, 5))
        with torch.no_grad():
            model.place += words.mean(dim=0)
        return make_pupil(name, model, 3e-4, 3e-4)
    table, _ = principal(pieces, 128)
    table = table / table.std()
    widen = torch.randn(128, width, device=data.device) / 128**0.5
    return make_pupil(name, Cross(table, widen, heads, wide).to(data.device), 1e-3, 1e-3)


def default_pupil(data: Data, reader: dict[str, Tensor], start: dict[str, Tensor], given: argparse.Namespace) -> Pupil:
    """The reader as it is, taught inside its blend: what it adds to the small encoder's cosine."""
    kind = torch.bfloat16 if data.device.type == "cuda" else torch.float32
    model = Small({**reader, WORDS: reader[WORDS].to(kind)}).to(data.device)
    model.words = model.words.to(data.device)
    origin = [one.detach().clone() for one in model.own]
    model.begin(start)

    def blend(scores: Tensor, lesson: Lesson) -> Tensor:
        return blended(scores, lesson.similar, lesson.entry, PRESENT, PRESENT_ENTRIES)

    pupil = make_pupil("default", model, given.rate, 0.0, lambda row: (model(row, model.cast())[0], None), blend)
    return replace(pupil, origin=origin, pull=given.pull)


def teach(pupil: Pupil, data: Data, lesson: Lesson, rate: float) -> None:
    device = data.device.type
    order = list(by_width(lesson.widths, CHUNK if device == "cuda" else 4096))
    scores, cosines = [], []
    with torch.autocast(device, torch.bfloat16, enabled=pupil.half and isinstance(pupil.model, Cross)):
        for some in order:
            score, cosine = pupil.score(data.rows(lesson.questions[some], lesson.units[some], "small"))
            scores.append(score.float())
            cosines += [cosine] if cosine is not None else []
    back = torch.from_numpy(np.argsort(np.concatenate(order))).to(data.device)
    value = lesson_loss(pupil.blend(torch.cat(scores)[back], lesson), lesson)
    plain = value.detach()
    if cosines:
        value = value + SIMILAR * (torch.cat(cosines)[back] - lesson.meant).square().mean()
    value.backward()
    if step(pupil, rate):
        pupil.loss = pupil.loss * 0.98 + plain * 0.02 if pupil.loss != 0.0 else plain
    else:
        say(pupil.name, "step left out, loss", float(plain))


def step(pupil: Pupil, rate: float) -> bool:
    """False where gradients are no numbers: then nothing changes, and half precision is given up."""
    weights = pupil.weights()
    fine = bool(torch.isfinite(torch.nn.utils.clip_grad_norm_(weights, 1.0)))
    if fine:
        for group, most in zip(pupil.optimizer.param_groups, pupil.rates, strict=False):
            group["lr"] = most * rate
        pupil.optimizer.step()
        if pupil.origin and pupil.pull:
            with torch.no_grad():
                torch._foreach_lerp_(weights, pupil.origin, pupil.pull * pupil.rates[0] * rate)
        pupil.mean.add(weights)
    else:
        named = pupil.model.named_parameters()
        odd = [name for name, one in named if one.grad is not None and not torch.isfinite(one.grad).all()]
        say(pupil.name, "gradients that are no numbers:", len(odd), odd[:6])
        pupil.half = False
        if isinstance(pupil.model, Small):
            pupil.model.attend = attend_plainly
    pupil.optimizer.zero_grad(set_to_none=True)
    return fine


def main() -> None:
    given = parse()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    kind = torch.bfloat16 if device == "cuda" else torch.float32
    torch.manual_seed(1)
    torch.set_float32_matmul_precision("high")
    given.out.mkdir(parents=True, exist_ok=True)
    data, judged = Data(given.texts, device), Data(given.judged, device)
    reader = {name: one.to(device) for name, one in thaw(given.reader).items() if one.is_floating_point()}
    start = {name: one.to(device).float() for path in given.start for name, one in load_file(path).items()}
    if given.names == "default":
        pupils = [default_pupil(data, reader, start, given)]
    else:
        pieces = start["table"] if start else piece_vectors(given.large, data, device, kind)
        pupils = [fast_pupil(name, data, pieces, reader, start) for name in given.names.split(",")]
    say("pupils", {one.name: sum(weight.numel() for weight in one.weights()) for one in pupils})
    for one in pupils:
        one.model.train()
    if given.names == "default":
        look_at(pupils[0], judged, given.out / "judged-before.npz", small_cosines(given.parts))
    care = Care(given.count, given.present)
    lessons = Lessons(data, given.parts, STEP if device == "cuda" else 4096, given.names == "default", care)
    clock, looked = Clock(given.seconds, given.pairs), time.time()
    for number, lesson in enumerate(lessons, 1):
        if number == 1:
            clock.start = looked = time.time()  # there may have been a wait
        clock.seen += len(lesson.units)
        for one in pupils:
            teach(one, data, lesson, clock.rate(number))
        if number % (100 if device == "cuda" else 1) == 0:
            losses = {one.name: round(float(one.loss), 4) for one in pupils}
            say(f"step {number}, {clock.seen / 1e6:.2f}M pairs, {lessons.fresh / 1e6:.2f}M fresh, "
                f"{clock.gone:.3f} over, losses {losses}")  # fmt: skip
        if time.time() - looked > given.every:
            keep(pupils, judged, given.out, small_cosines(given.parts))
            looked = time.time()
        if clock.gone >= 1 or (device == "cpu" and number >= given.most):
            break
    keep(pupils, judged, given.out, small_cosines(given.parts))
    say("done")


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("texts", "judged", "parts", "large", "reader", "out"):
        parser.add_argument(name, type=Path)
    parser.add_argument("names")
    parser.add_argument("--seconds", type=float, default=900)
    parser.add_argument("--pairs", type=float, default=1e9, help="after which training is over, too")
    parser.add_argument("--start", type=Path, nargs="*", default=[], help="weights of an earlier one")
    parser.add_argument("--rate", type=float, default=1.5e-4, help="of the default's")
    parser.add_argument("--pull", type=float, default=0.0, help="of the default's weights to those of its reader")
    parser.add_argument(
        "--count", type=float, default=1.0, help="of lists of entries and texts, where a sentence's is 1"
    )
    parser.add_argument("--present", type=float, default=0.0, help="share of the present scores in what they teach")
    parser.add_argument("--every", type=float, default=300, help="seconds between looks at the dev lists")
    parser.add_argument("--most", type=int, default=3, help="steps on a CPU")
    return parser.parse_args()


if __name__ == "__main__":
    main()
