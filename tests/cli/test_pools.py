"""anselm pool and ask --pool, as they are typed."""

from __future__ import annotations

import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from typer.testing import CliRunner

from anselm.cli import app
from anselm.errors import InputError

ROOT = Path(__file__).parents[2]
FAQ, MANUAL = ROOT / "src/anselm/examples/faq.csv", ROOT / "src/anselm/examples/kettle.md"


def run(*arguments: object, code: int = 0, input: str | None = None) -> str:
    done = CliRunner().invoke(app, [str(argument) for argument in arguments], input=input)
    assert done.exit_code == code, (done.output, done.exception)
    return done.stdout


def exported(place: Path, *options: str) -> list[dict[str, Any]]:
    """By way of a file: standard output is written past the runner."""
    with TemporaryDirectory() as folder:
        run("pool", "export", place, "--output", Path(folder) / "out.jsonl", *options)
        return [json.loads(line) for line in (Path(folder) / "out.jsonl").read_text().splitlines()]


@pytest.fixture(scope="module")
def faq(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("pools") / "faq.pool"
    known = json.loads(run("pool", "add", place, FAQ, MANUAL, "--json"))
    assert known == {
        "pool": str(place),
        "changed": 37,
        "embedded": 37,
        "skipped": 0,
        "passages": 37,
        "without_vector": 0,
    }
    return place


def test_a_pool_answers_as_its_documents_do(faq: Path) -> None:
    for question in ("what do i pay if i am late", "How often should I descale the kettle?"):
        direct = json.loads(run("ask", question, FAQ, MANUAL, "--json"))
        pooled = json.loads(run("ask", question, "--pool", faq, "--json"))
        assert pooled["passages"] == pooled["read"] == direct["passages"] == 37
        assert pooled["answerable"] is direct["answerable"] is True
        places = ("text", "source", "start", "end", "line", "question", "heading", "before", "after")
        for here, there in zip(pooled["results"][:1], direct["results"][:1], strict=True):
            there["heading"] = there["heading"].replace(" > ", ", ") if "heading" in there else None
            assert [here.get(name) for name in places] == [there.get(name) for name in places]
            assert here["score"] == pytest.approx(there["score"], abs=0.05)
    assert json.loads(run("ask", "Who painted the Mona Lisa?", "--pool", faq, "--json"))["answerable"] is False
    run("ask", "Who painted the Mona Lisa?", "--pool", faq, "--exit-code", code=1)


def test_explanations_filters_and_what_is_known_come_along(faq: Path) -> None:
    found = json.loads(run("ask", "library card", "--pool", faq, "--json", "--explain", "--where", "topic=membership"))
    assert {one["meta"]["topic"] for one in found["results"]} == {"membership"}
    assert found["results"][0]["id"] == "card"
    assert found["results"][0]["explanation"]["answer"]
    assert "faq.csv:3" in run("ask", "library card", "--pool", faq)


def test_feedback_is_a_list_to_evaluate_and_calibrate_with(faq: Path, tmp_path: Path) -> None:
    shown, lists = tmp_path / "answers.json", tmp_path / "lists.jsonl"
    for question, right in (("what do i pay if i am late", "--right"), ("Who painted the Mona Lisa?", "--none")):
        shown.write_text(run("ask", question, "--pool", faq, "--json"))
        best = json.loads(shown.read_text())["results"][0]["id"]
        run("pool", "feedback", faq, shown, *([right, best] if right == "--right" else [right]), "--output", lists)
    first, second = map(json.loads, lists.read_text().splitlines())
    assert [one["label"] for one in first["candidates"]] == [1, 0, 0, 0, 0]
    assert first["candidates"][0]["question"]
    assert sum(one["label"] for one in second["candidates"]) == 0
    assert json.loads(run("evaluate", "bm25", "--data", lists, "--json"))["questions"] == 2
    run("train", "--base", "bm25", "--data", lists, "--out", tmp_path / "trained")
    run("calibrate", tmp_path / "trained", "--data", lists)
    run("pool", "feedback", faq, shown, "--none")
    assert (faq / "feedback.jsonl").read_text().count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (("pool", "feedback", "POOL", "answers.json", "--right", "nobody"), "'nobody' was not shown"),
        (("pool", "feedback", "POOL", "answers.json"), "say which is right with --right ID, or --none"),
        (("pool", "feedback", "POOL", "wrong.json", "--none"), "results with ids"),
        (("pool", "delete", "POOL"), "give ids, or --where"),
        (("pool", "delete", "POOL", "--where", "x"), "--where takes NAME=VALUE"),
        (("pool", "info", "nowhere"), "there is no pool at nowhere"),
        (("ask", "x", "--pool", "nowhere"), "there is no pool at nowhere"),
        (("ask", "x"), "give files to ask, with --columns where needed, or --pool"),
        (("ask", "x", "FAQ", "--pool", "POOL"), "give files to ask, with --columns where needed, or --pool"),
        (("ask", "x", "FAQ", "--where", "a=b"), "give files to ask, with --columns where needed, or --pool"),
        (("ask", "x", "--pool", "POOL", "--where", "topic=none"), "no passage is as --where says"),
        (("pool", "add", "redis://x/y", "FAQ"), "is no pool"),
        (("pool", "info", "a\0b"), "a pool is a folder or an address"),
        (("pool", "export", "POOL", "--output", "POOL/feedback.jsonl"), "is within the pool"),
    ],
)
def test_what_cannot_be_is_said(
    faq: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...], problem: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("answers.json").write_text('{"question": "x", "results": [{"id": "card"}]}')
    Path("wrong.json").write_text('{"question": "x"}')
    known = {"POOL": str(faq), "FAQ": str(FAQ)}
    done = CliRunner().invoke(app, [known.get(one, one).replace("POOL", str(faq)) for one in arguments])
    assert isinstance(done.exception, InputError), done.output
    assert problem in str(done.exception)


def test_a_bad_record_is_skipped_named_and_counted(tmp_path: Path) -> None:
    file = tmp_path / "bees.jsonl"
    file.write_text('{"id": "a", "text": "Bees hum."}\n{"id": "b"}\n{"id": "c", "text": "Wax melts."}\n')
    done = CliRunner().invoke(app, ["pool", "add", str(tmp_path / "p"), str(file), "--no-vectors", "--json"])
    assert done.exit_code == 3
    assert json.loads(done.stdout)["skipped"] == 1
    assert "bees.jsonl, line 2: " in done.stderr
    assert "1 skipped; --strict stops at the first" in done.stderr
    strict = CliRunner().invoke(app, ["pool", "add", str(tmp_path / "q"), str(file), "--no-vectors", "--strict"])
    assert isinstance(strict.exception, InputError)


def test_words_are_found_before_vectors_are_filled_in(tmp_path: Path) -> None:
    place = tmp_path / "p"
    run("pool", "add", place, "-", "--no-vectors", input='{"id": "a", "text": "Bees hum."}\n')
    assert json.loads(run("pool", "info", place, "--json"))["without_vector"] == 1
    again = " ".join(run("pool", "add", place, "-", "--no-vectors", input='{"id": "a", "text": "Bees hum."}').split())
    assert f"1 are found by their words alone until `anselm pool add {place}` fills in vectors" in again
    assert json.loads(run("ask", "bees?", "--pool", place, "--json"))["results"][0]["id"] == "a"
    missed = CliRunner().invoke(app, ["ask", "insects?", "--pool", str(place)])
    assert "no passage shares a word" in str(missed.exception)
    assert json.loads(run("pool", "add", place, "--json"))["embedded"] == 1
    assert json.loads(run("ask", "insects?", "--pool", place, "--json"))["results"][0]["id"] == "a"


def test_what_is_exported_can_be_added(faq: Path, tmp_path: Path) -> None:
    run("pool", "export", faq, "--output", tmp_path / "faq.jsonl.gz")
    run("pool", "add", tmp_path / "copy", tmp_path / "faq.jsonl.gz", "--no-vectors")
    assert exported(tmp_path / "copy") == exported(faq)
    assert len(exported(faq)) == 37
    assert "12 passages deleted" in run("pool", "delete", tmp_path / "copy", "--where", f"source={FAQ}")
    assert "25 passages" in run("pool", "rebuild", tmp_path / "copy")
    assert "without vector: 25" in run("pool", "info", tmp_path / "copy")


def test_a_page_without_sentences_is_told_and_no_pool_is_made_of_it(tmp_path: Path) -> None:
    place, page, full = tmp_path / "p", tmp_path / "page.html", tmp_path / "full.md"
    page.write_text("<html><body><script>go()</script></body></html>")
    full.write_text("Bees hum.")
    alone = CliRunner().invoke(app, ["pool", "add", str(place), str(page)])
    assert str(alone.exception) == (
        f"nothing was added, and {place} was not made: {page}: there are no sentences in it"
    )
    assert not place.exists()
    both = CliRunner().invoke(app, ["pool", "add", str(place), str(full), str(page), "--no-vectors"])
    assert both.exit_code == 3
    assert "1 passage in" in " ".join(both.stdout.split())
    assert f"skipped: {page}: there are no sentences in it" in both.stderr
    full.write_text("\n")
    emptied = CliRunner().invoke(app, ["pool", "add", str(place), str(full), "--no-vectors", "--json"])
    assert json.loads(emptied.stdout)["passages"] == 0


def test_what_was_exported_is_the_same_in_the_same_pool(faq: Path, tmp_path: Path) -> None:
    (tmp_path / "plain.txt").write_text("Bees hum. Wax melts.")
    place, file = tmp_path / "p", tmp_path / "out.jsonl"
    run("pool", "add", place, tmp_path / "plain.txt", "--no-vectors")
    run("pool", "add", place, "-", "--no-vectors", input='{"id": "loose", "text": "No file has it."}\n')
    run("pool", "export", place, "--output", file)
    assert json.loads(run("pool", "add", place, file, "--no-vectors", "--json"))["changed"] == 0


def test_a_number_finds_what_a_table_has(tmp_path: Path) -> None:
    (tmp_path / "faq.csv").write_text("question,answer,year,old\nWhy?,So.,2025,true\nWho?,Me.,2026,false\n")
    place = tmp_path / "p"
    run("pool", "add", place, tmp_path / "faq.csv", "--no-vectors")
    run("pool", "add", place, "-", "--no-vectors", input='{"id": "n", "text": "Then.", "year": 2025, "old": true}\n')
    assert [len(exported(place, "--where", where)) for where in ("year=2025", "old=true", 'year="2025"')] == [2, 2, 1]


def test_two_dumps_have_their_answers_each(tmp_path: Path) -> None:
    post = '<row Id="1" PostTypeId="1" Title="Why?" Tags="" Body="x" Score="1"/><row Id="2" PostTypeId="2" ParentId="1"'
    for name in ("bees", "tea"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "Posts.xml").write_text(f'<posts>{post} Body="Of {name}." Score="1"/></posts>')
        run("pool", "add", tmp_path / "p", tmp_path / name / "Posts.xml", "--no-vectors")
    assert [item["text"] for item in exported(tmp_path / "p")] == ["Of bees.", "Of tea."]
