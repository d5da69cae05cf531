"""Train the teacher, let it score everything, train the student. Needs a GPU; a CPU does a few steps, to try it.

    python -m tools.default_model.teaching.teach TEXTS.npz JUDGED.npz LARGE READER.onnx WORK --teacher 240 --student 630

TEXTS is what prepare_teaching.py wrote, JUDGED dev lists to look at on the way, LARGE a folder with the large encoder's
weights (teaching/packing.py), READER the student's first weights. Trainings are told how many seconds they have;
the rate falls with the time that is left.
"""

# ruff: noqa: T201

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import load_file, save_file
from torch import Tensor

from anselm.models.frames.dequantized import thaw
from tools.default_model.teaching.arrays import Data, Lists, from_sizes, join, labelled_lists, spread, steps
from tools.default_model.teaching.judging import judge, spell
from tools.default_model.teaching.large import Large
from tools.default_model.teaching.losses import labelled_loss, log_shares, taught_loss
from tools.default_model.teaching.packing import unpack_large
from tools.default_model.teaching.rows import Row, by_width
from tools.default_model.teaching.small import READ, WORDS, Small, read

STEP, CHUNK = 131_072, 49_152  # tokens of a step, and of what is read at once
SCORING = 262_144
BY_WORDS, BY_MEANING, ANY, MOST = 5, 5, 1, 14  # units of a list that join its own, and of a list in all
TEACHER_RATE, STUDENT_RATE = 5e-4, 2e-4
REMOVED, OTHERWISE = 0.2, 0.25  # of the labelled lists: their answers taken out; their questions as people type them
LEVEL, CLOSE, SIMILAR = 0.5, 0.1, 5.0
LABELS = 0.3  # of the labels in what a labelled list is taught
SOFT = 1.0  # what the scores of a teacher are divided by


class Clock:
    def __init__(self, seconds: float) -> None:
        self.seconds, self.start = seconds, time.time()

    @property
    def gone(self) -> float:
        """From 0 to 1."""
        return min(1.0, (time.time() - self.start) / self.seconds)

    def rate(self, warm: float = 0.04) -> float:
        return min(self.gone / warm, (1 - self.gone) / (1 - warm))


def say(*words: object) -> None:
    print(f"{time.time() - BEGAN:7.1f}", *words, flush=True)


BEGAN = time.time()
torch.backends.cuda.enable_cudnn_sdp(False)  # it plans anew for each shape, and no two batches have the same


def pair_scores(data: Data, lists: Lists, numbering: str, score: Callable[[Row], Tensor]) -> np.ndarray:
    """(pairs,)"""
    widths, questions = data.widths(lists, numbering), lists.questions
    found = torch.empty(len(widths), device=data.device)
    with torch.inference_mode():
        for some in by_width(widths, SCORING if data.device.type == "cuda" else 4096):
            found[torch.from_numpy(some).to(data.device)] = score(
                data.rows(questions[some], lists.units[some], numbering)
            )
    return found.cpu().numpy()


def vectors(data: Data, teacher: Large, numbers: np.ndarray, lengths: np.ndarray, rows: Callable[..., Row]) -> Tensor:
    """Of texts or units, in half precision. (numbers, width)"""
    found = torch.empty(len(numbers), 768, device=data.device, dtype=torch.half)
    with torch.inference_mode():
        for some in by_width(np.minimum(lengths, 254) + 2, SCORING if data.device.type == "cuda" else 4096):
            found[torch.from_numpy(some).to(data.device)] = teacher.vectors(rows(numbers[some], "large")).half()
    return found


class Similarities:
    """Cosines by the large encoder, each text read once."""

    def __init__(self, data: Data, teacher: Large, questions: np.ndarray) -> None:
        self.units = vectors(
            data, teacher, np.arange(len(data.units)), data.lengths[data.units].sum(axis=1), data.unit_rows
        )
        distinct = np.unique(questions)
        self.place = np.zeros(len(data.lengths), dtype=np.int64)
        self.place[distinct] = np.arange(len(distinct))
        self.questions = vectors(data, teacher, distinct, data.lengths[distinct], data.question_rows)

    def of(self, lists: Lists) -> np.ndarray:
        asked, device = self.place[lists.questions], self.units.device
        parts = []
        for start in range(0, len(asked), 1 << 20):
            one = self.questions[torch.from_numpy(asked[start : start + (1 << 20)]).to(device)].float()
            parts.append(
                (one * self.units[torch.from_numpy(lists.units[start : start + (1 << 20)]).to(device)].float()).sum(1)
            )
        return torch.cat(parts).cpu().numpy()


def unlabelled_lists(data: Data, similar: Similarities, seed: int = 3) -> Lists:
    """For each query its own units, those that share words, those of a like meaning, and any."""
    file, rng = data.file, np.random.default_rng(seed)
    query, pool, own, near, pools = (file[name] for name in ("query", "query_pool", "own", "near", "pools"))
    meant = np.full((len(query), MOST), -1, dtype=np.int64)
    for number, (start, end) in enumerate(pairwise(pools)):
        mine = np.flatnonzero(pool == number)
        texts = similar.units[start:end]
        for some in np.array_split(mine, max(1, len(mine) // 4096)):
            asked = similar.questions[torch.from_numpy(similar.place[query[some]]).to(texts.device)]
            best = (asked @ texts.t()).topk(min(MOST, int(end - start)), dim=1).indices.cpu().numpy()
            meant[some, : best.shape[1]] = best + start
    drawn = pools[pool] + (rng.random(len(query)) * (pools[pool + 1] - pools[pool])).astype(np.int64)
    asked, sizes, units = [], [], []
    for number in range(len(query)):
        listed = dict.fromkeys([*own[number].tolist(), *near[number, :BY_WORDS].tolist()])
        listed.pop(-1, None)
        most = min(len(listed) + BY_MEANING, MOST - ANY)
        for one in meant[number].tolist():
            if len(listed) >= most:
                break
            if one >= 0:
                listed[one] = None
        listed[int(drawn[number])] = None
        if len(listed) > 2:
            asked.append(query[number])
            sizes.append(len(listed))
            units += listed
    return from_sizes(np.array(asked), np.array(sizes), np.array(units), np.full(len(units), -1, dtype=np.float32))


def some_of(lists: Lists, share: float, seed: int = 9) -> Lists:
    kept = np.flatnonzero(np.random.default_rng(seed).random(len(lists)) < share)
    pairs = spread(lists.bounds[kept], lists.sizes[kept])
    return from_sizes(lists.asked[kept], lists.sizes[kept], lists.units[pairs], lists.labels[pairs])


def train(model: torch.nn.Module, lists: Lists, data: Data, numbering: str, rate: float, clock: Clock, most: int,
          loss: Callable[..., Tensor], each: Callable[[int], None]) -> None:  # fmt: skip
    """Until the time is over, or so many times over the lists. `each` is called after every step."""
    chosen = [one for one in model.parameters() if one.requires_grad]
    optimizer = torch.optim.AdamW(
        chosen, lr=rate, weight_decay=0.01, betas=(0.9, 0.98), fused=data.device.type == "cuda"
    )
    widths, questions, rng = data.widths(lists, numbering), lists.questions, np.random.default_rng(5)
    small = data.device.type != "cuda"
    number, tokens, total, known = 0, 0, torch.zeros((), device=data.device), 0.0
    for _ in range(most):
        for some in steps(lists, widths, 4096 if small else STEP, rng):
            pairs = spread(lists.bounds[some], lists.sizes[some])
            value = loss(model, some, pairs, widths[pairs], questions)
            value.backward()
            torch.nn.utils.clip_grad_norm_(chosen, 1.0)
            for group in optimizer.param_groups:
                group["lr"] = rate * clock.rate()
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)
            number, tokens, total = number + 1, tokens + int(widths[pairs].sum()), total + value.detach()
            each(number)
            if number % (1 if small else 50) == 0:
                known = float(total) / (1 if small else 50)
                total.zero_()
                say(f"step {number}, loss {known:.4f}, {tokens / 1e6:.1f}M tokens, {clock.gone:.2f} of the time")
                if not np.isfinite(known):
                    raise SystemExit("the loss is not a number")
            if clock.gone >= 1 or (small and number >= 3):
                return


def in_parts(data: Data, widths: np.ndarray, read: Callable[[np.ndarray], tuple[Tensor, ...]]) -> list[Tensor]:
    """What `read` gives for the pairs of a step, which it is given in a few parts of like width."""
    order = list(by_width(widths, CHUNK))
    parts = [read(some) for some in order]
    back = torch.from_numpy(np.argsort(np.concatenate(order))).to(data.device)
    return [torch.cat(part)[back] for part in zip(*parts, strict=True)]


def train_teacher(teacher: Large, data: Data, lists: Lists, otherwise: np.ndarray, seconds: float, epochs: int) -> None:
    clock, rng = Clock(seconds), np.random.default_rng(7)
    put = lambda array: torch.from_numpy(array).to(data.device)  # noqa: E731

    def loss(model: Large, some: np.ndarray, pairs: np.ndarray, widths: np.ndarray, questions: np.ndarray) -> Tensor:
        sizes = lists.sizes[some]
        asked = np.repeat(np.where(rng.random(len(some)) < OTHERWISE, otherwise[some], lists.asked[some]), sizes)
        owner, labels = np.repeat(np.arange(len(some)), sizes), lists.labels[pairs]
        removed = (rng.random(len(some)) < REMOVED)[owner] & (labels > 0)
        units, kept = lists.units[pairs], ~removed
        [scores] = in_parts(
            data, widths[kept], lambda part: (model(data.rows(asked[kept][part], units[kept][part], "large")),)
        )
        return labelled_loss(scores, put(labels[kept]), put(owner[kept]), len(some), LEVEL)

    teacher.train()
    train(teacher, lists, data, "large", TEACHER_RATE, clock, epochs, loss, lambda number: None)
    teacher.eval()


def train_student(student: Small, data: Data, lists: Lists, taught: np.ndarray, similar: np.ndarray, seconds: float,
                  epochs: int, look: Callable[[int], None]) -> dict[str, Tensor]:  # fmt: skip
    """-> the running mean of its weights."""
    clock = Clock(seconds)
    on = {name: torch.from_numpy(array).to(data.device) for name, array in
          (("taught", taught), ("similar", similar), ("labels", lists.labels))}  # fmt: skip
    mean = [one.detach().clone() for one in student.own]

    def loss(model: Small, some: np.ndarray, pairs: np.ndarray, widths: np.ndarray, questions: np.ndarray) -> Tensor:
        own, asked, units = model.cast(), questions[pairs], lists.units[pairs]
        scores, cosines = in_parts(data, widths, lambda part: model(data.rows(asked[part], units[part], "small"), own))
        which = torch.from_numpy(pairs).to(data.device)
        owner = torch.from_numpy(np.repeat(np.arange(len(some)), lists.sizes[some])).to(data.device)
        target, labels = on["taught"][which], on["labels"][which]
        share = log_shares(target / SOFT, owner, len(some), null=False)[0].exp()
        right = torch.zeros(len(some), device=data.device).index_add(0, owner, labels.clamp(min=0))
        mixed = (1 - LABELS) * share + LABELS * labels.clamp(min=0) / right.clamp(min=1e-6)[owner]
        share = torch.where((right > 0)[owner], mixed, share)
        return (
            taught_loss(scores, target, share, owner, len(some), CLOSE)
            + SIMILAR * (cosines - on["similar"][which]).square().mean()
        )

    def each(number: int) -> None:
        keep = min(0.999, number / (number + 10))
        with torch.no_grad():
            torch._foreach_lerp_(mean, [one.detach() for one in student.own], 1 - keep)
        look(number)

    student.train()
    train(student, lists, data, "small", STUDENT_RATE, clock, epochs, loss, each)
    student.eval()
    return dict(zip(student.names, mean, strict=True))


def main() -> None:
    given = parse()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    kind = torch.bfloat16 if device == "cuda" else torch.float32
    torch.manual_seed(1)
    data, judged = Data(given.texts, device), Data(given.judged, device)
    lists, look = labelled_lists(data.file), labelled_lists(judged.file)
    say("lists", len(lists), "pairs", len(lists.units), "judged", len(look.units))
    frozen = {name: one.to(device, kind) for name, one in unpack_large(given.large).items()}
    teacher = Large(frozen).to(device).eval()
    similar = Similarities(data, teacher, np.concatenate([lists.asked, data.file["query"], data.file["otherwise"]]))
    say("vectors", len(similar.units))
    more = some_of(unlabelled_lists(data, similar), given.share)
    every = join(lists, more)
    cosines, seen = similar.of(every), Similarities(judged, teacher, look.asked).of(look)
    tokens = data.widths(every, "large")
    say(
        "unlabelled lists",
        len(more),
        "pairs",
        len(more.units),
        "in all",
        len(every.units),
        "mean width",
        tokens.mean(),
        "tokens",
        tokens.sum(),
    )
    del similar
    if (saved := given.work / "lora.safetensors").exists():
        teacher.load_state_dict({name: one.float() for name, one in load_file(saved).items()})
    else:
        train_teacher(teacher, data, lists, data.file["otherwise"], given.teacher, given.epochs)
        save_file({name: one.detach().half().contiguous() for name, one in teacher.state_dict().items()}, saved)
    scores = pair_scores(judged, look, "large", teacher)
    np.savez(given.work / "teacher-judged.npz", scores=scores.astype(np.float32), similar=seen.astype(np.float32))
    for weight in (0.0, 4.0, 8.0, 12.0, 16.0, 24.0):
        say(f"teacher, + {weight} similarity", spell(judge(judged.file, look, scores + weight * seen, on_dev)))
    taught_scores = pair_scores(data, every, "large", teacher)
    say("scored", len(taught_scores), "mean", taught_scores.mean(), "spread", taught_scores.std())
    taught = taught_scores + similarity_weights(data.file)[every.units] * (cosines - float(cosines.mean()))
    del teacher, frozen
    torch.cuda.empty_cache()
    if given.compile:
        READ[0] = torch.compile(read, dynamic=True)
    start = {name: one.to(device) for name, one in thaw(given.reader).items() if one.is_floating_point()}
    student = Small({**start, WORDS: start[WORDS].to(kind)}).to(device)
    student.words = student.words.to(device)
    table = [0.0]

    def look_at(number: int) -> None:
        if time.time() - table[0] < given.every and device == "cuda":
            return
        table[0] = time.time()
        save(student.state(), given.work / "student-now.safetensors")

    def judged_by(model: Small) -> np.ndarray:
        own = model.cast()
        return pair_scores(judged, look, "small", lambda row: model(row, own)[0])

    report(judged, look, judged_by(student.eval()), "reader before")
    mean = train_student(
        student,
        data,
        every,
        taught.astype(np.float32),
        cosines.astype(np.float32),
        given.student,
        given.passes,
        look_at,
    )
    report(judged, look, last := judged_by(student), "student, last")
    save(student.state(), given.work / "student-last.safetensors")
    save(mean, given.work / "student.safetensors")
    with torch.no_grad():
        for one, value in zip(student.own, mean.values(), strict=True):
            one.copy_(value)
    report(judged, look, found := judged_by(student), "student, mean")
    np.savez(given.work / "student-judged.npz", mean=found, last=last)
    say("done")


def save(state: dict[str, Tensor], path: Path) -> None:
    save_file({name: one.half().contiguous() for name, one in state.items()}, path)


def similarity_weights(file: np.lib.npyio.NpzFile) -> np.ndarray:
    """How much the teacher's similarity counts beside its score, by what dev lists of that kind liked. (units,)"""
    found = np.full(len(file["units"]), 8.0)
    for name, start, end in zip(file["pool_names"].tolist(), file["pools"], file["pools"][1:], strict=True):
        found[start:end] = {"posts": 12.0, "manual answers": 12.0, "manual entries": 16.0}.get(name, 8.0)
    return found


def on_dev(name: str) -> bool:
    return "test" not in name


def report(judged: Data, lists: Lists, scores: np.ndarray, name: str) -> None:
    for weight in (0.0, 5.0, 10.0):
        table = judge(judged.file, lists, scores + weight * judged.file["cosines"], on_dev)
        say(f"{name}, + {weight} similarity", spell(table))


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("texts", "judged", "large", "reader", "work"):
        parser.add_argument(name, type=Path)
    parser.add_argument("--teacher", type=float, default=300)
    parser.add_argument("--student", type=float, default=600)
    parser.add_argument("--epochs", type=int, default=3, help="of the teacher at most")
    parser.add_argument("--passes", type=int, default=100, help="of the student at most")
    parser.add_argument("--every", type=float, default=60, help="seconds between copies of the student")
    parser.add_argument("--share", type=float, default=0.38, help="of the lists that nobody labelled")
    parser.add_argument("--compile", action="store_true")
    return parser.parse_args()


if __name__ == "__main__":
    main()
