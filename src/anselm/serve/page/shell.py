"""What all pages share: the frame around them, and headers that keep everything else out."""

from __future__ import annotations

from html import escape
from pathlib import Path
from string import Template

from starlette.responses import HTMLResponse, Response

import anselm

ASSETS = Path(__file__).parent / "assets"
TEMPLATES = Path(__file__).parent / "templates"
KINDS = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}
HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-cache",
}


def fill(name: str, **parts: str) -> str:
    """A template with its parts, which are HTML already."""
    return Template((TEMPLATES / name).read_text(encoding="utf-8")).substitute(parts)


def page(title: str, body: str, here: str) -> Response:
    frame = fill("frame.html", title=escape(title), body=body, version=escape(anselm.__version__))
    marked = frame.replace(f'<a href="{here}">', f'<a href="{here}" aria-current="page">', 1)
    return HTMLResponse(marked, headers=HEADERS)


def asset(path: Path) -> Response:
    return Response(path.read_bytes(), media_type=KINDS[path.suffix], headers=HEADERS)
