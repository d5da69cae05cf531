"""What a heading asks: cleaned of its number, a question or the title of a topic."""

from __future__ import annotations

import re

NUMBER = re.compile(
    r"""^(
      (Chapter|Section|Appendix|Part|Step)\s+[\dA-Z.]+\s*[:.–-]?\s+
    | \(?(Q(uestion)?|FAQ)?\s*[\[(<]?([A-Z][.-]?)?\d+(\.\d+)*(\.?[a-z])?[\])>.:*–-]*\s+        # 3.2), [Q4], A12:
    | [A-Z](\.\d+)+\.?\s+ | \d+[.)](?=[A-Z]) | [ivx]+[.)]\s+ | [A-Za-z][.)]\s+
    | [:\[(]*(Q(uestion)?|FAQ|Subject)\s*[\w.#]{0,5}[\])]*\s*[:.)\]-]\s*                         # Q:, (Q) -
    | [*o•–>\#§:»+=_`"“^-]+\s+
    )+""",
    re.X | re.I,
)
TAIL = re.compile(r"\s*([¶#\uf0c1]|\[(link|edit|top)\]|\(top\))+(\s*TOC)?$")
ASKING = re.compile(
    r"(how|why|what|what's|when|where|who|which|whose|can|could|do|does|did|is|are|was|will|would|should|may|must|has"
    r"|have|isn't|aren't|can't|doesn't|don't|won't|am)\b",
    re.I,
)
UNMARKED = re.compile(r"(how (do|can|to|does|should)|why|what (is|are|does|do|if)|can I|where (do|can|is))\b", re.I)
COMPLAINT = re.compile(
    r"\b(can ?not|(can|could|wo|do|does|did|is|are)n't|(do|does|did|is|are|will) not|not work\w*|fail(s|ed)?|hangs?"
    r"|crash\w*|freez\w*|wrong|broken|missing|problems? with|unable|stopped|lost|stuck|slow|disappear\w*|too \w+)",
    re.I,
)
NO_QUESTION = re.compile(
    r"^[>|]|\s>\s|\.\.\.\?$|---|===|[\\{}]{2}|[<>]{2}|\?\s+\d+\.\d|&\w+;|^(so|and|but|or|then|ok|well)\b.{,30}$", re.I
)
NO_TITLE = re.compile(
    r"licen[cs]e|changelog|command.line (options|arguments)|\bfaq\b|copyright|credits|disclaimer|mailing list|contribut"
    r"|bug report|compil|source code|translat|developer|\bGPL\b|[_{}\\|=;@~<>$%]|\(\)|::|->|://|^(--|/|API\b|\w+ \d+$)"
    r"|^the .*(menu|tab|toolbar|page)$|^(summary|release|version|example|table|figure|introduction|overview)\b",
    re.I,
)


def clean_heading(text: str) -> str:
    text = TAIL.sub("", text)
    number = NUMBER.match(text)
    if number and len(text) - number.end() > 8 and not re.match(r"[ai] ", text, re.I):
        text = text[number.end() :]
    text = text.lstrip(" *_=`").rstrip(" *_=`.;,–—-")
    return text[0].upper() + text[1:] if ASKING.match(text) else text


def asks(text: str) -> bool:
    """Whether this is a question and says so with its mark."""
    words = len(text.split())
    if not 3 <= words <= 45 or len(text) > 260 or "?" not in text or NO_QUESTION.search(text):
        return False
    if re.search(r"\?[\"')\]]?$", text) and (words > 6 or re.search(rf"\b{ASKING.pattern}", text, re.I)):
        return True
    return bool(ASKING.match(text))


def is_question(text: str) -> bool:
    """Whether this is a question, with its mark or without ("How to ..."), or a complaint ("X does not start")."""
    if asks(text):
        return True
    if not 4 <= len(text.split()) <= 16 or text.endswith(":") or ". " in text or NO_QUESTION.search(text):
        return False
    return bool(UNMARKED.match(text) or COMPLAINT.search(text))


def is_title(text: str) -> bool:
    """Whether this names a topic, rather than a part that every manual has, a command or a function."""
    letters = sum(letter.isalpha() for letter in text)
    if not 2 <= len(text.split()) <= 20 or not 6 <= len(text) <= 140 or text.isupper() or NO_TITLE.search(text):
        return False
    return letters >= 0.7 * len(text.replace(" ", ""))
