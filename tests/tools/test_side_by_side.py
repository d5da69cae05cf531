"""Programs side by side on one machine."""

from __future__ import annotations

from pathlib import Path

from tools.side_by_side import Job, due, run


def test_they_begin_in_their_order_while_there_is_room() -> None:
    jobs = [Job("large", "", 80), Job("larger", "", 60), Job("small", "", 10), Job("filler", "", 5, group="words")]
    state = {"large": "runs", "larger": "waits", "small": "waits", "filler": "waits"}
    assert [job.id for job in due(jobs, state, 100, 9)] == ["filler"]  # nothing else overtakes what does not fit
    assert [job.id for job in due(jobs, state, 145, 9)] == ["larger", "filler"]
    assert [job.id for job in due(jobs, state, 145, 2)] == ["larger"]


def test_no_more_of_a_group_than_that() -> None:
    jobs = [Job(name, "", 1, group="words", most=2) for name in "abc"]
    assert [job.id for job in due(jobs, dict.fromkeys("abc", "waits"), 10, 9)] == ["a", "b"]


def test_what_needs_a_failed_one_is_left_out_and_the_rest_is_done(tmp_path: Path) -> None:
    jobs = [
        Job("makes", f"echo made > {tmp_path}/made", 1),
        Job("fails", "echo no; exit 3", 1),
        Job("needs", f"cat {tmp_path}/made", 1, after=["makes"], files=[str(tmp_path / "made")]),
        Job("lost", "true", 1, after=["fails"]),
        Job("behind", "true", 1, after=["lost"]),
        Job("told", 'test "$ANSWER" = 42', 1, environment={"ANSWER": "42"}),
        Job("endless", "sleep 60", 1, seconds=0.1),
    ]
    found = run(jobs, tmp_path, 5)
    assert found == {"makes": "done", "fails": "failed", "needs": "done", "lost": "left out", "behind": "left out",
                     "told": "done", "endless": "failed"}  # fmt: skip
    assert (tmp_path / "log/needs.log").read_text(encoding="utf-8") == "made\n"
    assert "fails failed" in (tmp_path / "status.txt").read_text(encoding="utf-8")


def test_what_fails_is_tried_again_with_more_memory(tmp_path: Path) -> None:
    tell = (
        f'echo "$GPU_MEMORY" >> {tmp_path}/given; test -e {tmp_path}/second || {{ touch {tmp_path}/second; exit 1; }}'
    )
    jobs = [
        Job("twice", tell, 10, tries=2),
        Job("behind", "true", 1, after=["twice"]),
        Job("never", "false", 1, tries=3),
    ]
    found = run(jobs, tmp_path, 5)
    assert found == {"twice": "done", "behind": "done", "never": "failed"}
    assert (tmp_path / "given").read_text(encoding="utf-8").split() == ["10", "13.5"]


def test_it_ends_when_the_time_is_over(tmp_path: Path) -> None:
    found = run([Job("endless", f"sleep 60; touch {tmp_path}/never", 1)], tmp_path, 0.2)
    assert found == {"endless": "runs"}
    assert not (tmp_path / "never").exists()
