"""Office files built by hand: packed folders of XML."""

from __future__ import annotations

import io
import zipfile

MAIN = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
LINKS = 'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'
BOOK = "xl/workbook.xml"
DECLARED = '<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/hostname"><!ENTITY b "&a;&a;">]>'
HEADER = "<row><c t='str'><v>Question</v></c><c t='str'><v>Answer</v></c></row>"
ROW = "<row><c t='str'><v>Why?</v></c><c t='str'><v>So.</v></c></row>"


def packed(parts: dict[str, str | bytes]) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as folder:
        for name, content in parts.items():
            folder.writestr(name, content)
    return file.getvalue()


def relations(**targets: str) -> str:
    """By id: the kind and the part."""
    each = (target.split() for target in targets.values())
    links = (
        f'<Relationship Id="{id}" Type="a/{kind}" Target="{part}"/>'
        for id, (kind, part) in zip(targets, each, strict=True)
    )
    return f"<Relationships>{''.join(links)}</Relationships>"


def xlsx(
    *sheets: str,
    shared: str = "",
    styles: str = "",
    states: str = "",
    settings: str = "",
    names: str = "",
    prolog: str = "",
) -> bytes:
    """A workbook of sheets, given as rows; what follows the rows of one stands behind a bar."""
    each = (names or " ".join(f"S{number}" for number in range(len(sheets)))).split()
    shown = states.split() or ["visible"] * len(sheets)
    listed = "".join(
        f'<sheet name="{name}" state="{state}" r:id="r{place}"/>'
        for place, (name, state) in enumerate(zip(each, shown, strict=True))
    )
    parts: dict[str, str | bytes] = {
        "_rels/.rels": relations(x=f"officeDocument {BOOK}"),
        BOOK: f"<workbook {MAIN} {LINKS}>{settings}<sheets>{listed}</sheets></workbook>",
        "xl/_rels/workbook.xml.rels": relations(
            s="sharedStrings sharedStrings.xml",
            t="styles /xl/styles.xml",
            **{f"r{place}": f"worksheet worksheets/sheet{place}.xml" for place in range(len(sheets))},
        ),
    }
    for place, rows in enumerate(sheets):
        inside, _, behind = rows.partition("|")
        parts[f"xl/worksheets/sheet{place}.xml"] = (
            f"{prolog}<worksheet {MAIN}><sheetData>{inside}</sheetData>{behind}</worksheet>"
        )
    if shared:
        parts["xl/sharedStrings.xml"] = f"{prolog}<sst {MAIN}>{shared}</sst>"
    if styles:
        parts["xl/styles.xml"] = f"<styleSheet {MAIN}>{styles}</styleSheet>"
    return packed(parts)


def table(*rows: str) -> str:
    """Rows of texts, parted by bars; an empty one has no row at all."""
    return "".join(
        f"<row r='{number}'>" + "".join(f"<c t='str'><v>{text}</v></c>" for text in row.split("/")) + "</row>"
        for number, row in enumerate(rows, start=1)
        if row
    )
