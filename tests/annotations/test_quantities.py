"""Each spelling of a quantity against what it should be."""

from __future__ import annotations

import pytest

from anselm.annotations.quantities import find_quantities


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("on June 14, 2013.", [("date", "june 14 2013")]),
        ("on 14 June 2013", [("date", "june 14 2013")]),
        ("on the 14th of June, 2013", [("date", "june 14 2013")]),
        ("on June 14 , 2013", [("date", "june 14 2013")]),
        ("at 2013-06-14", [("date", "june 14 2013")]),
        ("since Sept. 1999", [("date", "september 1999")]),
        ("since Jan. 05", [("date", "january 5")]),
        ("for $1,200", [("money", "$ 1200")]),
        ("for US$ 3.5 million", [("money", "$ 3.5 million")]),
        ("for 5 million dollars", [("money", "$ 5 million")]),
        ("for 5 million dogs", [("number", "5 million")]),
        ("by 12%, 12 percent or 12.5 per cent", [("percent", "12 %"), ("percent", "12 %"), ("percent", "12.5 %")]),
        ("1,200,000 in the 1990s", [("number", "1200000"), ("number", "1990s")]),
        ("1939–1945", [("number", "1939"), ("number", "1945")]),
        ("the 21st, pi is 3.14.", [("number", "21st"), ("number", "3.14")]),
        ("a B-52, an mp3, v3.11.2, two", []),
        ("10,20", [("number", "10")]),
        ("", []),
    ],
)
def test_quantities_of_a_text(text: str, expected: list[tuple[str, str]]) -> None:
    assert [(found.kind, found.name) for found in find_quantities(text)] == expected
