"""The Tree Aggregation Transformer: "Recursive Tree-Structured Self-Attention for Answer Sentence Selection" (Mrini et
al., 2021). A pretrained encoder reads the pair; one recursive self-attention layer over its token vectors
(layers/tree_attention.py, equations 1 to 8) makes a vector of each constituent, from the words up to the root:

    p(s|q) = softmax(W tanh[w_q^e; w_q^n; w_s^e; w_s^n] + b)                                                         (9)

    tree            semantic and syntactic stream
    tree-semantic   the semantic stream alone: the ablation of Table 3, half as wide

The start token of a question's spans is [CLS], its end token the first [SEP]; those of a candidate's spans are the
separators before and behind it, so that with BERT one vector is both an end and a start. The softmax over two classes
is one score with a sigmoid, and the loss is pointwise. With `residual` the encoder's [CLS] vector stands in front,
unprojected, within the tanh (TrecQA alone in the paper).

Chosen here, since the paper does not say: a word is the mean of its pieces (`pieces`); a level is the distance from the
root; an end token has the category of its span (`end_label`); a child span comes into its parent as it is, or with
label, position and level added (`children`); the paper's 4,096 of the feed-forward layer are of both streams together,
like its 2,048. models/frames/tree_batches.py says what becomes of texts that do not fit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import torch
from torch import Tensor, nn
from torch.nn import functional

from anselm.annotations.attended_pictures import attended_figure
from anselm.annotations.penn_labels import COUNT, END
from anselm.annotations.syntax import check_parser
from anselm.checkpoints.settings import check_choice, check_least
from anselm.data.question import Question
from anselm.encoding.lists import Lists, window_candidates
from anselm.encoding.tokenizer import PairTokenizer
from anselm.errors import InputError
from anselm.layers.tree_attention import SpanAttention, Stream, SyntacticEmbedding, aggregate, ascend
from anselm.models.frames.attended_trees import attended_trees, read_words
from anselm.models.frames.constituents import add_trees
from anselm.models.frames.family import Family
from anselm.models.frames.pair_batches import Placed
from anselm.models.frames.pair_model import PairConfig, PairModel
from anselm.models.frames.tree_batches import TreeBatch, with_trees
from anselm.scorer import AttendedPair, Figure

MODELS = {
    "tree": {
        "kind": "transformer",
        "summary": "attention from the words up, along the parse trees of question and answer",
    },
    "tree-semantic": {
        "kind": "transformer",
        "summary": "the same without labels, positions and levels of constituents",
    },
}
VARIANTS: dict[str, dict[str, Any]] = {name: {} for name in MODELS}
TINY = {"max_length": 48, "max_question": 12, "hidden": 32, "heads": 2, "feed_forward": 48}
PIECES = ("mean", "first")
END_LABELS = ("category", "own")
CHILDREN = ("kept", "added")
ATTENDED = 16  # candidates whose attention is looked at together


@dataclass(frozen=True)
class SemanticConfig(PairConfig):
    parser: str = "right-branching"
    hidden: int = 2048  # of both streams together: each has half, and so has the one that is alone;
    feed_forward: int = 4096  # likewise
    heads: int = 16  # of each stream
    pieces: str = "mean"  # what a word is of its pieces, or "first"
    residual: bool = False
    normed: bool = False  # the encoder's vectors with a mean of 0 and a variance of 1, whatever the encoder
    span_norm: bool = False  # a layer norm behind the attention and the feed-forward layer of a span; not of the paper

    def __post_init__(self) -> None:
        super().__post_init__()
        check_parser(self.parser)
        check_choice("pieces", self.pieces, PIECES)
        check_least(self, {"hidden": 2, "feed_forward": 2, "heads": 1})
        if self.hidden % (2 * self.heads):
            raise InputError(f"hidden is {self.hidden}, but must be a multiple of twice the heads, {2 * self.heads}")


@dataclass(frozen=True)
class Config(SemanticConfig):
    end_label: str = "category"  # or "own", one for all
    children: str = "kept"  # or "added": label, position and level are added to a child span's vector

    def __post_init__(self) -> None:
        super().__post_init__()
        check_choice("end_label", self.end_label, END_LABELS)
        check_choice("children", self.children, CHILDREN)


class TreeSemantic(PairModel):
    settings: ClassVar[type[PairConfig]] = SemanticConfig
    variants = VARIANTS
    usual: ClassVar[Mapping[str, Any]] = {"epochs": 3.0, "learning_rate": 3e-5, "head_rate": 1e-4, "loss": "pointwise"}
    streams = 1
    end_label: int | None = None

    def __init__(self, name: str, config: Any, encoder: Any, tokenizer: PairTokenizer) -> None:
        super().__init__(name, config, encoder, tokenizer)
        self.stream = config.hidden // 2
        self.semantic = nn.Linear(self.width, self.stream)
        nn.init.xavier_uniform_(self.semantic.weight)
        widths = self.stream, config.heads, config.feed_forward // 2
        self.attention = SpanAttention(self.streams, *widths, config.span_norm)
        self.head = nn.Linear(2 * self.streams * self.stream + self.width * config.residual, 1)

    def featurize(self, questions: Sequence[Question]) -> Lists:
        return add_trees(super().featurize(questions), self.tokenizer, self.config.parser)

    def collate(self, placed: Placed, picked: Lists) -> TreeBatch:
        batch = super().collate(placed, picked)
        return with_trees(batch, picked, self.reading, self.tokenizer, self.config.pieces == "first", self.end_label)

    def vectors(self, batch: TreeBatch) -> Tensor:  # type: ignore[override]
        """Within the W of (9)."""
        states = self.token_states(batch)
        roots = aggregate(self.attention, self.tokens(states, batch), batch.schedule)
        vectors = torch.cat(roots.transpose(0, 1).flatten(1).chunk(2), dim=1)  # (candidates, [e; n] twice)
        if self.config.residual:
            vectors = torch.cat([states[batch.windows.first, 0], vectors], dim=1)
        return torch.tanh(vectors)[batch.windows.owners]

    def token_states(self, batch: TreeBatch) -> Tensor:
        """(pairs, tokens, width)"""
        states = self.states(batch)
        return functional.layer_norm(states.float(), states.shape[2:]) if self.config.normed else states

    def tokens(self, states: Tensor, batch: TreeBatch) -> list[Stream]:
        """What each token of a span is before anything is computed: equation (1), in full precision however it is
        computed, since nothing normalizes what is added up on the way. (pairs, tokens, width)
        """
        e: Tensor = self.semantic(batch.words.read(states)).float()
        return [Stream.of_words(e, batch.schedule)]

    @torch.no_grad()
    def attended(self, question: Question, chosen: Sequence[int]) -> list[AttendedPair]:
        """The mean over streams and heads."""
        found: list[AttendedPair] = []
        for some in (chosen[start : start + ATTENDED] for start in range(0, len(chosen), ATTENDED)):
            texts = [question.candidates[place] for place in some]
            lists = self.featurize([replace(question, candidates=tuple(texts))])
            windowed, _ = window_candidates(lists, self.room(lists))
            batch = self.collate(self.place(windowed, next(self.parameters()).device), windowed)
            steps = ascend(self.attention, self.tokens(self.token_states(batch), batch), batch.schedule)
            weights = [one.mean(dim=(0, 2)).cpu().numpy() for _, one in steps]
            words = read_words([question.text] * len(texts) + [one.text for one in texts], batch, self.tokenizer)
            trees = attended_trees(batch.schedule, weights, words)
            found += map(AttendedPair, trees[: len(texts)], trees[len(texts) :])
        return found

    def figures(self, question: Question, place: int) -> list[Figure]:
        """What drew attention in the question and in one of its candidates."""
        return [attended_figure(pair) for pair in self.attended(question, [place])]


class TreeAggregation(TreeSemantic):
    settings = Config
    streams = 2

    def __init__(self, name: str, config: Config, encoder: Any, tokenizer: PairTokenizer) -> None:
        super().__init__(name, config, encoder, tokenizer)
        self.syntactic = SyntacticEmbedding(COUNT, self.stream)
        self.end_label = END if config.end_label == "own" else None

    def tokens(self, states: Tensor, batch: TreeBatch) -> list[Stream]:
        there = batch.schedule.fixed if self.config.children == "kept" else None
        return [*super().tokens(states, batch), self.syntactic(batch.schedule, there)]  # (2)


KINDS: Family[PairModel] = Family({"tree": TreeAggregation, "tree-semantic": TreeSemantic})
load, build, configure = KINDS.load, KINDS.build, KINDS.configure
