"""The tree model: the whole of it against the recursion, and trees over windows, cuts and odd texts."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from anselm.annotations.penn_labels import END, label_number
from anselm.annotations.trees import Tree, read_brackets
from anselm.data.question import Candidate, Question
from anselm.errors import AnselmError

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")
from torch import Tensor  # noqa: E402

from anselm.checkpoints.catalogue import build_model, load_model  # noqa: E402
from anselm.encoding.lists import window_candidates  # noqa: E402
from anselm.models.tree import TINY  # noqa: E402

ASKED = "(SBARQ (WHADVP (WRB How)) (SQ (VBP do) (NP (NNS bees)) (VP (VB make) (NP (NN honey)))) (. ?))"
SAID = "(S (NP-SBJ (NNS Bees)) (VP (VBP make) (NP (NP (NN honey)) (PP (IN of) (NP (NN nectar))))) (. .))"
SHORT = "(NN Nectar)"


def question(*texts: str, text: str = "How do bees make honey?") -> Question:
    return Question("q", text, tuple(Candidate(str(i), one, float(i == 0)) for i, one in enumerate(texts)))


@pytest.fixture(scope="module")
def trees(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("trees") / "trees.mrg"
    path.write_text("\n".join([ASKED, SAID, SHORT]))
    return f"file:{path}"


def model(folder: Path, name: str = "tree", **settings: Any) -> Any:
    torch.manual_seed(2)
    return build_model(name, {**TINY, "base": str(folder), **settings}, []).eval()


class Recursion:
    """Section 3 of the paper, one span after the other, with the weights of a model."""

    def __init__(self, model: Any) -> None:
        self.model, self.config = model, model.config
        self.streams = model.attention.query.weight.shape[0]

    def score(
        self, states: Tensor, question: tuple[Tree, Any], candidate: tuple[Tree, Any], edges: list[int]
    ) -> Tensor:
        """A tree comes with the columns of its words' pieces; edges are [CLS], both sides of the gap, and the end."""
        q, s = (
            self.root(tree, iter([self.word(states, columns) for columns in pieces]), states[start], states[end])
            for (tree, pieces), (start, end) in ((question, (edges[0], edges[1])), (candidate, (edges[2], edges[3])))
        )
        vector = torch.tanh(torch.cat([*([states[0]] if self.config.residual else []), *q, *s]))
        score: Tensor = self.model.head.weight @ vector + self.model.head.bias
        return score[0]

    def word(self, states: Tensor, columns: list[int]) -> Tensor:
        return states[columns[0]] if self.config.pieces == "first" else states[columns].mean(dim=0)

    def root(self, tree: Tree, words: Iterator[Tensor], start: Tensor, end: Tensor) -> list[Tensor]:
        return self.span(Tree(tree.label, (tree,)) if tree.word else tree, 0, words, start, end)

    def span(self, tree: Tree, level: int, words: Iterator[Tensor], start: Tensor, end: Tensor) -> list[Tensor]:
        rows = [self.token(start, tree.label, 0, level)]
        for place, child in enumerate(tree.children, start=1):
            if child.word:
                rows.append(self.token(next(words), child.label, place, level))
                continue
            inner = self.span(child, level + 1, words, start, end)
            if self.streams == 2 and self.config.children == "added":
                inner[1] = inner[1] + self.syntax(label_number(child.label), place, level)
            rows.append(inner)
        own = END if self.streams == 2 and self.config.end_label == "own" else label_number(tree.label)
        rows.append([self.semantic(end), self.syntax(own, len(rows), level)][: self.streams])
        return [self.attend(i, torch.stack([row[i] for row in rows])) for i in range(self.streams)]

    def token(self, x: Tensor, label: str, place: int, level: int) -> list[Tensor]:
        return [self.semantic(x), self.syntax(label_number(label), place, level)][: self.streams]

    def semantic(self, x: Tensor) -> Any:
        return self.model.semantic.weight @ x + self.model.semantic.bias

    def syntax(self, label: int, place: int, level: int) -> Any:
        if self.streams == 1:
            return None
        layer = self.model.syntactic
        summed = layer.labels.weight[label] + layer.positions.weight[place] + layer.levels.weight[level]
        return layer.project.weight @ summed + layer.project.bias

    def attend(self, i: int, t: Tensor) -> Tensor:
        layer, width = self.model.attention, t.shape[1]
        q, kv = t @ layer.query.weight[i], t @ layer.key_value.weight[i]
        heads = []
        for part in torch.arange(width).chunk(self.config.heads):
            a = torch.softmax(q[:, part] @ kv[:, part].T / math.sqrt(len(part)), dim=1)
            heads.append(a @ kv[:, part + width])
        o = t + torch.cat(heads, dim=1) @ layer.output.weight[i] + layer.output.bias[i]
        inner = torch.relu(o @ layer.widen.weight[i] + layer.widen.bias[i])
        found: Tensor = o + inner @ layer.narrow.weight[i] + layer.narrow.bias[i]
        return found[0]


def test_words_begin_on_the_scale_of_glorot_and_bengio(folder: Path) -> None:
    """Var(W) = 2 / (in + out); PyTorch's own is a third of 1 / in."""
    weight = model(folder).semantic.weight.detach()
    outside, inside = weight.shape
    assert float(weight.var()) == pytest.approx(2 / (inside + outside), rel=0.2)


SETTINGS: list[dict[str, Any]] = [
    {},
    {"pieces": "first"},
    {"residual": True},
    {"end_label": "own"},
    {"children": "added", "residual": True},
    {"normed": True, "residual": True},
]


def columns_of(text: str, words: list[str], tokenizer: Any, first: int) -> list[list[int]]:
    """Of each word the columns of its pieces, by a loop over characters."""
    offsets = tokenizer.encode(text, add_special_tokens=False).offsets
    found, at = [], 0
    for word in words:
        at = text.index(word, at)
        inside = range(at, at + len(word))
        found.append([first + i for i, (start, end) in enumerate(offsets) if set(range(start, end)) & set(inside)])
        at += len(word)
    return found


@pytest.mark.parametrize("name", ["tree", "tree-semantic"])
@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_a_score_is_that_of_the_recursion(name: str, settings: dict[str, Any], folder: Path, trees: str) -> None:
    if name == "tree-semantic" and settings.keys() & {"end_label", "children"}:
        pytest.skip("it has no labels")
    scorer = model(folder, name, parser=trees, max_length=96, max_question=48, **settings)
    plain = scorer.states
    scorer.states = lambda batch: 0.2 * plain(batch) + 0.1  # a new encoder's have a mean of 0 and a variance of 1
    given = question("Bees make honey of nectar.", "Nectar")
    lists = scorer.featurize([given])
    batch = scorer.collate(scorer.place(lists, torch.device("cpu")), lists)
    with torch.no_grad():
        states, found = scorer.states(batch), scorer(batch)
        if scorer.config.normed:
            states = (states - states.mean(2, True)) / states.var(2, correction=0, keepdim=True).add(1e-5).sqrt()
        for row, (candidate, brackets) in enumerate(zip(given.candidates, (SAID, SHORT), strict=True)):
            expected = Recursion(scorer).score(states[row], *places(scorer, given.text, candidate.text, brackets))
            torch.testing.assert_close(found[row], expected, atol=1e-5, rtol=1e-5)


def places(scorer: Any, asked: str, said: str, brackets: str) -> tuple[Any, Any, list[int]]:
    tokenizer, pair = scorer.tokenizer.tokenizer, scorer.tokenizer
    q, s = read_brackets(ASKED), read_brackets(brackets)
    end = len(pair.before) + len(tokenizer.encode(asked, add_special_tokens=False).ids)
    second = end + len(pair.between)
    last = second + len(tokenizer.encode(said, add_special_tokens=False).ids)
    pieces = columns_of(asked, q.words(), tokenizer, len(pair.before)), columns_of(said, s.words(), tokenizer, second)
    return (q, pieces[0]), (s, pieces[1]), [0, end, second - 1, last]


LONG = " ".join(f"the hive {word} in a garden of wood number {i}" for i, word in enumerate(["stands", "is", "was"] * 4))


@pytest.mark.parametrize("parser", ["right-branching", "flat"])
def test_a_tree_stands_over_all_windows(parser: str, folder: Path) -> None:
    """Every word of a long candidate is read from a window that holds it: its token there is the piece itself."""
    scorer = model(folder, parser=parser)
    lists = scorer.featurize([question(LONG, "Nectar", LONG + " end", text="the wood")])
    windowed, owner = window_candidates(lists, scorer.room(lists))
    assert len(owner) > 5
    batch = scorer.collate(scorer.place(windowed, torch.device("cpu")), windowed)
    texts = lists.texts
    whole = [texts.ids[texts.starts[t] : texts.starts[t] + texts.lengths[t]].tolist() for t in range(len(texts.starts))]
    read = batch.ids[batch.words.rows, batch.words.columns].tolist()
    asked, said = lists.questions[0], lists.candidates
    expected = [piece for text in (asked, asked, asked, *said) for piece in whole[text] if piece != space(scorer)]
    assert read[: len(expected)] == expected
    before, between, after = (part.tolist() for part in ends(scorer))
    assert read[len(expected) :] == [*before * 3, *between[-1:] * 3, *between[:1] * 3, *after * 3]
    assert batch.mask[batch.words.rows, batch.words.columns].all()


def space(scorer: Any) -> Any:
    """A piece of its own, where bytes are pieces; it is of no word."""
    return scorer.tokenizer.tokenizer.token_to_id("Ġ")


def ends(scorer: Any) -> list[Any]:
    pair = scorer.tokenizer
    return [np.array(part) for part in (pair.before[-1:], pair.between, pair.after[:1])]


def test_a_long_candidate_has_one_score_that_depends_on_all_of_it(tiny_encoder: Path) -> None:
    scorer = model(tiny_encoder, parser="flat")
    changed = LONG.replace("garden of wood number 11", "hive of honey number 11")
    scores = scorer.score([question(LONG, changed)])[0]
    assert abs(scores[0] - scores[1]) > 1e-5


def test_in_training_what_is_not_read_is_not_in_the_tree(tiny_encoder: Path) -> None:
    scorer = model(tiny_encoder, parser="right-branching")
    lists = scorer.featurize([question(LONG, text=LONG)])
    batch = scorer.collate(scorer.place(lists, torch.device("cpu")), lists)
    assert batch.ids.shape == (1, 48)
    assert batch.mask[batch.words.rows, batch.words.columns].all()
    pieces = batch.words.columns[:-4].tolist()
    assert sorted(set(pieces)) == [*range(1, 13), *range(14, 47)]  # all of what is read, but [CLS] and [SEP]


@pytest.mark.parametrize("parser", ["right-branching", "flat"])
def test_odd_texts_have_a_score(parser: str, folder: Path) -> None:
    scorer = model(folder, parser=parser)
    texts = [
        " ".join(f"word{i}" for i in range(500)),
        "",
        "   ",
        "日本語の文。",
        "مرحبا بالعالم",
        "😀👩‍👩‍👧",
        "((((",
        "\u200b",
        "a" * 900,
    ]
    for asked in ("what", "", "😀", texts[0]):
        scores = scorer.score([question(*texts, text=asked)])[0]
        assert np.isfinite(scores).all()
        assert len(scores) == len(texts)


def test_odd_trees_of_a_file_have_a_score(folder: Path, tmp_path: Path) -> None:
    """500 words in one constituent, a chain of 2,000, labels that nobody knows, another script, traces alone."""
    words = [f"word{i}" for i in range(500)]
    chain = "(X " * 2000 + "(NN deep)" + ")" * 2000
    odd = ["(S (NN " + ") (NN ".join(words) + "))", chain, "(QQ-9 (??? huh))", "(S (N 日本語) (. 。))", "(NN what)"]
    path = tmp_path / "odd.mrg"
    path.write_text("\n".join(odd), encoding="utf-8")
    texts = [" ".join(words), "deep", "huh", "日本語。", "", "  "]
    scorer = model(folder, parser=f"file:{path}")
    assert np.isfinite(scorer.score([question(*texts, text="what")])[0]).all()
    assert [len(list(one.candidate.walk())) for one in scorer.attended(question(*texts, text="what"), [1, 4])] == [
        129,
        1,
    ]
    for unknown in ("((((", "word0 word1", "\u0645\u0631\u062d\u0628\u0627"):
        with pytest.raises(AnselmError, match="has no tree for"):
            scorer.score([question(unknown, text="what")])


def test_padding_and_company_do_not_change_a_score(folder: Path) -> None:
    scorer = model(folder)
    alone = scorer.score([question("Bees make honey of nectar.")])[0]
    among = scorer.score([question("Nectar", LONG, "Bees make honey of nectar.", ""), question(LONG)])[0]
    np.testing.assert_allclose(among[2], alone[0], atol=1e-5)


def test_trees_matter(tiny_encoder: Path, trees: str) -> None:
    given = question("Bees make honey of nectar.")
    found = [model(tiny_encoder, parser=parser).score([given])[0][0] for parser in (trees, "flat", "right-branching")]
    assert len({round(score, 5) for score in found}) == 3


def test_a_text_without_a_tree_is_named(tiny_encoder: Path, trees: str) -> None:
    with pytest.raises(AnselmError, match="has no tree for 'Wood'"):
        model(tiny_encoder, parser=trees).score([question("Wood")])


def test_it_is_not_exported(tiny_encoder: Path) -> None:
    assert model(tiny_encoder).exports_to is None


def test_saved_with_its_choices(tiny_encoder: Path, trees: str, tmp_path: Path) -> None:
    scorer = model(tiny_encoder, parser=trees, children="added", end_label="own", residual=True, pieces="first")
    scorer.save(tmp_path)
    loaded: Any = load_model(tmp_path)
    given = [replace(question("Bees make honey of nectar.", "Nectar"))]
    np.testing.assert_array_equal(loaded.score(given)[0], scorer.score(given)[0])


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"parser": "rules"}, "unknown parser 'rules'; there is benepar"),
        ({"pieces": "last"}, "unknown pieces 'last'"),
        ({"children": "new"}, "unknown children 'new'"),
        ({"end_label": "none"}, "unknown end_label 'none'"),
        ({"hidden": 30, "heads": 4}, "hidden is 30, but must be a multiple of twice the heads, 8"),
    ],
)
def test_settings_that_cannot_be_are_named(settings: dict[str, Any], says: str, tiny_encoder: Path) -> None:
    with pytest.raises(AnselmError) as caught:
        model(tiny_encoder, **settings)
    assert says in str(caught.value)


class Looking(Recursion):
    """That also keeps how much each span's first token looks at its tokens, children before their parents."""

    def __init__(self, model: Any) -> None:
        super().__init__(model)
        self.looks: list[Tensor] = []

    def attend(self, i: int, t: Tensor) -> Tensor:
        layer, width = self.model.attention, t.shape[1]
        q, k = t[:1] @ layer.query.weight[i], t @ layer.key_value.weight[i][:, :width]
        parts = torch.arange(width).chunk(self.config.heads)
        looks = [torch.softmax(q[:, part] @ k[:, part].T / math.sqrt(len(part)), dim=1)[0] for part in parts]
        self.looks.append(torch.stack(looks).mean(dim=0))
        return super().attend(i, t)

    def shares(self, tree: Tree, part: float) -> tuple[Any, ...]:
        """(label, share, word, children) from the root down, the last child first: as they were kept, from the end."""
        own = torch.stack([self.looks.pop() for _ in range(self.streams)]).mean(dim=0).tolist()
        inner: list[Any] = []
        for place, child in reversed(list(enumerate(tree.children, start=1))):
            label, share = child.label.partition("-")[0], part * own[place]
            inner.append((label, share, child.word, ()) if child.word else self.shares(child, share))
        return tree.label.partition("-")[0], part, "", tuple(reversed(inner))


def as_tuples(one: Any) -> tuple[Any, ...]:
    return one.label, one.share, one.word, tuple(map(as_tuples, one.children))


def flat(node: tuple[Any, ...]) -> list[Any]:
    return [node[0], node[2], len(node[3]), pytest.approx(node[1], abs=1e-6), *(x for c in node[3] for x in flat(c))]


@pytest.mark.parametrize("name", ["tree", "tree-semantic"])
def test_attention_is_that_of_the_recursion(name: str, folder: Path, trees: str) -> None:
    scorer = model(folder, name, parser=trees, max_length=96, max_question=48)
    given = question("Nectar", "Bees make honey of nectar.")
    (found,) = scorer.attended(given, [1])
    lists = scorer.featurize([question("Bees make honey of nectar.")])
    batch = scorer.collate(scorer.place(lists, torch.device("cpu")), lists)
    with torch.no_grad():
        recursion = Looking(scorer)
        recursion.score(scorer.states(batch)[0], *places(scorer, given.text, given.candidates[1].text, SAID))
        candidate = recursion.shares(read_brackets(SAID), 1.0)  # the last one that was read
        asked = recursion.shares(read_brackets(ASKED), 1.0)
    assert flat(candidate) == flat(as_tuples(found.candidate))
    assert flat(asked) == flat(as_tuples(found.question))
    assert recursion.looks == []


def test_attention_on_odd_texts(folder: Path) -> None:
    """A word stands as it does in the text, and what is not read is not there."""
    scorer = model(folder, parser="flat")
    texts = ["", "  ", "Ünïcode 😀 (wood)", " ".join(f"word{i}" for i in range(500)), "日本語の文。"]
    found = scorer.attended(question(*texts, text="What's THIS?"), range(len(texts)))
    assert [one.question.children[0].word for one in found] == ["What's"] * 5
    assert found[0].candidate.children == found[1].candidate.children == ()
    assert [one.word for one in found[2].candidate.children][:1] == ["Ünïcode"]
    for pair in found:
        for one, _ in pair.candidate.walk():
            assert sum(child.share for child in one.children) <= one.share + 1e-6
