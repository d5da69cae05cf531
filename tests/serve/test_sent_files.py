"""Files in requests: read as files are, refused in one sentence, and read where they can do no harm."""

from __future__ import annotations

import asyncio
import base64
import gzip
import re
import subprocess
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event, Thread
from typing import Any, get_args

import httpx2
import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from anselm import Ranker
from anselm.errors import FormatError
from anselm.serve.app import create_app
from anselm.serve.configuration import Limits, Settings
from anselm.serve.document_forms import FileKind
from anselm.serve.file_process import Order, SentFile, read
from anselm.serve.file_readers import FileReaders
from anselm.serve.queue import Ticket
from anselm.serve.refusals import Refusal
from anselm.serve.service import Service
from anselm.text.documents import Document
from anselm.text.kinds import KINDS
from tests.packed_files import packed, table, xlsx

QUERY = "When does the shop open?"
BOOK = xlsx(table("Question/Answer", "Where do I park?/Behind.", "", "When do you open?/At nine."))
W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
PARAGRAPHS = "".join(f"<w:p><w:r><w:t>{text}</w:t></w:r></w:p>" for text in ("Parking is free.", "We open at nine."))
WORD = packed({"word/document.xml": f"<w:document {W}><w:body>{PARAGRAPHS}</w:body></w:document>"})


def base64_of(raw: bytes) -> str:
    return base64.b64encode(raw).decode()


def ask(client: TestClient, document: Any, **fields: Any) -> Any:
    return client.post("/ask", json={"question": QUERY, "model": "bm25", "documents": [document], **fields})


@pytest.mark.parametrize(
    ("name", "raw"),
    [
        ("faq.xlsx", BOOK), ("faq.xlsx.gz", gzip.compress(BOOK)), ("manual.docx", WORD),
        ("faq.csv", "question,answer\nWhen do you open?,Öffnen: at nine.\n".encode("utf-16")),
        ("manual.md", b"# Hours\n\nWe *open* at nine. Parking is free."), ("README", b"We open at nine."),
    ],
)  # fmt: skip
def test_a_file_is_read_as_from_a_path(client: TestClient, tmp_path: Path, name: str, raw: bytes) -> None:
    (tmp_path / name).write_bytes(raw)
    wanted = Ranker.load("bm25").ask(QUERY, tmp_path / name).to_dict()["results"]
    answer = ask(client, {"content": base64_of(raw), "source": name}, return_documents=True)
    assert answer.status_code == 200, answer.text
    found = answer.json()
    same = ("text", "start", "end", "line", "question", "heading", "before", "after")
    assert [[one.get(key) for key in same] for one in found["results"]] == [
        [one.get(key) for key in same] for one in wanted
    ]
    assert [one["probability"] for one in found["results"]] == pytest.approx([one["probability"] for one in wanted])
    [document] = found["documents"]
    best = found["results"][0]
    assert best["text"].replace("open", "*open*" if name.endswith(".md") else "open") in document["text"]
    assert (best["source"], document["source"]) == (name, name)


def test_the_row_of_a_spreadsheet_is_its_line_and_offsets_count_its_text(client: TestClient) -> None:
    found = ask(client, {"content": base64_of(BOOK), "source": "faq.xlsx"}, return_documents=True).json()
    best, [document] = found["results"][0], found["documents"]
    assert (best["text"], best["line"]) == ("At nine.", 4)
    assert document["text"][best["start"] : best["end"]] == "At nine."
    assert document["kind"] == "xlsx"
    assert "documents" not in ask(client, {"content": base64_of(BOOK), "kind": "xlsx"}).json()


def test_columns_of_a_spreadsheet(client: TestClient) -> None:
    raw = xlsx(table("Topic/Note", "When do you open?/At nine."))
    document = {"content": base64_of(raw), "source": "faq.xlsx"}
    assert "columns" in ask(client, document).json()["message"]
    found = ask(client, document, columns={"question": "Topic", "answer": "Note"}).json()
    assert [(one["question"], one["text"]) for one in found["results"]] == [("When do you open?", "At nine.")]


def test_texts_and_files_in_one_request_keep_their_order(client: TestClient) -> None:
    documents = ["We open at ten.", {"content": base64_of(BOOK), "kind": "xlsx"}, {"text": "Dogs are welcome."}]
    given = {"question": QUERY, "documents": documents, "return_documents": True, "top": 9}
    found = client.post("/ask", json=given).json()
    assert [one["source"] for one in found["documents"]] == ["document 0", "document 1", "document 2"]
    assert [one["kind"] for one in found["documents"]] == ["text", "xlsx", "text"]
    sources = {one["text"]: one["source"] for one in found["results"]}
    assert (sources["At nine."], sources["Dogs are welcome."]) == ("document 1", "document 2")


def test_every_kind_of_file_can_be_named() -> None:
    assert set(get_args(FileKind)) == set(KINDS.values())


@pytest.mark.parametrize(
    ("document", "sentence"),
    [
        ({}, "documents[0]: it needs a `text`, or the bytes of a file in base64 as `content`"),
        ({"text": None}, "documents[0]: it needs a `text`"),
        ({"text": "a", "content": "YQ=="}, "documents[0]: it has both `text` and `content`; give one of them"),
        ({"content": "YQ=="}, "what its `content` is must be told: by `kind`, or by the ending of `source`"),
        ({"content": "YQ", "kind": "text"}, "documents[0].content is not base64 of the standard alphabet"),
        ({"content": "YQ-_==", "kind": "text"}, "documents[0].content is not base64"),
        ({"content": "Ü" * 4, "kind": "text"}, "documents[0].content is not base64"),
        ({"content": 3, "kind": "text"}, "documents[0].content: input should be a valid string"),
        ({"content": "YQ==", "kind": "exe"}, "documents[0].kind: input should be 'text', 'markdown',"),
        ({"content": "YQ==", "source": "a.exe"}, "documents[0]: .exe is not one of .csv, .docx,"),
        ({"content": "YQ==", "source": "a.doc"}, "a .doc file cannot be read; save it as .docx, .pdf or .txt"),
        ({"content": base64_of(BOOK[:200]), "source": "a.xlsx"}, "a.xlsx: is not an Excel file (.xlsx), or damaged"),
        ({"content": base64_of(BOOK), "kind": "docx"}, "document 0: is an Excel file (.xlsx), not a Word file (.docx)"),
        ({"content": base64_of(b"%PDF-1.4"), "kind": "pdf"}, "document 0"),
        ({"content": "/w==", "source": "a.txt"}, "a.txt, line 1: not valid UTF-8"),
        ({"content": base64_of(b"abc"), "source": "a.txt.gz"}, "a.txt.gz: is not packed by gzip, or damaged"),
        ({"content": base64_of(gzip.compress(bytes(600_000))), "source": "a.txt.gz"}, "more than 500,000 bytes"),
        ({"content": base64_of(gzip.compress(b"a")[:-4]), "source": "a.txt.gz"}, "ends before its end"),
        ({"content": base64_of(b"a " * 50_000), "kind": "text"}, "document 0: too many characters; with what is"),
        ({"text": "UEsDBBQ", "source": "faq.xlsx"}, "a .xlsx file, as `source` says, is no text; send its bytes in"),
        ({"text": "UEsDBBQ", "source": "faq.DOCX.gz"}, "base64 as `content`, or say as `kind` what this text is"),
        ({"text": "UEsDBBQ", "source": "faq.doc"}, "save it as .docx, .pdf or .txt, and send its bytes in base64"),
        ({"text": "UEsDBBQ", "kind": "pdf"}, "a file of the kind pdf is no text; send its bytes in base64 as"),
        (3, "documents[0] must be a text, or an object with a string as `text` or the bytes of a file in base64"),
    ],
)
def test_what_cannot_be_read_is_one_sentence(client: TestClient, document: Any, sentence: str) -> None:
    answer = ask(client, document)
    assert answer.status_code == 422
    assert sentence in answer.json()["message"]


def test_the_text_of_a_page_of_pdf_may_be_sent_as_text(client: TestClient) -> None:
    found = ask(client, {"text": "We open at nine.", "source": "manual.pdf", "kind": "text"}).json()
    assert found["results"][0]["source"] == "manual.pdf"


def test_pdf_without_the_extra_is_refused_with_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "pypdfium2", None)
    found = read(order(SentFile(b"%PDF-1.4", "a.pdf", "pdf")))
    assert "anselm[documents]" in str(found)


@pytest.mark.parametrize("path", ["/ask", "/v2/rerank"])
def test_a_threshold_is_that_of_the_command_line(client: TestClient, path: str) -> None:
    given = {"question": QUERY, "query": QUERY, "documents": ["The shop is open."], "model": "default"}
    sure = client.post(path, json=given).json()["answerability"]
    thresholds = [sure / 2, (sure + 1) / 2]
    found = [client.post(path, json={**given, "threshold": one}).json() for one in thresholds]
    assert [one["answerable"] for one in found] == [True, False]
    assert [one["threshold"] for one in found] == pytest.approx(thresholds)
    assert [one["answerability"] for one in found] == pytest.approx([sure, sure])
    assert client.post(path, json={**given, "threshold": 1.5}).status_code == 422


def test_the_example_of_the_documentation(client: TestClient, tmp_path: Path) -> None:
    """As it stands there, but for the socket."""
    page = (Path(__file__).parents[2] / "docs" / "service.md").read_text(encoding="utf-8")
    [program] = re.findall(r"```sh\n(\{.*?)```", page, flags=re.DOTALL)
    (tmp_path / "faq.xlsx").write_bytes(BOOK)
    command = ["bash", "-c", "curl() { cat; }\n" + program]
    body = subprocess.run(command, cwd=tmp_path, capture_output=True, check=True).stdout
    answer = client.post("/ask", content=body, headers={"content-type": "application/json"})
    assert answer.json()["results"][0]["text"] == "At nine."


# Who reads files: nobody here depends on how fast anything is.


def order(*files: SentFile, most_chars: int = 1_000, most_bytes: int = 10_000) -> Order:
    return Order(files, most_chars, most_bytes)


PLAIN = order(SentFile(b"At nine.", "a.txt", "text"))


class Slow(Order):
    """Whoever unpacks it does not come back."""

    def __reduce__(self) -> Any:
        return time.sleep, (10**6,)


class Deadly(Order):
    """Whoever unpacks it ends."""

    def __reduce__(self) -> Any:
        import os

        return os._exit, (1,)


@pytest.fixture
def readers() -> Iterator[FileReaders]:
    found = FileReaders(1)
    yield found
    found.stop()


def ticket(seconds: float = 60) -> Ticket:
    return Ticket(time.monotonic() + seconds)


def test_a_process_is_kept_for_the_next_request(readers: FileReaders) -> None:
    assert [one.text for one in readers.read(ticket(), PLAIN)] == ["At nine."]
    [reader] = readers._idle
    with pytest.raises(FormatError, match="not an Excel file"):
        readers.read(ticket(), order(SentFile(b"", "a.xlsx", "xlsx")))
    assert readers._idle == [reader]


def test_a_file_that_takes_too_long_is_504_and_its_process_is_killed(readers: FileReaders) -> None:
    readers.read(ticket(), PLAIN)
    [reader] = readers._idle
    with pytest.raises(Refusal) as caught:
        readers.read(ticket(0.05), Slow((), 1, 1))
    assert caught.value.status_code == 504
    assert not reader.process.is_alive()
    assert readers.read(ticket(), PLAIN)[0].text == "At nine."


def test_who_waits_for_a_process_is_refused_in_time(readers: FileReaders) -> None:
    assert readers._places.acquire(timeout=0)
    with pytest.raises(Refusal, match="deadline"):
        readers.read(ticket(0.05), PLAIN)
    readers._places.release()


def test_what_a_client_that_left_had_sent_is_not_read(readers: FileReaders) -> None:
    gone = ticket()
    gone.refusal = Refusal(499, "the client has gone", "gone")
    with pytest.raises(Refusal, match="gone"):
        readers.read(gone, Slow((), 1, 1))
    assert readers._idle == []


def test_a_file_that_ends_its_process_harms_no_other(readers: FileReaders) -> None:
    with pytest.raises(Refusal, match="ended the process that read it") as caught:
        readers.read(ticket(), Deadly((), 1, 1))
    assert caught.value.status_code == 422
    readers.read(ticket(), PLAIN)
    readers._idle[0].process.kill()  # as the system does where memory is short
    readers._idle[0].process.join()
    assert readers.read(ticket(), PLAIN)[0].text == "At nine."


def test_a_stop_ends_what_is_being_read(readers: FileReaders) -> None:
    problems: list[Refusal] = []

    def read_slowly() -> None:
        try:
            readers.read(ticket(), Slow((), 1, 1))
        except Refusal as refusal:
            problems.append(refusal)

    thread = Thread(target=read_slowly)
    thread.start()
    while not readers._busy:
        time.sleep(0.01)
    readers.stop()
    thread.join(30)
    with pytest.raises(Refusal, match="stopping"):
        readers.read(ticket(), PLAIN)
    assert [one.status_code for one in problems] == [503]


def test_an_error_of_ours_is_500_without_its_message(readers: FileReaders, caplog: pytest.LogCaptureFixture) -> None:
    with pytest.raises(Refusal) as caught:
        readers.read(ticket(), order(SentFile("secret", "a.txt", "text")))  # type: ignore[arg-type]
    assert caught.value.status_code == 500
    assert "secret" not in caplog.text + str(caught.value)


def test_tables_of_too_many_cells_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("anselm.serve.file_process.MOST_CELLS", 5)
    file = SentFile(BOOK, "a.xlsx", "xlsx")
    assert "a.xlsx: too many cells; the tables of a request may have 5" in str(read(order(file)))


class Greedy(Order):
    """Whoever unpacks it needs three gigabytes."""

    def __reduce__(self) -> Any:
        return bytearray, (3 * 2**30,)


def test_memory_is_bounded(readers: FileReaders, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(Refusal, match="needs too much memory"):
        readers.read(ticket(), Greedy((), 1, 1))

    def unpack(*_: object) -> None:
        raise MemoryError

    monkeypatch.setattr("anselm.serve.file_process.document_from_bytes", unpack)
    assert "the files need too much memory when they are unpacked" in str(read(PLAIN))


def test_a_request_counts_as_what_its_files_hold() -> None:
    """A small file may hold much text: what then waits is no more than is allowed."""
    service = Service(Settings(("bm25",), processes=1, limits=Limits(max_queued_chars=1_000)))
    with service.admitted(10) as first, service.admitted(10) as second:
        service.recount(first, 900)
        with pytest.raises(Refusal) as caught:
            service.recount(second, 200)
        assert caught.value.status_code == 429
        service.recount(first, 100)
        service.recount(second, 200)
        assert service.open_chars == 300
    assert (service.open, service.open_chars) == (0, 0)


def test_others_are_answered_while_a_file_is_read(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    """By the same event loop, which nothing that reads a file may hold up."""
    reading, done = Event(), Event()

    def read_slowly(*_: object) -> tuple[Document, ...]:
        reading.set()
        assert done.wait(60)
        return (Document("a.xlsx", "We open at nine.", "text"),)

    monkeypatch.setattr(service.files, "read", read_slowly)
    document = {"content": base64_of(BOOK), "source": "a.xlsx"}

    async def ask_and_look(app: FastAPI) -> tuple[bool, int, int]:
        async with httpx2.AsyncClient(transport=httpx2.ASGITransport(app), base_url="http://here") as client:
            asked = asyncio.create_task(client.post("/ask", json={"question": QUERY, "documents": [document]}))
            while not reading.is_set():
                await asyncio.sleep(0)
            health = await client.get("/health")
            waiting = not asked.done()
            done.set()
            return waiting, health.status_code, (await asked).status_code

    app = create_app(service=service)
    with ThreadPoolExecutor(2) as app.state.threads:
        assert asyncio.run(ask_and_look(app)) == (True, 200, 200)
