"""A tree with what drew attention in it, in a terminal: one constituent or word per line, with its share."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

from anselm.annotations.tree_pictures import spell_share
from anselm.cli.show.bars import bar
from anselm.cli.show.tables import one_line
from anselm.scorer import AttendedPair, Constituent

WIDTH = 10  # of a bar
LEADING = 1 / 3  # of the largest share of a word: from there on it stands out


def show_attention(console: Console, pair: AttendedPair) -> None:
    for name, tree in (("question", pair.question), ("best answer", pair.candidate)):
        console.print(Text(f"\nWhat drew attention in the {name}", style="bold"))
        for line in draw_attended_tree(tree, console.options.ascii_only):
            console.print(line, soft_wrap=True)


def draw_attended_tree(tree: Constituent, plain: bool = False) -> list[Text]:
    """Constituents with one child are on its line; the share is that of the topmost."""
    most = max((one.share for one, _ in tree.walk() if one.word), default=0.0)
    signs = ("`- ", "|- ", "|  ") if plain else ("└─ ", "├─ ", "│  ")
    found = list[Text]()
    waiting: list[tuple[Constituent, str, str]] = [(tree, "", "")]
    while waiting:
        one, before, below = waiting.pop()
        share, names = one.share, [one.label]
        while len(one.children) == 1:
            one = one.children[0]
            names.append(one.label)
        line = Text(f"{bar(min(1.0, share), plain, WIDTH)} {spell_share(share):>4}  ", style="cyan")
        line.append(f"{before}{' '.join(names)}", style="not bold default")
        if one.word:
            line.append(f" {one_line(one.word)}", style="bold default" if one.share >= LEADING * most else "default")
        found.append(line)
        last = len(one.children) - 1
        waiting += [
            (child, below + signs[0 if place == last else 1], below + ("   " if place == last else signs[2]))
            for place, child in reversed(list(enumerate(one.children)))
        ]
    return found
