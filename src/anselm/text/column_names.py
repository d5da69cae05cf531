"""What people call the columns of FAQs, and of logs of the questions that are asked beside one."""

from __future__ import annotations

# What people call them, the surest first; case, blanks and underscores do not count.
NAMES = {
    "question": """
        question, questions, q, faq question, question text, frage, fragen, query, prompt, title, heading, headline,
        subject, summary, topic
    """,
    "answer": """
        answer, answers, a, faq answer, answer text, antwort, antworten, response, reply, solution, resolution, text,
        content, page content, passage, body, sentence, candidate, description
    """,
    "id": """
        id, key, nr, no, number, num, uid, uuid, #, faq id, entry id, answer id, candidate id, passage id, doc id, docid
    """,
}
# Of a log of questions, and of what is right.
LOG_NAMES = {
    "asked": """
        question, questions, asked, query, queries, q, question text, asked question, user question, utterance, search,
        search term, frage, fragen, prompt, message, text
    """,
    "right": """
        right, right id, right entry, right answer, answer id, entry id, faq id, entry, expected, correct, correct id,
        gold, target, label, answer
    """,
    "log id": "question id, query id, qid, id, nr, no, number, num, key, uid, uuid, #",
}
SAID_OF_LOGS = ("asked", "right")  # what --columns may name of them
KNOWN = {role: [name.strip() for name in names.split(",")] for role, names in (NAMES | LOG_NAMES).items()}
# With one of these words that of questions or answers is still known: "Question (EN)"; "Answer count" is another thing.
WORDS_BESIDE = """
    en de fr es it nl english german french spanish deutsch text html body full final official approved accepted public
    customer user client agent our your the standard suggested
"""
BESIDE = set(WORDS_BESIDE.split())
