"""The graph encoder's page: tables made by hand and prose repeat its records, and the rows that the code writes there.

Differences are quoted from those rows, which test_pages.py holds against the records.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from tests.experiments.spelled_figures import ROOT, Paper, text

GRAPHS = "multi-perspective-graph-encoder"
IT = Paper(GRAPHS, "map")
PAPER_110M = "0.834 / 0.844, 0.867 / 0.879, 0.840 / 0.859"
PAPER_READER = "0.721 / 0.736, 0.773 / 0.787, 0.738 / 0.751"
SQUAD = ("squad", "addonesent-worst-copy", "addsent-worst-copy")


def both(place: str) -> str:
    """0.796 / 0.806"""
    return f"{IT.at(place)} / {IT.at(place, metric='mrr')}"


def quoted(table: str, row: str, corpus: str = "wikiqa") -> str:
    """+0.005 (-0.010 to 0.021), p 0.524 / 0.542, Holm 1"""
    page = (ROOT / "docs" / f"{GRAPHS}.md").read_text(encoding="utf-8")
    section = page.partition(f"### {table}\n")[2].partition("\n### ")[0]
    (line,) = re.findall(rf"^\| {row} \| {corpus}, .*: ([+-]0.*?)(?: \*)? \|$", section, re.MULTILINE)
    return re.sub(r"(\(|to )\+", r"\1", line).replace("1.000", "1")


def chances(told: str) -> str:
    """Of what is quoted: p 0.524 / 0.542, Holm 1"""
    return told.partition("), ")[2]


def on_wikiqa() -> Iterator[str]:
    for name, suffix, paper in (("23M encoder", "", ""), ("110M encoder", "-110m", PAPER_110M)):
        places = [f"table-1/br-as{suffix}", f"table-1/br-mpge-as{suffix}", f"figure-6/br-gru-as{suffix}"]
        alone, graphs, gru, linear = (
            both(f"{place}--wikiqa") for place in (*places, f"table-5/br-mpge-as-linear{suffix}")
        )
        gain = quoted("table-1", f"br-mpge-as{suffix}")
        yield f"| {name} | {alone} | {graphs} | {gain} | {gru} | {linear} | {paper and f'{paper} '}|"
    alone, graphs, gru, linear = (
        both(f"{place}--wikiqa")
        for place in ("table-1/tr-as", "table-1/tr-mpge-as", "figure-6/tr-gru-as", "table-5/tr-mpge-as-linear")
    )
    yield f"| | {alone} | {graphs} | {quoted('table-1', 'tr-mpge-as')} | {gru} | {linear} | {PAPER_READER} |"
    dev = [IT.dev(f"table-1/{row}--wikiqa") for row in ("br-as", "br-mpge-as", "br-as-110m", "br-mpge-as-110m")]
    yield f"has {dev[0]} and {dev[1]} with the 23M encoder, {dev[2]} and {dev[3]} with the other"
    gru = quoted("figure-6", "tr-gru-as")
    yield f"which gives as much ({gru.split(' (')[0]}, {chances(gru).partition(', Holm')[0]}; the paper"


def after_transfers() -> Iterator[str]:
    rows = ("br-as", "br-mpge-as", "br-gru-as")
    alone, graphs, gru = (f"table-1/{row}-transfer--wikiqa" for row in rows)
    yield f"| 23M, five seeds | {both(alone)} | {both(graphs)} | {quoted('table-1', 'br-mpge-as-transfer')} |"
    yield f"at half the rate | | {both(gru)} | {quoted('table-1', 'br-gru-as-transfer')} |"
    large, large_graphs = (f"table-1/{row}-transfer-110m--wikiqa" for row in rows[:2])
    gain = quoted("table-1", "br-mpge-as-transfer-110m")
    yield f"| before: 110M, three seeds | {both(large)} | {both(large_graphs)} | {gain} |"
    yield f"on dev too ({IT.dev(alone)} to {IT.dev(graphs)})"
    yield f"fell, from 0.850 to {IT.at(alone)}; held against 0.850 the graphs have {IT.mean(graphs) - 0.850:.3f}"
    yield f"on dev its graphs have {IT.dev(large_graphs)} where it has {IT.dev(large)} alone"


def ablations() -> Iterator[str]:
    graphs = ("entity", "distance", "similarity", "dynamic")
    above = level = 0
    for name, row, suffix in (("23M", "br", ""), ("110M", "br", "-110m"), ("Document Reader", "tr", "")):
        whole, linear = f"table-1/{row}-mpge-as{suffix}--wikiqa", f"table-5/{row}-mpge-as-linear{suffix}--wikiqa"
        without = [f"table-4/{row}-mpge-as-without-{graph}{suffix}--wikiqa" for graph in graphs]
        yield f"| {name} | {IT.at(whole, *without, linear, between=' | ')} |"
        gains = [float(IT.gap(one, whole)) for one in without]
        above, level = above + sum(gain > 0 for gain in gains), level + sum(gain == 0 for gain in gains)
    assert (above, level) == (6, 1)
    yield "six of the twelve are above it, one is level"
    fused = [
        chances(quoted("table-5", row)) for row in ("br-mpge-as-linear", "br-mpge-as-linear-110m", "tr-mpge-as-linear")
    ]
    first, second = (one.partition(", Holm")[0] for one in fused[:2])
    yield f"({first} and {second.removeprefix('p ')}) and loses 0.040 with word vectors ({fused[2]})"


def on_squad() -> Iterator[str]:
    published = {
        "tr-as": ("0.860 / 0.917", "0.695", "0.651"),
        "tr-mpge-as": ("0.890 / 0.932", "0.731", "0.682"),
        "br-as": ("0.895 / 0.933", "0.782", "0.738"),
        "br-mpge-as": ("0.921 / 0.950", "0.840", "0.784"),
    }
    for row, name in {
        "tr-as": "`tr-as`", "tr-gru-as": "`tr-gru-as`", "tr-mpge-as": "`tr-mpge-as`, before",
        "br-as": "`br-as`, 23M", "br-gru-as": "`br-gru-as`, 23M", "br-mpge-as": "`br-mpge-as`, 23M",
        "br-as-110m": "`br-as`, 110M, one seed", "br-mpge-as-110m": "`br-mpge-as`, 110M, one seed",
    }.items():  # fmt: skip
        squad, one_sent, sent = (f"table-2/{row}--{corpus}" for corpus in SQUAD)
        ours = (f"{IT.at(squad, metric='p@1')} / {IT.at(squad)}", IT.at(one_sent), IT.at(sent))
        theirs = published.get(row.removesuffix("-110m"), ("", "", ""))
        cells = [cell for pair in zip(ours, theirs, strict=True) for cell in pair]
        yield f"| {name} | {' | '.join(cells)} |".replace("|  |", "| |")
    gains = [IT.gap(f"table-2/br-as-110m--{corpus}", f"table-2/br-as--{corpus}") for corpus in SQUAD[1:]]
    yield f"{gains[0]} and {gains[1]} MAP from 23M to 110M"
    small, reader = quoted("table-2", "br-mpge-as", "squad"), quoted("table-2", "tr-mpge-as", "squad")
    yield f"{small.replace(' (', ' MAP with the 23M encoder (').replace('), ', ', ')})"
    yield f"{reader.split(' (')[0]} with the Document Reader ({chances(reader)})"
    one_sent, sent = (quoted("table-2", "br-gru-as", corpus) for corpus in ("addonesent", "addsent"))
    yield f"{one_sent.replace('), ', ', ')}) and {sent.replace('), ', ', ')})"
    falls = [quoted("table-2", "br-mpge-as", corpus) for corpus in ("addonesent", "addsent")]
    first, second = (f"{one.split(' (')[0]}, {chances(one).removesuffix(', Holm 1')}" for one in falls)
    yield f"nothing for the 23M encoder ({first}, and {second}, both 1 by Holm)"


def test_sentences_and_tables_say_what_the_records_do() -> None:
    expected = [*on_wikiqa(), *after_transfers(), *ablations(), *on_squad()]
    assert [one for one in expected if one not in text(GRAPHS)] == []
