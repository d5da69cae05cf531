"""The HTML of a ranking, for the first view; views.js makes the same of later ones."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from itertools import pairwise
from typing import Any

from anselm.ranking.answers import UNSURE
from anselm.serve.page.examples import Example
from anselm.serve.page.first_view import FirstView, Json

LEADING = 1 / 3  # of the largest weight: from there on a word is marked
LIKELY = 0.05  # probability of a result: below, nothing is marked


def asked(view: FirstView) -> str:
    """The question, with the words marked that carried the best answer."""
    best = view.reply["results"][0] if view.reply else None
    evidence = best.get("evidence") if best and is_likely(best) else None
    return marked(view.example.question, evidence, "question")


def results(view: FirstView) -> str:
    """The verdict, the answers best first, and the document with the best sentence in it."""
    if view.reply is None:
        return '<p class="quiet">The example could not be ranked just now. Ask something yourself.</p>'
    found = view.reply["results"]
    items = "".join(item(view, result) for result in found)
    listed = "answers none" if view.reply["answerable"] is False else "answers"
    return (
        f'<div class="rankings"><section class="ranking" aria-label="Model {escape(view.reply["model"])}">'
        f'<h3 class="model">{escape(view.reply["model"])}</h3>{verdict(view.reply)}{notes(view.reply)}'
        f'<ol class="{listed}">{items}</ol></section></div>{figures(view.reply)}{in_context(view)}'
    )


def verdict(reply: Json) -> str:
    if reply["answerability"] is None:
        return '<p class="verdict unknown">This model cannot tell whether there is an answer.</p>'
    refused = ("doubt", "Perhaps an answer.") if reply["answerability"] >= UNSURE else ("no", "No answer here.")
    side, sentence = ("yes", "There is an answer.") if reply["answerable"] else refused
    figures = f"Answerability {percent(reply['answerability'])}, threshold {percent(reply['threshold'])}."
    return f'<p class="verdict {side}">{sentence}</p><p class="quiet">{figures}</p>'


def notes(reply: Json) -> str:
    """What of the question was read, where that is not all of it as it was typed."""
    said = [f"Read as: {reply['read_as']}"] if reply.get("read_as") else []
    if count := reply.get("question_cut"):
        longer = "The question is longer than the model reads"
        said.append(f"{longer}: answers are read beside its first {count} characters.")
    return "".join(f'<p class="quiet">{escape(one)}</p>' for one in said)


def item(view: FirstView, result: Json) -> str:
    evidence = result.get("evidence") if is_likely(result) else None
    above = marked(result.get("question", ""), evidence, "entry_question")
    filed = f'<p class="filed">{above}</p>' if above else ""
    text = marked(text_of(view.example, result), evidence, "answer")
    return (
        f'<li><div class="likely">{likelihood(result)}</div><div class="said">{filed}'
        f"<p>{text}</p>{place(result)}{folded(view.example, result)}</div></li>"
    )


def text_of(example: Example, result: Json) -> str:
    return example.text.splitlines()[result["index"]] if example.kind == "lines" else str(result["text"])


def likelihood(result: Json) -> str:
    """The probability and a bar of it. Without a calibration, a score is no probability, and not shown as one."""
    share = result["probability"]
    if share is None:
        return f"<span>{result.get('relevance_score', result.get('score')) or 0:.2f}</span>"
    return f'<span>{percent(share)}</span><progress max="1" value="{share:.4f}" aria-hidden="true"></progress>'


def is_likely(result: Json) -> bool:
    """Of what is hardly an answer, words carried nothing."""
    return result["probability"] is None or result["probability"] >= LIKELY


def percent(share: float) -> str:
    return f"{int(100 * share + 0.5)}%"


def place(result: Json) -> str:
    """Where it stands, and how it was read."""
    found = [f"{escape(result['source'])}, line {result['line']}"] if "source" in result else []
    found += [escape(result["heading"])] if result.get("heading") else []
    found += ["read in windows"] if result.get("windowed") else []
    found += ["read by the smaller model alone"] if result.get("read") is False else []
    return f'<p class="place">{" · ".join(found)}</p>' if found else ""


def folded(example: Example, result: Json) -> str:
    """Near-duplicates: their texts where they are at hand, which of documents they are not."""
    others = result.get("duplicates") or []
    if not others:
        return ""
    label = f"{len(others)} near-duplicate{'s' if len(others) > 1 else ''} folded"
    if example.kind != "lines":
        return f'<p class="place">{label}</p>'
    lines = example.text.splitlines()
    items = "".join(f"<li>{escape(lines[other])}</li>" for other in others)
    return f'<details class="folded"><summary>{label}</summary><ul>{items}</ul></details>'


def marked(text: str, evidence: Any, side: str) -> str:
    """The text with the words marked that carried most."""
    words = evidence.get(side, []) if evidence else []
    largest = max((word["weight"] for word in words), default=0.0)
    spans = [
        (word["start"], word["end"]) for word in words if word["weight"] > 0 and word["weight"] >= LEADING * largest
    ]
    return with_marks(text, spans)


def with_marks(text: str, spans: Sequence[tuple[int, int]]) -> str:
    cuts = [0, *(edge for span in spans for edge in span), len(text)]
    parts = [escape(text[start:end]) for start, end in pairwise(cuts)]
    return "".join(f"<mark>{part}</mark>" if number % 2 else part for number, part in enumerate(parts))


def figures(reply: Json) -> str:
    return "".join(map(figure, reply.get("figures") or ()))


def figure(one: Json) -> str:
    """Something that the model has to show of the list, drawn already; and told in words, below."""
    title = escape(one["title"])
    sentences = "".join(f"<li>{escape(sentence)}</li>" for sentence in one["sentences"])
    return (
        f'<figure class="figure"><figcaption><h3>{title}</h3></figcaption>'
        f'<div class="picture" tabindex="0" role="group" aria-label="Picture: {title}">{one["svg"]}</div>'
        f"<details><summary>In words</summary><ul>{sentences}</ul></details></figure>"
    )


def in_context(view: FirstView) -> str:
    """The document, with the best sentence marked in it."""
    if view.reply is None or view.example.kind == "lines":
        return ""
    best = view.reply["results"][0]
    shown = with_marks(view.example.text, [(best["start"], best["end"])])
    name = escape(best["source"])
    return (
        f'<section class="context" aria-label="The best sentence in {name}"><h3>In {name}</h3>'
        f'<div class="document" tabindex="0" role="group" aria-label="Text of {name}">{shown}</div></section>'
    )
