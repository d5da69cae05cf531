"""Training the span parser: the best weights on dev are kept."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from time import monotonic
from typing import Any

import numpy as np
import torch
from torch import Tensor

from anselm.annotations.evalb import BracketScores, score_brackets
from anselm.annotations.piece_rows import LOWER
from anselm.annotations.span_heads import Inventory
from anselm.annotations.trees import Tree
from anselm.checkpoints.settings import check_choice
from anselm.models.frames.parser_examples import Batch, Example, batches, collate
from anselm.models.frames.parser_losses import LOSSES, span_loss, tag_loss
from anselm.models.frames.parser_network import ParserNetwork

Say = Callable[[str], None]
READ = 2_000  # words of a batch that is only read


@dataclass(frozen=True)
class Plan:
    """How to train."""

    epochs: int = 20
    words: int = 600  # of a batch
    loss: str = "local"
    learning_rate: float = 5e-4  # of what is new
    encoder_rate: float = 1e-4  # of what was trained before
    weight_decay: float = 0.01
    warmup: float = 0.1  # share of the steps, or of the seconds, whichever is over first
    clip: float = 1.0
    lowered: float = 0.1  # share of sentences that are read as if written without capitals
    seconds: float = 3_600  # it ends with the epoch in which they are over; the learning rate falls with the time, too
    seed: int = 1

    def __post_init__(self) -> None:
        check_choice("loss", self.loss, LOSSES)


def train_parser(
    network: ParserNetwork,
    inventory: Inventory,
    examples: Sequence[Example],
    dev: Sequence[Example],
    plan: Plan,
    say: Say,
) -> BracketScores:
    """Leaves the best weights in the network, and says how good they are on dev."""
    torch.manual_seed(plan.seed)
    random, device = np.random.default_rng(plan.seed), network.device
    weights = [one for one in network.parameters() if one.requires_grad]
    groups = rate_groups(network, plan)
    optimizer = torch.optim.AdamW(groups, weight_decay=plan.weight_decay, betas=(0.9, 0.98), fused=True)
    steps = plan.epochs * sum(1 for _ in batches(examples, plan.words))
    began, step, best, kept = monotonic(), 0, None, network.own_weights()
    for epoch in range(1, plan.epochs + 1):
        network.train()
        for places in batches(examples, plan.words, random):
            done = max(step / steps, (monotonic() - began) / plan.seconds)
            set_rate(optimizer, rate(min(done, 1), plan.warmup))
            loss = loss_of(network, collate([examples[place] for place in places]).to(device), plan)
            optimizer.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            torch.nn.utils.clip_grad_norm_(weights, plan.clip)
            optimizer.step()
            step += 1
        scores = score_brackets([one.tree for one in dev], parse_examples(network, dev, inventory))
        taken = monotonic() - began
        say(f"epoch {epoch}: F1 {scores.f1:.4f}, tags {scores.tags:.4f} on dev, {taken:.0f} s")
        if best is None or scores.f1 > best.f1:
            best, kept = scores, {name: value.clone() for name, value in network.own_weights().items()}
        if taken > plan.seconds and epoch < plan.epochs:
            say(f"{plan.seconds:.0f} s are over after {epoch} of {plan.epochs} epochs; more might be better")
            break
    network.load_state_dict(kept, strict=False)
    return best or score_brackets([], [])


def rate_groups(network: ParserNetwork, plan: Plan) -> list[dict[str, Any]]:
    """Low-rank additions are new, though they are in the encoder."""
    own = {one for name, one in network.named_parameters() if one.requires_grad and not name.startswith("encoder.")}
    inner = [one for one in network.encoder.parameters() if one.requires_grad]
    rates = (plan.learning_rate, plan.learning_rate if network.config.tuned == "additions" else plan.encoder_rate)
    return [{"params": found, "full": rate} for found, rate in zip((list(own), inner), rates, strict=True)]


def set_rate(optimizer: torch.optim.Optimizer, share: float) -> None:
    for group in optimizer.param_groups:
        group["lr"] = group["full"] * share


def rate(done: float, warmup: float) -> float:
    """Up from nothing, then down along a cosine; `done` is the share of the steps, or of the time if that is larger."""
    return min(done / warmup, 1.0) * 0.5 * (1 + float(np.cos(np.pi * done)))


def loss_of(network: ParserNetwork, batch: Batch, plan: Plan) -> Tensor:
    """That of spans by the number of words, since most spans are nothing; and the mean one of tags."""
    h = states_of(network, batch, plan.lowered)
    spans = network.span_scores(h, batch.before, batch.behind, batch.starts, batch.ends)
    tags = network.tag_scores(h, batch.first, batch.last)
    return span_loss(plan.loss, spans, batch) / len(batch.tags) + tag_loss(tags, batch)


def states_of(network: ParserNetwork, batch: Batch, lowered: float = 0.0) -> Tensor:
    """(pieces of all sentences, width); on a GPU in bfloat16."""
    device = batch.shapes.device
    lower = torch.rand(len(batch.shapes), 1, device=device) < lowered
    shapes = torch.where(lower & (batch.shapes > LOWER), LOWER, batch.shapes)
    with torch.autocast(device.type, torch.bfloat16, enabled=device.type == "cuda"):
        states = network.layer_states(batch.ids, batch.mask) if batch.states is None else batch.states
        return network.above(states, batch.mask, shapes).flatten(0, 1).float()


@torch.no_grad()
def with_states(network: ParserNetwork, examples: Sequence[Example]) -> list[Example]:
    """With what an encoder that stays as it is makes of them: once, in half precision."""
    network.eval()
    found = list(examples)
    for places in batches(examples, READ):
        batch = collate([examples[place] for place in places]).to(network.device)
        states = network.layer_states(batch.ids, batch.mask).half().cpu()
        for place, own in zip(places, states, strict=True):
            found[place] = replace(examples[place], states=own[: len(examples[place].row.ids)].clone())
    return found


@torch.no_grad()
def parse_examples(network: ParserNetwork, examples: Sequence[Example], inventory: Inventory) -> list[Tree]:
    network.eval()
    heads, parsed = network.heads(), [example.tree for example in examples]
    for places in batches(examples, READ):
        batch = collate([examples[place] for place in places]).to(network.device)
        states = states_of(network, batch).reshape(*batch.ids.shape, -1).float().cpu().numpy()
        for place, h in zip(places, states, strict=True):
            example = examples[place]
            parsed[place] = heads.parse(h, example.row, example.tree.words(), inventory)
    return parsed
