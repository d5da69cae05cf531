"""What a list costs. Scores are flat over the lists of a step; `owner` says which list a pair is of, from 0 on."""

from __future__ import annotations

import torch
from torch import Tensor

NULL = 0.0  # the score of "none of these"


def log_shares(scores: Tensor, owner: Tensor, count: int, null: bool) -> tuple[Tensor, Tensor]:
    """log softmax of each list, and that of its null, where it takes part. (pairs,), (lists,)"""
    start = torch.full((count,), NULL if null else -1e30, device=scores.device, dtype=scores.dtype)
    most = start.scatter_reduce(0, owner, scores.detach(), "amax")
    total = torch.zeros(count, device=scores.device, dtype=scores.dtype).index_add(
        0, owner, (scores - most[owner]).exp()
    )
    if null:
        total = total + (NULL - most).exp()
    whole = total.log() + most
    return scores - whole[owner], NULL - whole


def labelled_loss(scores: Tensor, labels: Tensor, owner: Tensor, count: int, level: float) -> Tensor:
    """Softmax over the candidates of lists that have a right one, and, so much more, over candidates and null of all.

    The first does not care about the level of the scores of a list, the second makes it say whether there is an answer.
    """
    right = torch.zeros(count, device=scores.device).index_add(0, owner, labels)
    answered = right > 0
    share = labels / right.clamp(min=1e-6)[owner]
    plain, _ = log_shares(scores, owner, count, null=False)
    with_null, null = log_shares(scores, owner, count, null=True)
    by_list = -(share * plain).sum() / answered.sum().clamp(min=1)
    by_level = -((share * with_null).sum() + null[~answered].sum()) / count
    return by_list + level * by_level


def taught_loss(scores: Tensor, taught: Tensor, share: Tensor, owner: Tensor, weight: Tensor, close: float) -> Tensor:
    """To order a list as the teacher does (`share`, which sums to 1 over each list), and to give the same scores.

    `weight` is what each list counts. (lists,)
    """
    plain, _ = log_shares(scores, owner, len(weight), null=False)
    counts = weight[owner]
    by_list = (counts * share * (share.clamp(min=1e-9).log() - plain)).sum() / weight.sum()
    apart = scores - taught
    far = torch.where(apart.abs() < 4, apart.square(), 8 * apart.abs() - 16)
    return by_list + close * (counts * far).sum() / counts.sum()
