"""A tree as labelled spans of words, and back: what a chart decides about.

A chain of categories over the same words is one label, S+VP. A span without a label is one that only the chart knows,
since it joins two parts at a time: its children belong to what is above it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from anselm.annotations.trees import Tree

JOIN = "+"
Span = tuple[int, int]  # first word, behind the last one


def labelled_spans(tree: Tree) -> dict[Span, str]:
    """Of a tree over words; the tags are no labels."""
    found: dict[Span, str] = {}
    _collect(tree, 0, found)
    return found


def _collect(tree: Tree, start: int, found: dict[Span, str]) -> int:
    """Behind the last word of the tree."""
    chain: list[str] = []
    while not tree.word and len(tree.children) == 1:
        chain.append(tree.label)
        tree = tree.children[0]
    end = start
    if tree.word:
        end += 1
    else:
        chain.append(tree.label)
        for child in tree.children:
            end = _collect(child, end, found)
    if chain:
        found[start, end] = JOIN.join(chain)
    return end


def build_tree(words: Sequence[str], tags: Sequence[str], spans: Mapping[Span, str], root: str = "S") -> Tree:
    """The tree of spans that nest; `root` where the whole has no label."""
    inside = sorted((span for span in spans if spans[span]), key=lambda span: (span[0], -span[1]))
    stack: list[tuple[int, str, list[Tree]]] = [(len(words), "", [])]  # end, label, children so far
    for place, (word, tag) in enumerate(zip(words, tags, strict=True)):
        while inside and inside[0][0] == place:
            (_, end), label = inside[0], spans[inside.pop(0)]
            stack.append((end, label, []))
        stack[-1][2].append(Tree(tag, (), word))
        while len(stack) > 1 and stack[-1][0] == place + 1:
            _, label, children = stack.pop()
            stack[-1][2].append(_chain(label, children))
    ((_, _, top),) = stack
    return top[0] if len(top) == 1 and not top[0].word else Tree(root, tuple(top))


def _chain(label: str, children: Sequence[Tree]) -> Tree:
    *above, lowest = label.split(JOIN)
    tree = Tree(lowest, tuple(children))
    for name in reversed(above):
        tree = Tree(name, (tree,))
    return tree
