"""Every engine keeps what it is given, and finds the same."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from anselm.errors import AnselmError, InputError
from anselm.models.lexical import Config, Lexical, idf
from anselm.retrieval.engine import Engine
from anselm.retrieval.item import Item, item_from_object
from anselm.retrieval.pool import Pool
from anselm.retrieval.terms import MEAN_LENGTH
from anselm.text.statistics import Statistics
from tests.retrieval.engines import ENGINES, WIDTH, WordEncoder

TALK = "bees honey hive nectar flower garden summer winter the of in a keeper smoke wax comb queen worker drone"
Open = Callable[[], Pool]


@pytest.fixture(params=ENGINES)
def pool(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Open]:
    with ENGINES[request.param](tmp_path) as make:
        opened: list[Pool] = []

        def again() -> Pool:
            for one in opened:
                one.close()
            opened.append(Pool(make(), WordEncoder()))
            return opened[-1]

        yield again
        opened[-1].close()


def make_items(count: int, seed: int = 1) -> list[Item]:
    rng = random.Random(seed)
    texts = {" ".join(rng.choices(TALK.split(), k=rng.randint(3, 12))) + f" n{i}." for i in range(count)}
    return [
        Item(f"i{i}", text, "What is it?" if i % 3 == 0 else "", "Bees" if i % 5 == 0 else None, f"s{i % 4}.md", i,
             i + 9, i + 1, {"lang": "en" if i % 2 else "de", "tags": [f"t{i % 3}", "all"], "n": i % 3, "ok": not i % 2})
        for i, text in enumerate(sorted(texts))
    ]  # fmt: skip


def by_id(items: list[Item] | Iterator[Item]) -> list[Item]:
    return sorted(items, key=lambda item: item.id)


def test_what_is_added_comes_back_also_after_closing(pool: Open) -> None:
    items = make_items(50)
    assert pool().add(items) == 50
    opened = pool()
    assert by_id(opened.items()) == by_id(items)
    assert opened.get(["i7", "nobody", "i3"]) == [items[7], items[3]]
    assert opened.count() == 50


def test_adding_again_changes_nothing_and_a_new_text_replaces_the_old(pool: Open) -> None:
    items = make_items(20)
    opened = pool()
    opened.add(items)
    opened.embed()
    assert opened.add(items) == 0
    moved = Item(items[3].id, items[3].text, items[3].question, items[3].heading, meta={"lang": "fr"})
    other = Item(items[4].id, "A zeppelin above the lake.")
    assert opened.add([moved, other]) == 2
    assert opened.count() == 20
    assert opened.get(["i3", "i4"]) == [moved, other]
    assert [one.id for one in opened.engine.pending(9)] == ["i4"]  # the text of i3 is the same, and keeps its vector
    assert opened.search("zeppelin")[0].item == other
    assert opened.search_apart(items[4].text.split()[-1], 9)[0] == []  # a word that only the old text had


def test_what_is_deleted_is_gone_and_may_come_again(pool: Open) -> None:
    items = make_items(20)
    opened = pool()
    opened.add(items)
    opened.embed()
    assert opened.delete(["i5", "i6", "nobody"]) == 2
    assert opened.delete(["i5"]) == 0
    assert {found.item.id for found in opened.search(items[5].content, 20)}.isdisjoint({"i5", "i6"})
    assert opened.add([items[5]]) == 1
    assert opened.engine.count_pending() == 1
    assert opened.search_apart(items[5].content, 9)[0][0] == "i5"
    assert opened.delete(where={"lang": "de", "source": ["s0.md", "s2.md"]}) == 9  # without i6
    assert opened.count() == 10


def bm25(question: str, items: list[Item]) -> dict[str, float]:
    """By the formula of the lexical models, with their terms, one passage after another."""
    lexical, config = Lexical("bm25"), Config()
    terms = {item.id: lexical.terms(item.content) for item in items}
    statistics = Statistics.fit(terms.values())
    scores = {}
    for id, counts in terms.items():
        norm = config.k1 * (1 - config.b + config.b * counts.total() / MEAN_LENGTH)
        asked = lexical.terms(question).items()
        scores[id] = sum(n * idf(t, statistics, config) * counts[t] / (counts[t] + norm) for t, n in asked if counts[t])
    return {id: score for id, score in scores.items() if score > 0}


@pytest.mark.parametrize("k", [3, 30])
@pytest.mark.parametrize("question", ["Where is the honey of the queen?", "smoke smoke wax", "n17", "of the", "a n17"])
def test_words_are_found_as_bm25_says(pool: Open, question: str, k: int) -> None:
    items = make_items(120)
    opened = pool()
    opened.add(items)
    opened.delete(["i100", "i101"])
    expected = bm25(question, [item for item in items if item.id not in ("i100", "i101")])
    found, _ = opened.search_apart(question, k)
    assert len(found) == min(k, len(expected))
    best = sorted(expected.values(), reverse=True)
    assert [expected[id] for id in found] == pytest.approx(best[:k], rel=1e-3)
    if expected:
        opened.delete(found[:1])
        assert opened.search_apart(question, k)[0][:1] != found[:1]  # nothing is remembered of what is gone


def test_what_is_gone_or_has_another_text_weighs_no_word(pool: Open) -> None:
    """Most passages about wax go, and honey comes into most others: which word is rare is another thing then."""
    items = [Item(f"w{i}", f"wax {'comb ' * (i % 5)}n{i}") for i in range(60)]
    items += [Item(f"h{i}", f"smoke {'drone ' * (i % 4)}n{i}") for i in range(60)]
    items += [Item("both", "wax and honey"), Item("honey", "honey in the garden of the keeper")]
    opened = pool()
    opened.add(items)
    opened.embed()
    opened.flush()
    opened.search("wax")
    opened.delete([f"w{i}" for i in range(58)])
    opened.add([Item(f"h{i}", f"honey {'drone ' * (i % 4)}n{i}") for i in range(50)])
    for reopen in (False, True):
        again = pool() if reopen else opened
        left = list(again.items())
        expected = bm25("wax or honey", left)
        found, _ = again.search_apart("wax or honey", 200)
        assert [expected[id] for id in found] == pytest.approx(sorted(expected.values(), reverse=True), rel=1e-5)
        assert found[0] == "both"
        assert found[1] == "w58"


def test_meaning_is_found_by_the_nearest_vectors(pool: Open) -> None:
    items = make_items(120)
    opened = pool()
    opened.add(items)
    assert opened.search_apart("honey", 5)[1] == []  # nothing is filled in yet
    assert opened.embed() == 120
    assert opened.embed() == 0
    encode = WordEncoder().text_vectors
    cosines = encode([item.content for item in items]) @ encode(["the queen of the hive"])[0]
    _, found = opened.search_apart("the queen of the hive", 25)
    nearest = np.sort(cosines)[::-1][:25]
    assert [cosines[int(id[1:])] for id in found] == pytest.approx(nearest.tolist(), abs=2e-3)  # half precision


def test_where_means_the_same_everywhere(pool: Open) -> None:
    items = make_items(60)
    opened = pool()
    opened.add(items)
    opened.embed()
    conditions = {
        "en": ({"lang": "en"}, lambda i: i % 2 == 1),
        "source": ({"source": ["s1.md", "s2.md"]}, lambda i: i % 4 in (1, 2)),
        "element": ({"tags": "t2"}, lambda i: i % 3 == 2),
        "number": ({"n": [0, 1]}, lambda i: i % 3 < 2),
        "true": ({"ok": True}, lambda i: i % 2 == 0),
        "true is not one": ({"n": True}, lambda i: False),
        "both": ({"lang": "de", "n": 1}, lambda i: i % 2 == 0 and i % 3 == 1),
        "unknown": ({"colour": "red"}, lambda i: False),
    }
    for name, (where, holds) in conditions.items():
        wanted = {item.id for i, item in enumerate(items) if holds(i)}
        assert {item.id for item in opened.items(where)} == wanted, name
        assert opened.count(where) == len(wanted), name
        found = opened.search("the honey of the bees", 60, where)
        assert {one.item.id for one in found} == wanted, name


def test_vectors_of_another_model_are_refused(pool: Open) -> None:
    opened = pool()
    opened.add(make_items(5))
    opened.embed()
    opened._encoder.text_fingerprint = "other"  # type: ignore[union-attr,misc]
    with pytest.raises(InputError, match=r"of another model .*rebuild --vectors"):
        opened.search("honey")
    opened.rebuild(vectors=True)
    assert opened.engine.count_pending() == 5
    assert opened.embed() == 5
    assert opened.search("honey")


class Wider(WordEncoder):
    """Another one that says that it is the same."""

    def text_vectors(self, texts: list[str]) -> NDArray[np.float64]:
        return np.pad(super().text_vectors(texts), ((0, 0), (0, 1)))


def test_vectors_of_another_width_are_refused(pool: Open) -> None:
    opened = pool()
    opened.add(make_items(5))
    opened.embed()
    before = opened.search("honey")
    opened._encoder = Wider()
    opened.add([Item("new", "A zeppelin above the lake.")])
    says = rf"{re.escape(opened.place)}.* {WIDTH} numbers.* {WIDTH + 1}; .*(rebuild --vectors`|\?width=)"
    for use in (lambda: opened.search("honey"), opened.embed):
        with pytest.raises(InputError, match=says):
            use()
    assert opened.count_pending() == 1
    opened._encoder = WordEncoder()
    assert opened.search("honey") == before  # nothing was written
    assert opened.embed() == 1


def test_all_vectors_may_be_made_again_in_another_width(pool: Open) -> None:
    opened = pool()
    opened.add(items := make_items(5))
    opened.embed()
    opened.search("honey")
    if isinstance(getattr(opened.engine, "width", None), int):
        pytest.skip("its address says how wide they are")
    opened.rebuild(vectors=True)
    opened._encoder = Wider()
    assert opened.embed() == 5
    assert sorted(opened.search_apart("honey", 9)[1]) == sorted(item.id for item in items)


def test_what_is_not_there_is_said(pool: Open) -> None:
    opened = pool()
    for use in (
        lambda: opened.search("x"),
        opened.count,
        lambda: list(opened.items()),
        opened.info,
        lambda: opened.delete("x"),
    ):
        with pytest.raises(AnselmError, match=r"there is no pool at|ids must be a list"):
            use()
    opened.add([Item("a", "One.")])
    assert opened.info()["passages"] == 1


def test_a_bad_record_is_named_and_the_rest_is_added(pool: Open) -> None:
    opened, skipped = pool(), []
    values = [{"id": "a", "text": "One."}, {"id": "b", "text": " "}, {"id": "c"}, "Two.", {"id": "d", "text": "x\0y"}]
    assert opened.add(values, skipped.append) == 2
    assert [str(error).split(":")[0] for error in skipped] == ["item 1", "item 2", "item 4"]
    with pytest.raises(InputError, match="passage 'b' is empty"):
        opened.add(values)


def test_every_engine_says_what_it_is(pool: Open) -> None:
    opened = pool()
    opened.add([Item("a", "One.", source="s", start=5), Item("b", "Two.", source="s", start=9)])
    assert {"engine", "index"} <= opened.info().keys()
    beside = getattr(opened.engine, "neighbours", None)
    assert beside is None or beside(opened.get(["a"])[0]) == ("", "Two.")


def test_the_protocol_is_kept(pool: Open) -> None:
    engine: Engine = pool().engine
    for name in (name for name in vars(Engine) if not name.startswith("_")):
        assert callable(getattr(engine, name))


def test_much_at_once_is_found_as_well(pool: Open) -> None:
    opened = pool()
    assert (
        opened.add({"id": str(number), "text": f"the bee n{number} of hive {number % 7}"} for number in range(1_500))
        == 1_500
    )
    opened.flush()
    assert opened.search_apart("n1234", 5)[0] == ["1234"]
    assert opened.count() == 1_500


def test_a_source_is_replaced_whole_or_not_at_all(pool: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever ends between what is added and what is deleted leaves it as it was, where an engine can do so."""
    opened = pool()
    if opened.place.startswith("qdrant"):
        pytest.skip("Qdrant has no transactions")
    opened.replace("page", [Item(f"i{n}", f"Bees hum {n}.", source="page") for n in range(3)])
    before = by_id(opened.items())

    def stop(*_: object) -> int:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(type(opened.engine), "delete", stop)
        with pytest.raises(KeyboardInterrupt):
            opened.replace("page", [Item("i0", "Wasps sting.", source="page"), Item("new", "So.", source="page")])
    for again in (opened, pool):
        assert by_id((again if isinstance(again, Pool) else again()).items()) == before
    opened = pool()
    assert opened.replace("page", [Item("i0", "Wasps sting.", source="page")]) == 3
    assert [item.text for item in opened.items()] == ["Wasps sting."]


def test_vectors_are_forgotten_whole_or_not_at_all(pool: Open) -> None:
    opened = pool()
    opened.add(make_items(9))
    opened.embed()
    opened.rebuild(vectors=True)
    assert (opened.engine.fingerprint(), opened.engine.count_pending()) == (None, 9)


def test_what_is_read_may_be_deleted_meanwhile(pool: Open) -> None:
    pool().add(make_items(30))
    opened = pool()
    for item in opened.items():
        assert opened.delete([item.id]) == 1
    assert opened.count() == 0


def test_a_server_that_does_not_answer_is_no_empty_pool(pool: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else nothing would keep the passages of one source from being taken over by another."""
    opened = pool()
    opened.replace("b.md", [Item("i0", "Bees hum.", source="b.md")])

    def fail(*_: object) -> int:
        raise InputError("no answer within 5 seconds")

    with monkeypatch.context() as patch:
        patch.setattr(type(opened.engine), "count", fail)
        with pytest.raises(InputError, match="no answer"):
            opened.replace("a.md", [Item("i0", "Wasps sting.", source="a.md")])
    assert [item.source for item in opened.items()] == ["b.md"]


def test_what_is_written_while_items_are_read_is_kept(pool: Open) -> None:
    """Who leaves the loop takes nothing of it along."""
    opened = pool()
    opened.add(make_items(30))
    for _ in opened.items():
        opened.add([Item("new", "Fresh honey.")])
        opened.delete(["i5"])
        break
    assert [item.id for item in opened.get(["new", "i5"])] == ["new"]
    assert [item.id for item in pool().get(["new", "i5"])] == ["new"]


def test_only_what_was_said_is_deleted(pool: Open) -> None:
    opened = pool()
    opened.add(make_items(9))
    for given in ({"ids": ["i0"], "where": {"lang": "en"}}, {"where": {}}):
        with pytest.raises(InputError, match="give ids, or"):
            opened.delete(**given)
    for ids in ("i0", None, 5, {"i0": 1}):
        for use in (opened.delete, opened.get):
            with pytest.raises(InputError, match="ids must be a list"):
                use(ids)  # type: ignore[operator]
    assert opened.count() == 9
    opened.add([{"id": 5, "text": "Five."}])
    assert opened.delete([5]) == 1  # type: ignore[list-item]


def test_an_id_of_another_source_is_not_taken_over(pool: Open) -> None:
    opened, skipped = pool(), []
    opened.replace("a.csv", [Item("1", "Bees hum.", source="a.csv")])
    later = [Item("1", "Wasps sting.", source="b.jsonl", line=3), Item("2", "Flies buzz.", source="b.jsonl", line=4)]
    assert opened.add(later, skipped.append, apart=True) == 1
    assert [str(error) for error in skipped] == [
        f"b.jsonl, line 3: the id '1' is that of a passage from a.csv in {opened.place}; ids must differ"
    ]
    assert sorted((item.id, item.source) for item in opened.items()) == [("1", "a.csv"), ("2", "b.jsonl")]


def test_whole_numbers_are_not_fractions(pool: Open) -> None:
    opened = pool()
    years = [2025, 2025.0, "2025", [2025, 1], [2025.0], True, 1, 1.0]
    opened.add([{"id": str(n), "text": "Bees.", "meta": {"year": year}} for n, year in enumerate(years)])
    assert sorted(item.id for item in opened.items({"year": 2025})) == ["0", "3"]
    assert sorted(item.id for item in opened.items({"year": 1})) == ["3", "6"]
    assert sorted(item.id for item in opened.items({"year": [2025, "2025"]})) == ["0", "2", "3"]


@pytest.mark.parametrize(
    "item",
    [Item("a", "x", start=2**70), Item("a", "x", source=None), Item(5, "x"), Item("猫" * 900, "x"),  # type: ignore[arg-type]
     Item("a", "x", source="猫" * 900), Item("a", "x", meta={"n": "a\0b"}), {"text": "a\ud800"}],
)  # fmt: skip
def test_what_no_engine_keeps_is_skipped_on_each(pool: Open, item: Item | dict[str, str]) -> None:
    opened, skipped = pool(), []
    assert opened.add([Item("fine", "Bees."), item], skipped.append) == 1
    assert len(skipped) == 1


def test_vectors_that_are_none_are_refused(pool: Open) -> None:
    opened = pool()
    opened.add(make_items(3))
    for made in (None, np.ones(24), np.ones((2, 24)), np.full((3, 24), np.nan)):
        opened.encoder.text_vectors = lambda texts, made=made: made  # type: ignore[method-assign]
        with pytest.raises(InputError, match="the encoder gives"):
            opened.embed()
    assert opened.count_pending() == 3


def test_what_is_exported_is_the_same_item() -> None:
    for item in (
        Item("a", "One.", heading="", source="x.txt", start=3),
        Item("b", "Two."),
        Item("c", "3", "Why?", None),
    ):
        assert item_from_object(item.to_dict()) == item
