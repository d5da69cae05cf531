"""Collecting entries from documentation: small documents of every form, against the entries that a reader sees."""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterable
from pathlib import Path

import pytest

from anselm.data.datasets import load_dataset
from anselm.data.question import Candidate
from tools.default_model import collect_entries
from tools.default_model.collect_entries import EVERYWHERE, OWN_SOURCE, Found, records, without_duplicates
from tools.default_model.entries import html, manuals, pod, text
from tools.default_model.entries.blocks import Block
from tools.default_model.entries.finding import Entry, find_entries
from tools.default_model.entries.licences import find_licence, is_free
from tools.default_model.entries.packages import Package

CLEAN = ("How do I clean the stove?", "Let it cool down and wipe it with a cloth that is not too wet.")
SMOKE = ("Why does it smoke?", "The wood is wet, or the door of the stove is not closed as it should be.")
LIGHT = ("Lighting the stove", "To light it, open the door of the stove and put dry wood in the middle of the grate.")
IRON = "It is a thing of iron in which you can burn wood, if you have a chimney for it."


def found(blocks: Iterable[Block], titles: bool = False) -> list[tuple[str, str, str]]:
    return [(entry.question, entry.answer, entry.section) for entry in find_entries(blocks, titles)]


def test_html_has_questions_as_terms_as_headings_and_in_bold() -> None:
    page = f"""<html lang="en"><head><title>How does a title go?</title></head><body>
      <div class="navbar"><p><b>Where am I?</b> {IRON}</p></div>
      <h1>Stoves</h1> <p>{IRON}</p>
      <h2>Care</h2> <dl> <dt>1.1 {CLEAN[0]} <dd>Let it cool down<br>and <i>wipe</i> it with a cloth that is not
      too&nbsp;wet. <dt>Grate <dd>{IRON} </dl>
      <h2>Q2. {SMOKE[0]}</h2> <p>A: {SMOKE[1]}</p> <p>Copyright 2001 by the makers of the stove.</p>
      <p><b>Is it hot?</b> {IRON}</p></body></html>"""
    of_term = (CLEAN[0], f"{CLEAN[1]} Grate. {IRON}", "Care")
    assert found(html.read(page)) == [of_term, (*SMOKE, "Stoves"), ("Is it hot?", IRON, SMOKE[0])]
    assert html.read(page.replace('lang="en"', 'lang="de"')) == []


def test_titles_are_entries_where_they_are_asked_for_and_name_what_their_text_is_about() -> None:
    page = f"<h1>Stoves</h1><h2>{LIGHT[0]}</h2><p>{LIGHT[1]}</p><h2>Far travels</h2><p>{IRON}</p>"
    assert found(html.read(page), titles=True) == [(*LIGHT, "Stoves")]
    assert found(html.read(page)) == []
    assert found(html.read(page.replace("Stoves", "Credits")), titles=True) == []
    whole = f"<h2>Burning wood</h2><p>Wait.</p><h3>Lighting the stove</h3><p>{LIGHT[1]} {IRON}</p>"
    assert found(html.read(whole), titles=True) == [
        ("Burning wood", f"Wait. Lighting the stove. {LIGHT[1]} {IRON}", "")
    ]


def test_answers_leave_out_long_code_and_end_with_a_sentence() -> None:
    listing = "<pre>" + "rm -f x_1 && cp --all y_2 z/; " * 5 + "</pre>"
    assert found(html.read(f"<h2>{CLEAN[0]}</h2><p>{CLEAN[1]} Do it like this:</p>{listing}")) == [(*CLEAN, "")]
    [(_, answer, _)] = found(html.read(f"<h2>{CLEAN[0]}</h2><p>{'This is what you do with it. ' * 60}</p>"))
    assert answer == " ".join(["This is what you do with it."] * 57)  # 7 words each; 400 are the most


def test_what_answers_nothing_is_no_entry() -> None:
    for answer in (
        "Wipe it.",  # too short
        "See the section on cleaning, which is the next one in this book.",
        "Man putzt ihn mit einem Tuch, das nicht zu feucht sein darf, und wartet dann eine Stunde.",
        "Why is it hot? Is it on? Who lit it? Where is the wood? What is to be done with it?",  # a list of contents
    ):
        assert found(html.read(f"<h2>{CLEAN[0]}</h2><p>{answer}</p>")) == []


def test_mallard_has_pages_and_sections_below_the_guide_that_links_them() -> None:
    page = f"""<page xmlns="http://projectmallard.org/1.0/" type="topic" id="light"><info>
      <link type="guide" xref="heating"/><title type="sort">1</title><desc>How is a stove lit in the end?</desc></info>
      <title>{LIGHT[0]}</title> <p>{LIGHT[1]}</p>
      <note><title>How hot is it?</title><p>Choose <guiseq><gui>Stove</gui> <gui>Heat</gui></guiseq>.</p></note>
      <section id="smoke"><title>{SMOKE[0]}</title><!-- How is this? --><p>{SMOKE[1]}</p></section></page>"""
    light = (LIGHT[0], f"{LIGHT[1]} How hot is it? Choose Stove > Heat.", "heating")
    assert found(html.read(manuals.to_html(page, {})), titles=True) == [light, (*SMOKE, LIGHT[0])]


def test_docbook_has_questions_and_sections_and_its_entities_stand_for_names() -> None:
    book = f"""<?xml version="1.0" ?> <!DOCTYPE book PUBLIC "-//KDE//DTD" "dtd/kdedbx45.dtd" [
      <!ENTITY kappname "&stove;"> <!ENTITY stove "<application>KStove</application>"> <!ENTITY % own "INCLUDE">]>
      <book><chapter id="use"><title>Use</title>
      <sect1><title>Lighting &kappname;</title><para>To light it, open the door of &kappname; and put some dry
      wood in the middle of &ugrate; &lt;1&gt;.<indexterm><primary>wood</primary></indexterm></para></sect1></chapter>
      <chapter><title>Questions</title><qandaset><qandaentry><question><para>{SMOKE[0]}</para></question>
      <answer><para>{SMOKE[1]}</para></answer></qandaentry></qandaset></chapter></book>"""
    names = manuals.entities(book)
    assert names == {"kappname": "&stove;", "stove": "<application>KStove</application>"}
    light = "To light it, open the door of KStove and put some dry wood in the middle of Ugrate <1>."
    expected = [("Lighting KStove", light, "Use"), (*SMOKE, "Questions")]
    assert found(html.read(manuals.to_html(book, names)), titles=True) == expected


def test_pod_is_read_between_its_commands_and_without_its_codes() -> None:
    parts = [
        'my $x = "How is this read?";', "=head1 Care", f"=head2 {CLEAN[0]}X<clean>",
        "Let it B<cool I<down>> and C<< wipe >> it with L<a cloth|clothes> that is not E<lt>tooE<gt> wet.", "=over",
        f"=item * {SMOKE[0]}", SMOKE[1], "=begin html", "What is this for, in the other form of this document?",
        "=end html", "=cut", "sub what { is the answer to all of the questions of the world }",
    ]  # fmt: skip
    cleaned = "Let it cool down and wipe it with a cloth that is not <too> wet."
    assert found(pod.read("\n\n".join(parts))) == [(CLEAN[0], cleaned, "Care"), (*SMOKE, CLEAN[0])]


@pytest.mark.parametrize(
    ("document", "section"),
    [
        (f"Q: {CLEAN[0]}\nA: {CLEAN[1]}\n\nQ: {SMOKE[0]}\nA: {SMOKE[1]}\n", ""),
        (f"Stove\n=====\n\n1. {CLEAN[0]}\n\n   {CLEAN[1]}\n\n2) {SMOKE[0]}\n   {SMOKE[1]}\n", "Stove"),
        (f"# Stove\n## {CLEAN[0]}\n{CLEAN[1]}\n## {SMOKE[0]}\n**{SMOKE[1]}**\n", "Stove"),
        (f"{CLEAN[0]}\r\n  {CLEAN[1]}\r\n\r\nFrom: a@b.org\r\n\r\n{SMOKE[0]}\r\n\r\n{SMOKE[1]}", ""),
    ],
    ids=["labels", "numbers", "markdown", "bare"],
)
def test_plain_text_has_questions_with_labels_numbers_marks_or_alone(document: str, section: str) -> None:
    assert found(text.read(document)) == [(*CLEAN, section), (*SMOKE, section)]


@pytest.mark.parametrize(
    ("file", "licence", "free"),
    [
        ("Format: 1.0\n\nFiles: *\nCopyright: me\nLicense: GPL-2+\n\nFiles: debian/*\nLicense: MIT\n", "GPL-2+", True),
        ("Files: *\nLicense: GPL-2+\n\nFiles: doc/*\nLicense: CC-BY-NC-3.0\n", "GPL-2+; CC-BY-NC-3.0", False),
        ("Files: *\nLicense: own\n\nLicense: own\n It is in the public\n domain.\n", "public domain", True),
        ("It is under the GNU General Public\nLicense (the GPL), see the GPL.", "General Public License, GPL", True),
        ("The PDF files may be read by those who are admitted to the ISCSI.", "", False),
        ("", "", False),
    ],
    ids=["fields", "documentation", "own", "free-form", "parts of words", "none"],
)
def test_licences(file: str, licence: str, free: bool) -> None:
    assert (find_licence(file), is_free(licence)) == (licence, free)


def test_a_path_tells_how_to_read_a_file_and_whether_for_its_titles() -> None:
    package, home, manual = Package("stove", re.compile("/html/")), "usr/share/doc/stove", "usr/share/help"
    for path in ("faq.de.html", "changelog-faq.txt", "light.html", "html/index.html", "README"):
        assert package.form(f"{home}/{path}") is None
    assert package.form(f"{manual}/de/stove/light.page") is None
    expected = {"FAQ.gz": "text", "faq.html": "html", "perlfaq4.pod": "pod", "Troubleshooting.md": "text"}
    assert {path: package.form(f"{home}/{path}") for path in expected} == expected
    assert not any(package.has_titles(f"{home}/{path}") for path in expected)
    with_titles = {f"{home}/html/light.html": "html", f"{manual}/C/stove/light.page": "manual"}
    assert {path: package.form(path) for path in with_titles if package.has_titles(path)} == with_titles


def of(package: str, question: str, answer: str) -> Found:
    return Found(Entry(question, answer, package), package, "GPL-2+", "text")


def test_of_duplicates_the_longest_stays_and_of_general_headings_none() -> None:
    longest, alone = of("b", "How do I light IT?", "With a match, slowly."), of("c", "What is it?", "A stove.")
    given = [of("a", "How do I light it", "With a match."), alone, longest, of("d", "Why a stove?", "a  STOVE")]
    general = [of(f"p{n}", "Getting started", f"Open stove {n}.") for n in range(EVERYWHERE + 1)]
    assert without_duplicates(given + general) == [longest, alone]
    assert without_duplicates(general[1:]) == [general[1]]


def test_packages_of_few_entries_share_a_source() -> None:
    many = [of("many", f"Question {n}?", f"Answer {n}.") for n in range(OWN_SOURCE)]
    made = list(records([of("few", "Why?", "So."), *many, of("rare", "How?", "Thus.")]))
    assert [one["id"] for one in made] == ["other-text/0", *(f"many/{n}" for n in range(OWN_SOURCE)), "other-text/1"]


def run(folder: Path, monkeypatch: pytest.MonkeyPatch, work: str = "work") -> None:
    """The command, for the packages of names.txt; what it would have to download cannot be."""
    options = ("--work", folder / work, "--packages", folder / "names.txt")
    monkeypatch.setattr("shutil.which", lambda tool: tool)
    monkeypatch.setattr("subprocess.run", lambda command, **_: type("Done", (), {"stderr": f"W: -\nE: {command[-1]}?"}))
    monkeypatch.setattr("sys.argv", ["collect_entries.py", *map(str, (folder / "out.jsonl.gz", *options))])
    collect_entries.main()


def test_the_command_writes_a_dataset(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, licence in (("stove", "GPL-2+"), ("oven", "non-free")):
        home = tmp_path / "work" / name / "usr/share/doc" / name
        home.mkdir(parents=True)
        (home / "copyright").write_text(f"Files: *\nLicense: {licence}\n")
        (home / "FAQ.gz").write_bytes(gzip.compress(f"Q: {CLEAN[0]}\nA: {CLEAN[1]} 20 °C\n".encode("latin-1")))
    (tmp_path / "names.txt").write_text("# of iron\nlamp\noven  # hot\n\nstove /html/\n")
    run(tmp_path, monkeypatch)
    [question] = load_dataset(tmp_path / "out.jsonl.gz").questions
    assert (question.id, question.text) == ("other-text/0", CLEAN[0])
    assert question.candidates == (Candidate("0", f"{CLEAN[1]} 20 °C.", 1.0),)
    assert question.meta == {"source": "other-text", "section": "stove / FAQ", "package": "stove", "licence": "GPL-2+"}
    assert capsys.readouterr().out.splitlines() == [
        "skipped: lamp cannot be downloaded: E: lamp?",
        "skipped: oven is under no licence known to be free (non-free)",
        "stove: 1 entries",
    ]
    assert sorted(path.name for path in (tmp_path / "work").iterdir()) == ["oven", "stove"]


@pytest.mark.parametrize(
    ("names", "work", "message"),
    [
        (None, "work", r"names\.txt does not exist"),
        ("stove\nNo Name\n", "work", r"names\.txt, line 2: 'No' is no name of a package"),
        ("stove /(html/\n", "work", r"names\.txt, line 1: '/\(html/' is no pattern: .*"),
        ("stove\n", "names.txt", r"names\.txt cannot be written: File exists"),
    ],
)
def test_what_cannot_be_used_is_told_in_a_sentence_and_nothing_is_written(
    names: str | None, work: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if names:
        (tmp_path / "names.txt").write_text(names)
    with pytest.raises(SystemExit) as stopped:
        run(tmp_path, monkeypatch, work)
    assert re.fullmatch(re.escape(f"{tmp_path}/") + message, str(stopped.value.code))  # a sentence: Python exits with 1
    assert [path.name for path in tmp_path.iterdir()] == ["names.txt"] * bool(names)
