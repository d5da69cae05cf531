"""Whether a text is in a language that a model reads: a model of English gives numbers for Hindi and German, too.

A script is told by its letters. Of the languages that are written with Latin letters those of `SMALL_WORDS` are told
by their small words and by letters with marks: two of these, a fifth of all words, and more than there are of English,
make a text foreign. Of a few words without any of them nothing is told.
"""

from __future__ import annotations

import re

_LETTER = re.compile(r"[^\W\d_]")
_LATIN = re.compile("[A-Za-zªºÀ-ÖØ-öø-ɏḀ-ỿⱠ-Ɀꜣ-ꟿﬀ-ﬆＡ-Ｚａ-ｚ]")
_WORD = re.compile(r"[^\W\d_]+")
_MARKED = re.compile("[à-öø-ÿāăąćčďđēęěğıīłńňőœřśşšťūůűźżž]")
LATIN_ALPHABET = ("English",)  # the languages of models, of those that are written with it
LEAST, SHARE = 2, 0.2  # small words or marked ones, and of all words
READ = 2_000  # characters

# Without those that are English words, too.
SMALL_WORDS = {
    "Dutch": (
        "aan bij dat deze een en gaat geen hebben hebt heeft het hij hoe hoeveel ik jullie kunnen maar mag met "
        "mijn moet naar niet nog onze ook op uw van voor waar wanneer wat welke werkt wij wordt zich zijn"
    ),
    "French": (
        "au aux avec avez ce ces cette combien comment dans des du elle est et faut il ils je la le les leur ma "
        "mes mon nous ou où par pas peut pour pourquoi pouvez puis quand que quel quelle quels qui quoi sans ses "
        "sont sur un une veux vos votre vous"
    ),
    "German": (
        "aber auch auf aus bei beim darf das dass dauert dem den der des die dir durch ein eine einem einen einer "
        "es für gibt habe haben hat ich ihr ihre ihren ist kann kein keine kostet können lange mein meine meinen "
        "mir mit muss nach nicht noch oder ohne sie sind und uns vom von wann wenn wer werden wie wieviel wir "
        "wird wo zu zum zur über"
    ),
    "Italian": (
        "alla anche aperto che chi chiuso ci come con cosa costa da dal dalla dei del della delle dove gli ho il "
        "la le lo loro mi mio nel nella non per perché più posso puoi può quale quali quando quanti quanto questa "
        "questo se si sono sul sì tra un una vostro è"
    ),
    "Polish": (
        "co czy dla dlaczego do gdzie ile jak jaka jaki jakie jest już kiedy kosztuje ma mam mogę moje można na "
        "nie od po przez się są tak to w we z za że"
    ),
    "Portuguese": (
        "ao aos até com como custa da das de dos ela ele em está eu isso já mais meu minha muito na nas no nos "
        "não onde ou para pela pelo pode por posso preciso quais qual quando quanto que quem se sem seu sua são "
        "tem um uma você às é"
    ),
    "a Scandinavian language": (
        "att av det dig din eller ett från för går har hur hvad hvor hvordan hvornår ikke inte jag jeg kan kostar "
        "koster ligger med mig min mycket när och också og om på skal som til till vad var vi vilka är"
    ),
    "Spanish": (
        "al algún como con cuanto cuesta cuándo cuánto cómo de del desde donde dónde el ella en es ese esta este "
        "está hay la las lo los mi mis muy más no nos o para pero por porque puede puedo que quién qué se si sin "
        "son su sus tengo tiene un una y"
    ),
    "Turkish": ("bir bu değil ile için kadar kaç mi mu mü mı nasıl ne neden nerede nereye olarak var ve veya yok çok"),
}
_ENGLISH = (
    "a about after all am an and any are as at be been before but by can could did do does for from get give go "
    "had has have he her here his how i if in into is it its just like may me more much must my need new no not "
    "now of on one only or our out over per please she should so some such than that the their them then there "
    "these they this those to up us was we were what when where which who why will with without would you your"
)
ENGLISH = frozenset(_ENGLISH.split())
_LANGUAGES = {name: frozenset(words.split()) - ENGLISH for name, words in SMALL_WORDS.items()}


def foreign_texts(language: str | None, question: str, best: str) -> tuple[str, ...]:
    """A warning for each of the two texts that the model does not know how to read."""
    if language not in LATIN_ALPHABET:
        return ()
    found = ((what, problem(text)) for what, text in (("the question", question), ("the best candidate", best)))
    return tuple(
        f"{what} {why} this model, which reads {language}, does not know: no verdict is given"
        for what, why in found
        if why
    )


def problem(text: str) -> str | None:
    if is_foreign(text):
        return "is mostly in a script that"
    return f"seems to be in {name}, which" if (name := other_language(text)) else None


def is_foreign(text: str) -> bool:
    """Most of its letters are not Latin; a text without letters is of no script."""
    letters = len(_LETTER.findall(text))
    return letters > 0 and len(_LATIN.findall(text)) < letters / 2


def other_language(text: str) -> str | None:
    """The one of `SMALL_WORDS` that it is most like, where it is less like English, as far as its beginning tells."""
    words = [word.lower() for word in _WORD.findall(text[:READ]) if len(word) > 1]
    small = {name: sum(word in own for word in words) for name, own in _LANGUAGES.items()}
    name = max(small, key=lambda name: small[name])
    told = sum(word in _LANGUAGES[name] or bool(_MARKED.search(word)) for word in words)
    english = sum(word in ENGLISH for word in words)
    return name if told >= LEAST and told > english and told >= SHARE * len(words) else None
