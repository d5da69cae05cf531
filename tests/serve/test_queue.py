"""The fair queue, without processes."""

from __future__ import annotations

import time
from threading import Thread

import pytest

from anselm.serve.queue import FairQueue, Slice, Ticket
from anselm.serve.refusals import Refusal


def ticket(seconds: float = 100) -> Ticket:
    return Ticket(time.monotonic() + seconds)


def slices(owner: Ticket, *costs: int) -> list[Slice]:
    return [Slice(owner, "m", "score", number, cost) for number, cost in enumerate(costs)]


def test_a_small_request_passes_a_giant_one() -> None:
    queue, giant, small = FairQueue(), ticket(), ticket()
    queue.put(slices(giant, *[10] * 100))
    assert [one.ticket for one in queue.take(10)] == [giant]
    queue.put(slices(small, 10))
    assert small in [one.ticket for one in [*queue.take(10), *queue.take(10)]]


def test_a_batch_has_one_slice_of_each_request() -> None:
    queue, first, second = FairQueue(), ticket(), ticket()
    queue.put(slices(first, 3, 3, 3))
    queue.put(slices(second, 3))
    taken = queue.take(12)
    assert [(one.ticket, one.payload) for one in taken] == [(first, 0), (second, 0)]
    assert [(one.ticket, one.payload) for one in queue.take(12)] == [(first, 1)]
    assert queue.depth == 1


def test_what_is_small_is_filled_up_by_turns() -> None:
    queue, first, second = FairQueue(), ticket(), ticket()
    queue.put(slices(first, 1, 1, 1, 1, 1))
    queue.put(slices(second, 1, 1))
    taken = queue.take(20)  # until a quarter of it is there
    assert [(one.ticket, one.payload) for one in taken] == [
        (first, 0), (second, 0), (first, 1), (second, 1), (first, 2),
    ]  # fmt: skip


def take_idly(queue: FairQueue, count: int, budget: int) -> tuple[list[Thread], list[list[Slice]]]:
    """So many who wait for something to take, and what they will have taken."""
    found: list[list[Slice]] = []
    threads = [Thread(target=lambda: found.append(queue.take(budget))) for _ in range(count)]
    for thread in threads:
        thread.start()
    while queue.idle < count:
        time.sleep(0.001)
    return threads, found


def test_what_waits_is_shared_among_those_who_have_nothing_to_do() -> None:
    queue, owners = FairQueue(), [ticket() for _ in range(6)]
    threads, found = take_idly(queue, 2, 24_000)
    queue.put([one for owner in owners for one in slices(owner, 1_000)])
    for thread in threads:
        thread.join(10)
    assert sorted(len(batch) for batch in found) == [3, 3]
    assert queue.idle == 0


@pytest.mark.parametrize(
    ("idle", "cost", "size"), [(0, 9_000, 6_000), (2, 9_000, 4_500), (3, 1_200, 1_000), (1, 50, 1_000)]
)
def test_a_request_is_cut_for_those_who_have_nothing_to_do(idle: int, cost: int, size: int) -> None:
    queue = FairQueue()
    threads, _ = take_idly(queue, idle, 24_000)
    assert queue.share(cost, 6_000) == size
    queue.close()
    for thread in threads:
        thread.join(10)


def test_what_is_larger_than_the_budget_goes_alone() -> None:
    queue = FairQueue()
    queue.put(slices(ticket(), 50))
    queue.put(slices(ticket(), 1))
    assert [one.cost for one in queue.take(10)] == [50]
    assert [one.cost for one in queue.take(10)] == [1]


def test_what_was_there_when_a_process_died_goes_alone() -> None:
    queue = FairQueue()
    suspect, fine = slices(ticket(), 1)[0], slices(ticket(), 1)[0]
    suspect.attempts = 1
    queue.put([fine])
    queue.put_back(suspect)
    assert queue.take(10) == [suspect]
    assert queue.take(10) == [fine]


def test_two_of_one_request_go_alone_each() -> None:
    queue, owner, fine = FairQueue(), ticket(), slices(ticket(), 1)[0]
    suspects = slices(owner, 1, 1)
    queue.put([fine])
    for one in reversed(suspects):
        one.attempts = 1
        queue.put_back(one)
    assert [len(queue.take(10)) for _ in range(2)] == [1, 1]
    assert queue.depth == 1


def test_nobody_reads_for_a_request_that_is_late_or_has_gone() -> None:
    queue, late, gone, here = FairQueue(), ticket(0), ticket(), ticket()
    lost, left, kept = slices(late, 1)[0], slices(gone, 1)[0], slices(here, 1)[0]
    queue.put([lost, left, kept])
    queue.drop(gone, Refusal(499, "gone"))
    assert queue.take(10) == [kept]
    assert isinstance(error := lost.found.exception(0), Refusal)
    assert error.status_code == 504
    assert isinstance(error := left.found.exception(0), Refusal)
    assert error.status_code == 499


def test_a_slice_is_answered_once() -> None:
    [one] = slices(ticket(), 1)
    one.answer("first")
    one.answer("second")
    one.fail(ValueError())
    assert one.found.result(0) == "first"


def test_closing_wakes_who_takes_and_refuses_what_waits() -> None:
    queue, taken = FairQueue(), []
    thread = Thread(target=lambda: taken.append(queue.take(10)))
    thread.start()
    queue.close()
    thread.join(10)
    assert taken == [[]]
    [one] = slices(ticket(), 1)
    queue.put([one])
    with pytest.raises(Refusal, match="stopping"):
        one.found.result(0)
