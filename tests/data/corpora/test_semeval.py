"""SemEval: threads, related questions and their traps, by hand and on the real files."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from anselm.data.corpora import semeval, semeval_2015, semeval_forum, semeval_related
from anselm.data.corpora.semeval import distinct_threads, read_perfect_matches, read_threads
from anselm.data.corpora.semeval_2015 import TRIAL, read_questions
from anselm.data.corpora.semeval_related import read_subtask_b, read_subtask_c
from anselm.data.corpus import Corpus
from anselm.data.formats.semeval_predictions import read_relevancy
from anselm.data.question import Question
from anselm.errors import FormatError, MissingDataError
from anselm.text.tokens import words

Reader = Callable[[Path], Iterator[Question]]


def comment(id: str, text: str, related: str = "Good", original: str = "Bad") -> str:
    return (
        f'<RelComment RELC_ID="{id}" RELC_DATE="2014-01-02" RELC_USERID="U2" RELC_USERNAME="ann" '
        f'RELC_RELEVANCE2ORGQ="{original}" RELC_RELEVANCE2RELQ="{related}">\n<RelCText>{text}</RelCText></RelComment>\n'
    )


def thread(id: str, comments: str, relevance: str = "Relevant", attributes: str = "", body: str = "Where?") -> str:
    return (
        f'<Thread THREAD_SEQUENCE="{id}" {attributes}>\n'
        f'<RelQuestion RELQ_ID="{id}" RELQ_RANKING_ORDER="4" RELQ_CATEGORY="Pets" RELQ_DATE="2014-01-01" '
        f'RELQ_USERID="U1" RELQ_USERNAME="bob" RELQ_RELEVANCE2ORGQ="{relevance}">\n'
        f"<RelQSubject>A vet</RelQSubject><RelQBody>{body}</RelQBody></RelQuestion>\n{comments}</Thread>\n"
    )


def original(id: str, inside: str) -> str:
    question = "<OrgQSubject>Vets</OrgQSubject><OrgQBody>Any?</OrgQBody>"
    return f'<OrgQuestion ORGQ_ID="{id}">\n{question}\n{inside}</OrgQuestion>\n'


def save(folder: Path, inside: str, root: str = "xml") -> Path:
    path = folder / "threads.xml"
    path.write_text(f'<?xml version="1.0" encoding="utf-8"?>\n<{root}>\n{inside}</{root}>\n', encoding="utf-8")
    return path


def test_a_thread_becomes_a_list(tmp_path: Path) -> None:
    comments = comment("Q1_R4_C1", "  Try the Souq &amp; ask ") + comment("Q1_R4_C2", "Why?", "PotentiallyUseful")
    [question] = read_threads(save(tmp_path, thread("Q1_R4", comments, body="")))
    assert (question.id, question.text) == ("Q1_R4", "A vet")  # no body, no line for it
    assert [(c.id, c.text, c.label) for c in question.candidates] == [
        ("Q1_R4_C1", "Try the Souq & ask", 1.0),
        ("Q1_R4_C2", "Why?", 0.0),
    ]
    assert question.candidates[1].meta == {
        "gold": "PotentiallyUseful",
        "user": "U2",
        "username": "ann",
        "date": "2014-01-02",
    }
    about = {"subject": "A vet", "body": "", "category": "Pets", "user": "U1", "username": "bob", "date": "2014-01-01"}
    assert question.meta == {**about, "relevance": "Relevant", "rank": "4", "same_as": None}


def test_subject_and_body_are_two_lines(tmp_path: Path) -> None:
    [question] = read_threads(save(tmp_path, thread("Q1_R4", comment("C1", "x"))))
    assert question.text == "A vet\nWhere?"


def test_hidden_labels_are_no_labels_and_an_empty_comment_stays(tmp_path: Path) -> None:
    comments = comment("C1", "x", "?") + comment("C2", "", "N/A")
    [question] = read_threads(save(tmp_path, thread("Q1_R1", comments)))
    assert [(c.text, c.label) for c in question.candidates] == [("x", None), ("", None)]


def test_perfect_matches_have_the_labels_of_the_original_question(tmp_path: Path) -> None:
    threads = thread("Q1_R1", comment("C1", "x", "N/A", "Good"), "PerfectMatch") + thread("Q1_R2", comment("C2", "y"))
    [question] = read_perfect_matches(save(tmp_path, original("Q1", threads)))
    assert (question.id, question.candidates[0].label) == ("Q1_R1", 1.0)


def test_threads_are_compared_by_their_letters(tmp_path: Path) -> None:
    repeat = 'SubtaskA_Skip_Because_Same_As_RelQuestion_ID="Q1_R1"'
    threads = [
        thread("Q1_R1", comment("C1", "Try &quot;A&quot;.")),
        thread("Q2_R1", comment("C2", "try A"), attributes=repeat),  # the same, with other signs
        thread("Q2_R2", comment("C3", "Try B")),
        thread("Q2_R3", comment("C4", "Try C")),
    ]
    questions = list(read_threads(save(tmp_path, "".join(threads))))
    assert [q.meta["same_as"] for q in questions] == [None, "Q1_R1", None, None]
    assert [q.id for q in distinct_threads(questions)] == ["Q1_R1", "Q2_R2", "Q2_R3"]
    assert [q.id for q in distinct_threads(questions, known=questions[3:])] == ["Q1_R1", "Q2_R2"]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (thread("Q1", comment("C1", "x"))[:-12], "line 7: not well-formed XML"),
        (
            thread("Q1", comment("C1", "x", "Great")),
            "line 8: comment C1 has RELC_RELEVANCE2RELQ='Great'; there is Good",
        ),
        (thread("Q1", comment("C1", "x") * 2), "line 10: the id C1 occurs twice"),
        (thread("Q1", "") * 2, "line 10: the id Q1 occurs twice"),
        (thread("Q1", comment("C1", "x").replace("RELC_ID", "ID")), "line 8: <RelComment> has no attribute RELC_ID"),
        ("<Thread></Thread>\n", "line 3: <Thread> has no <RelQuestion>"),
    ],
)
def test_what_is_wrong_in_a_thread_is_named(tmp_path: Path, text: str, problem: str) -> None:
    path = save(tmp_path, text)
    with pytest.raises(FormatError, match=rf"threads\.xml, {problem}"):
        list(read_threads(path))


def related_file(folder: Path) -> Path:
    first = original("Q1", thread("Q1_R1", comment("Q1_R1_C1", "a", original="Good"), "PerfectMatch"))
    second = original("Q1", thread("Q1_R7", comment("Q1_R7_C1", "b"), "Irrelevant"))
    third = original("Q2", thread("Q2_R1", comment("Q2_R1_C1", "c"), "Relevant"))
    return save(folder, first + second + third)


def test_subtask_b_ranks_related_questions(tmp_path: Path) -> None:
    one, two = read_subtask_b(related_file(tmp_path))
    assert (one.id, one.text, two.id) == ("Q1", "Vets\nAny?", "Q2")
    assert [(c.id, c.text, c.label, c.meta["gold"]) for c in one.candidates] == [
        ("Q1_R1", "A vet\nWhere?", 1.0, "PerfectMatch"),
        ("Q1_R7", "A vet\nWhere?", 0.0, "Irrelevant"),
    ]
    assert [c.label for c in two.candidates] == [1.0]


def test_subtask_c_ranks_their_comments_for_the_original_question(tmp_path: Path) -> None:
    one, two = read_subtask_c(related_file(tmp_path))
    assert [(c.id, c.label) for c in one.candidates] == [("Q1_R1_C1", 1.0), ("Q1_R7_C1", 0.0)]
    assert [(c.id, c.label) for c in two.candidates] == [("Q2_R1_C1", 0.0)]


@pytest.mark.parametrize(
    ("ids", "relevance", "problem"),
    [
        ("Q1_R1 Q2_R1 Q1_R2", "Relevant", "the id Q1 occurs twice"),  # its copies must stand in a row
        ("Q1_R1 Q1_R1", "Relevant", "the id Q1_R1 occurs twice"),
        ("Q1_R1", "Maybe", "Q1_R1 has RELQ_RELEVANCE2ORGQ='Maybe'; there is PerfectMatch, Relevant"),
    ],
)
def test_what_is_wrong_in_related_questions_is_named(tmp_path: Path, ids: str, relevance: str, problem: str) -> None:
    path = save(tmp_path, "".join(original(id[:2], thread(id, "", relevance)) for id in ids.split()))
    with pytest.raises(FormatError, match=problem):
        list(read_subtask_b(path))


def question_2015(label: str) -> str:
    return (
        '<Question QID="Q7" QCATEGORY="Pets" QDATE="2010-01-01" QUSERID="U1" QTYPE="GENERAL" QGOLD_YN="?">\n'
        "<QSubject>A vet</QSubject><QBody>Where?</QBody>\n"
        f'<Comment CID="Q7_C1" CUSERID="U3" CGOLD="{label}" CGOLD_YN="Not Applicable">'
        "<CSubject>Try</CSubject><CBody>Try the Souq</CBody></Comment>\n</Question>\n"
    )


@pytest.mark.parametrize(("label", "value"), [("Good", 1.0), ("Dialogue", 0.0), ("Not English", 0.0), ("?", None)])
def test_questions_of_2015(tmp_path: Path, label: str, value: float | None) -> None:
    [question] = read_questions(save(tmp_path, question_2015(label), root="root"))
    [answer] = question.candidates
    assert (question.id, question.text, question.meta["category"]) == ("Q7", "A vet\nWhere?", "Pets")
    assert (answer.id, answer.text, answer.label) == ("Q7_C1", "Try the Souq", value)
    assert answer.meta == {"gold": label, "user": "U3", "yes_no": "Not Applicable", "subject": "Try"}


def test_the_trial_file_has_other_names(tmp_path: Path) -> None:
    text = (
        '<Question QID = "Q1" UID = "U1" CATEGORY = "Pets" CREATED = "2013-01-01" QTYPE = "GENERAL">\n'
        "<Short_Question> A vet </Short_Question><Full_Question> Where? </Full_Question>\n"
        '<Comment CID = "Q1_C1" UID = "U2" CREATED = "2013-01-02" ANNOTATION = "good " YES_NO = "Not Applicable">'
        "<Subject> Try </Subject><Body> Here </Body></Comment></Question>\n"
    )
    [question] = read_questions(save(tmp_path, text, root="root"), TRIAL)
    assert (question.text, question.candidates[0].text, question.candidates[0].label) == ("A vet\nWhere?", "Here", 1.0)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (question_2015("Fine"), "line 6: comment Q7_C1 has CGOLD='Fine'; there is Good, Bad"),
        (question_2015("Good") * 2, "line 10: the id Q7 occurs twice"),
    ],
)
def test_what_is_wrong_in_2015_is_named(tmp_path: Path, text: str, problem: str) -> None:
    with pytest.raises(FormatError, match=problem):
        list(read_questions(save(tmp_path, text, root="root")))


ALL: tuple[Corpus, ...] = (*semeval_2015.CORPORA, *semeval.CORPORA, *semeval_related.CORPORA)
CASES = [
    (corpus, split, protocol)
    for corpus in ALL
    for split in corpus.splits
    for protocol in corpus.protocols
    if corpus.name != "semeval-2017" or split == "test"  # its other splits are those of semeval-2016
]
A_2016 = semeval.CORPORA[0]


def test_a_missing_split_says_where_to_get_it(tmp_path: Path) -> None:
    with pytest.raises(MissingDataError, match=r"semeval2016/task3.*terms: free for research"):
        list(A_2016.read("dev", "clean", tmp_path))


@pytest.mark.parametrize(("corpus", "split", "protocol"), CASES, ids=lambda value: getattr(value, "name", value))
def test_real_splits_have_their_counts(corpus: Corpus, split: str, protocol: str, real_data: Path) -> None:
    if missing := corpus.missing(split, real_data):
        pytest.skip(f"{missing[0].name} is not here")
    questions = list(corpus.read(split, protocol, real_data))
    assert len({question.id for question in questions}) == len(questions)
    assert all(candidate.text and candidate.label is not None for q in questions for candidate in q.candidates)
    assert None not in vars(corpus.splits[split].counts[protocol]).values()


@pytest.mark.parametrize(
    ("corpus", "split", "gold"),
    [
        (semeval.CORPORA[0], "dev", "dev-subtaskA.xml.subtaskA"),
        (semeval.CORPORA[0], "test", "test-subtaskA.xml.subtaskA"),
        (semeval_related.CORPORA[0], "test", "test.xml.subtaskB"),
        (semeval_related.CORPORA[1], "test", "test.xml.subtaskC"),
    ],
    ids=lambda value: getattr(value, "name", value),
)
def test_labels_are_those_of_the_official_relevancy_files(
    corpus: Corpus, split: str, gold: str, real_data: Path
) -> None:
    expected = read_relevancy(real_data / f"semeval_cqa/2016/gold/SemEval2016-Task3-CQA-QL-{gold}.relevancy")
    questions = corpus.read(split, "official", real_data)
    assert {q.id: {c.id: c.relevant for c in q.candidates} for q in questions} == expected


def test_no_training_thread_is_in_dev_or_test(real_data: Path) -> None:
    held_out = [thread for split in ("dev", "test") for thread in A_2016.read(split, "official", real_data)]
    for split in ("train", "train-part2-all", "train-repeats"):  # the other two are parts of these
        posts = {(thread.meta["date"], thread.meta["username"]) for thread in A_2016.read(split, "official", real_data)}
        assert not posts & {(thread.meta["date"], thread.meta["username"]) for thread in held_out}


def words_of(text: str) -> str:
    return " ".join(words(text))


@pytest.mark.parametrize(("corpus", "split"), [(A_2016, "train-2015"), (semeval_forum.CORPORA[0], "train")])
def test_no_question_of_dev_or_test_is_in_what_was_added_for_training(
    corpus: Corpus, split: str, real_data: Path
) -> None:
    """Here by the words of the question, as those who look for leaks would; comments may differ between releases."""
    held_out = [thread for part in ("dev", "test") for thread in A_2016.read(part, "official", real_data)]
    asked = {words_of(thread.text) for thread in held_out}
    said = {words_of(comment.text) for thread in held_out for comment in thread.candidates}
    for thread in corpus.read(split, list(corpus.protocols)[-1], real_data):
        assert words_of(thread.text) not in asked
        long = [comment for comment in thread.candidates if len(words(comment.text)) > 20]
        repeated = sum(words_of(comment.text) in said for comment in long)
        assert repeated <= 1  # advertisements, posted below several questions


def test_the_lists_of_2015_are_not_in_the_other_training_splits(real_data: Path) -> None:
    others = [thread for split in ("train", "train-repeats") for thread in A_2016.read(split, "official", real_data)]
    ours = {words_of(thread.text) for thread in A_2016.read("train-2015", "official", real_data)}
    assert not ours & {words_of(thread.text) for thread in others}


def test_what_2015_learns_from_has_none_of_its_questions(real_data: Path) -> None:
    corpus = semeval_2015.CORPORA[0]
    asked = {words_of(q.text) for part in ("dev", "test") for q in corpus.read(part, "official", real_data)}
    assert not asked & {words_of(thread.text) for thread in A_2016.read("train-without-2015", "official", real_data)}
    assert asked & {words_of(thread.text) for thread in A_2016.read("train", "official", real_data)}


def test_the_forum_has_no_labels_and_no_thread_twice(real_data: Path) -> None:
    threads = list(semeval_forum.CORPORA[0].read("train", "raw", real_data))
    assert all(comment.label is None and comment.text for thread in threads for comment in thread.candidates)
    assert len(list(distinct_threads(threads))) == len(threads)


def test_all_dev_threads_are_in_the_early_release_of_part_1(real_data: Path) -> None:
    early = read_threads(real_data / "semeval_cqa/2016/train/SemEval2016-Task3-CQA-QL-train-part1.v2.0.xml")
    assert not list(distinct_threads(A_2016.read("dev", "official", real_data), known=early))


def test_the_two_files_of_part_2_overlap(real_data: Path) -> None:
    small = {thread.id for thread in A_2016.read("train-part2", "official", real_data)}
    large = list(A_2016.read("train-part2-all", "official", real_data))
    assert {thread.id for thread in large if not thread.meta["same_as"]} == small
    assert len(list(distinct_threads(large))) == 583
