"""The tables of a page are replaced where they stand, and nothing else is."""

from __future__ import annotations

import pytest

from tools.renew_tables import renew

PAGE = """# Paper

### table-1

| a |
|---|
| old |

† gone.

Prose | with a bar.

### table-2

| b |
|---|

The end.
"""


def test_tables_are_replaced_and_prose_stays() -> None:
    found = renew(PAGE, {"table-1": "| a |\n|---|\n| new † |\n\n† why.", "table-2": "| c |\n|---|"})
    assert found == PAGE.replace("| old |", "| new † |").replace("† gone.", "† why.").replace("| b |", "| c |")
    assert renew(found, {"table-1": "| a |\n|---|\n| new † |\n\n† why."}) == found


def test_a_table_without_a_place_is_named() -> None:
    with pytest.raises(SystemExit, match="no heading `### table-3`"):
        renew(PAGE, {"table-3": "| x |"})
