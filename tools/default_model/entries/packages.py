"""Debian packages: downloaded with apt-get, and of what is in them only the files that can hold entries."""

from __future__ import annotations

import re
import subprocess
import tarfile
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from anselm.errors import FormatError, InputError
from anselm.files import open_by_content, read_lines, write_folder_atomically

LARGEST = 6_000_000  # bytes of a file
HELP = re.compile(r"usr/share/(help/C|doc/(kde/)?HTML/en)/.*\.(page|docbook|xml)$")
ASKED = re.compile(r"faq|question|trouble|problem|q-?(and|n)-?a|how-?do-?i|common.?error", re.I)
FOREIGN = re.compile(
    r"[/._-](ca|cs|da|de|el|es|eu|fa|fi|fr|gl|hu|it|ja|ko|nb|nl|pl|pt|ro|ru|sk|sl|sr|sv|tr|uk|vi|zh|german|french"
    r"|japanese|spanish|(?!en)[a-z]{2}[-_][A-Z]{2})([-_]\w+)?(?=[/.])"
)
NO_FAQ = re.compile(
    r"doc-base/|changelog|/_sources/|/_static/|/lintian/|/locale/|usr/(s?bin|games|include|src)/|ofl-?faq", re.I
)
NO_PAGE = re.compile(
    r"(index|toc|search|faq|[fg][pd]l|licen[cs]e|copy(ing|right)|biblio|glossary|change|release)[^/]*$", re.I
)
FORMS = {
    "html": r"\.(x?html?|php)$",
    "manual": r"\.(page|docbook|xml)$",
    "pod": r"\.(pod|pm)$",
    "text": r"\.(txt|md|rst|markdown|mdwn|adoc|asciidoc)$"
    r"|/(readme[.-])?(\w+[-_.])?(faq|questions|troubleshooting|problems)[^/.]*(\.(info-\d|en|misc))?$",
}


@dataclass(frozen=True)
class Package:
    name: str
    pages: re.Pattern[str] | None = None  # HTML pages whose titles are entries too

    def form(self, path: str) -> str | None:
        """How to read a file of this package; None for one without entries."""
        name = path.removesuffix(".gz")
        asked = ASKED.search(name) and not NO_FAQ.search(name) and not FOREIGN.search(name)
        if not asked and not self.has_titles(path):
            return None
        return next((form for form, names in FORMS.items() if re.search(names, name, re.I)), None)

    def has_titles(self, path: str) -> bool:
        """Whether the titles in this file are entries, not only the questions."""
        page = self.pages and self.pages.search(path) and path.endswith((".html", ".html.gz"))
        return bool(HELP.match(path) or (page and not NO_PAGE.search(path)))


def read_packages(path: Path) -> list[Package]:
    """One name a line, with a pattern of paths after it where HTML pages are to be read for their titles."""
    found = []
    for number, line in read_lines(path):
        name, _, pages = line.partition("#")[0].strip().partition(" ")
        if name and not re.fullmatch("[a-z0-9][a-z0-9+.-]+", name):
            raise FormatError(path, f"{name!r} is no name of a package", number)
        try:
            found += [Package(name, re.compile(pages) if pages else None)] if name else []
        except re.error as error:
            raise FormatError(path, f"{pages!r} is no pattern: {error}", number) from None
    return found


def unpack(package: Package, work: Path) -> Path:
    """The folder with the files of a package, which is downloaded unless it is there."""
    folder = work / package.name
    if not folder.is_dir():
        with TemporaryDirectory(dir=work) as scratch, write_folder_atomically(folder) as partial:
            _extract(_download(package.name, Path(scratch)), package, partial)
    return folder


def _download(name: str, folder: Path) -> Path:
    done = subprocess.run(["apt-get", "--quiet", "download", name], cwd=folder, capture_output=True, text=True)
    archive = next(folder.glob("*.deb"), None)
    if archive is None:
        said = [line for line in done.stderr.splitlines() if line.startswith("E:")]
        raise InputError(f"{name} cannot be downloaded: {' '.join(said) or 'apt-get gave no reason'}")
    return archive


def _extract(archive: Path, package: Package, folder: Path) -> None:
    with subprocess.Popen(["dpkg-deb", "--fsys-tarfile", archive], stdout=subprocess.PIPE) as process:
        try:
            with tarfile.open(fileobj=process.stdout, mode="r|") as tar:
                for member in tar:
                    if _is_wanted(member, package):
                        tar.extract(member, folder, filter="data")
        except tarfile.TarError as error:
            raise InputError(f"{package.name} cannot be unpacked: {error}") from None


def _is_wanted(member: tarfile.TarInfo, package: Package) -> bool:
    path = member.name.removeprefix("./")
    if member.issym():  # in place of a folder with a copyright file of its own
        return path == f"usr/share/doc/{package.name}"
    wanted = package.form(path) or re.search(r"/copyright$|/(entities|en)/[^/]*\.entities$", path)
    return member.isfile() and member.size <= LARGEST and bool(wanted)


def read_copyright(package: Package, work: Path) -> str:
    """What its copyright file says, or that of the package which it shares its documentation with."""
    home = work / package.name / "usr/share/doc" / package.name
    if home.is_symlink():
        return read_copyright(Package(home.readlink().name), work)
    return "\n\n".join(read_text(path) for path in unpack(package, work).glob("usr/share/doc/*/copyright"))


def read_text(path: Path) -> str:
    with open_by_content(path) as file:
        raw = file.read()
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        return raw.decode("latin-1")
