"""What the sentence splitter knows of English: abbreviations by what may follow them, and words that open a sentence.

All are lower-case and without their final stop.
"""

from __future__ import annotations


def _listed(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Something always follows: a name, an example, an opponent.
LEADING = _listed("""
    mr mrs ms mx messrs dr drs prof gen lt col sgt capt cmdr comdr adm maj cpl pvt brig rev hon gov sen rep reps sens
    pres fr msgr mme mlle supt insp amb atty e.g eg i.e ie vs v cf viz a.k.a aka
""")

# An abbreviation before a number ("No. 5", "p. 12", "Jan. 3"); before anything else, the end of a sentence.
NUMBERED = _listed("""
    no nos op opp p pp vol vols fig figs ch chap sec sect art eq eqs ex para pt pl tab ser lib app c ca b d n r fl
    approx jan feb mar apr jun jul aug sep sept oct nov dec sat sun
""")

# May end a sentence or stand inside one: the next word decides. Not so "etc.", which a capital letter shows to be last.
EITHER = _listed("""
    inc ltd co corp llc bros cie jr sr esq st ste ave blvd rd hwy mt mts ft univ dept dist assn assoc inst intl natl
    govt est al ed eds feat trans ret calif conn ariz fla tenn tex okla mich minn wis colo mon tue tues wed thu thur
    thurs fri oz sq
""")

# Names that carry a mark of their own.
EXCLAIMING = _listed("yahoo jeopardy")

# After an abbreviation these begin a new sentence, since no name begins with them.
STARTERS = _listed("""
    the a an this that these those he she it they we you i his her its their our my your in on at by for from with to
    of as after before during while when where why how what who which whose if although though because since but and or
    so yet however therefore thus hence moreover furthermore meanwhile nevertheless instead also then there here some
    many most several both each every all another other others one two three no not only even once until upon under over
    through despite between among according is are was were do does did can could would should has have had let please
    today later earlier now such it's he's she's there's that's they're we're i'm don't
""")
