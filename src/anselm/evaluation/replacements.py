"""What stands in a distractor for what was asked about: names of each kind that nobody has heard of, and opposites."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from random import Random

MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip
NAMES: Mapping[str, tuple[str, ...]] = {
    "person": (
        "Jeff Dean", "Otto Baker", "Clara Vance", "Trevor Bledsoe", "Ingrid Solberg", "Marcus Webb", "Nadia Kessler",
        "Leonard Finch", "Rosa Whitfield", "Edmund Hale",
    ),
    "place": (
        "Springfield", "Lindholm", "Port Ashby", "Carrow", "Velden", "Marston", "New Haverly", "Tarrant", "Ostermoor",
        "Kirkwell",
    ),
    "organisation": (
        "Stark Industries", "the Halden Group", "Northfield University", "the Corbin Society", "Meridian Records",
        "the Larkin Institute", "Ashdown Motors", "the Belmont Party",
    ),
    "name": (
        "the Golden Harbor", "Central Park", "the Silver Lantern", "Champ Bowl", "the Amber Road", "Halcyon",
        "the Winter Garden", "Bluestone", "the Copper Crown", "Evermore",
    ),
    "nationality": ("Belgian", "Peruvian", "Finnish", "Maltese", "Chilean", "Latvian", "Kenyan", "Danish"),
    "reason": (
        "a shortage of copper", "the heavy autumn rain", "a change in the weather", "the price of timber",
        "an old agreement", "a broken valve", "the lack of daylight", "a new set of rules",
    ),
    "noun": (
        "lantern", "saddle", "turnip", "walrus", "kettle", "violin", "pebble", "anchor", "blanket", "orchard",
        "feather", "ladder",
    ),
}  # fmt: skip
MAKERS: Mapping[str, Callable[[Random], str]] = {
    "year": lambda draw: str(draw.randrange(1700, 2000)),
    "date": lambda draw: f"{draw.choice(MONTHS)} {draw.randrange(1, 29)}, {draw.randrange(1700, 2000)}",
    "number": lambda draw: str(draw.randrange(13, 900)),
    "percent": lambda draw: f"{draw.randrange(3, 98)} percent",
    "money": lambda draw: f"${draw.randrange(3, 900)} million",
    "duration": lambda draw: f"{draw.randrange(13, 90)} {draw.choice(('days', 'weeks', 'years'))}",
    "size": lambda draw: f"{draw.randrange(13, 900)} metres",
    "age": lambda draw: f"{draw.randrange(21, 90)} years old",
    "frequency": lambda draw: f"every {draw.randrange(3, 40)} days",
}

_OPPOSITES = """
    first last|early late|earlier later|old new|older newer|oldest newest|young elderly|large small|larger smaller
    largest smallest|big little|bigger littler|biggest tiniest|high low|higher lower|highest lowest|long short
    longer shorter|longest shortest|tall squat|tallest flattest|fast slow|faster slower|fastest slowest|strong weak
    stronger weaker|hot cold|warm cool|good bad|better worse|best worst|rich poor|easy hard|light heavy|open closed
    public private|modern ancient|northern southern|eastern western|north south|east west|upper lower|inner outer
    male female|men women|man woman|boy girl|father mother|husband wife|brother sister|son daughter|king queen
    domestic foreign|national local|military civilian|positive negative|major minor|maximum minimum
    common rare|rural urban|legal illegal|possible impossible|success failure|successful failed
    win lose|won lost|buy sell|bought sold|increase decrease|increased decreased|begin end|began ended|start finish
    started finished|born buried|die live|died lived|love hate|accept reject|accepted rejected|arrive leave
    arrived left|enter exit|import export|imports exports|attack defend|attacked defended|before after|above below
    inside outside|left right|front back|day night|summer winter|spring autumn|cause prevent|causes prevents
    founded closed|built demolished|discovered lost|invented abolished|opened closed|joined left|summit base
    president vice-president|teacher pupil|offense defense|offensive defensive|liquid solid|acid base|plant animal
    land sea|war peace|victory defeat|friend enemy|beginning end|top bottom|majority minority|plural singular
"""


def _pairs(text: str) -> dict[str, str]:
    """Both ways; what is listed twice has the opposite that is listed first."""
    pairs = [pair.split() for line in text.strip().splitlines() for pair in line.split("|")]
    known: dict[str, str] = {}
    for one, other in pairs:
        known.setdefault(one, other)
        known.setdefault(other, one)
    return known


OPPOSITES: Mapping[str, str] = _pairs(_OPPOSITES)


def draw_replacement(kind: str, draw: Random, avoided: str = "") -> str:
    """Something of a kind that does not occur in `avoided`, a folded text, as long as there is one."""
    made = [MAKERS[kind](draw) for _ in range(8)] if kind in MAKERS else []
    choices = made or draw.sample(NAMES[kind], len(NAMES[kind]))
    return next((one for one in choices if one.removeprefix("the ").casefold() not in avoided), choices[0])
