"""A tree as it is drawn in a terminal, line by line."""

from __future__ import annotations

from anselm.annotations.trees import Tree


def draw_tree(tree: Tree) -> str:
    """One constituent or word per line, deeper ones further right; the category above a single word is on its line."""
    lines = []
    waiting: list[tuple[Tree, str, str]] = [(tree, "", "")]
    while waiting:
        one, before, below = waiting.pop()
        names = [one.label]
        while len(one.children) == 1:
            one = one.children[0]
            names.append(one.label)
        lines.append(f"{before}{' '.join(names)}{f' {one.word}' if one.word else ''}")
        last = len(one.children) - 1
        places = reversed(list(enumerate(one.children)))
        waiting += [
            (child, below + ("└─ " if place == last else "├─ "), below + ("   " if place == last else "│  "))
            for place, child in places
        ]
    return "\n".join(lines)
