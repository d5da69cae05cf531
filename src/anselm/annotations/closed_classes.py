"""English words whose part of speech is nearly always the same, and what endings say of the others."""

from __future__ import annotations

from functools import cache

from anselm.annotations.word_classes import listed

NOUN, PROPN, VERB, ADJ, ADV, PRON, DET, ADP, CONJ, NUM, PRT, X = PARTS_OF_SPEECH = (
    "NOUN", "PROPN", "VERB", "ADJ", "ADV", "PRON", "DET", "ADP", "CONJ", "NUM", "PRT", "X",
)  # fmt: skip

AUXILIARIES = """
    be is am are was were been being have has had having do does did will would can could shall should may might
    must cannot isn't aren't wasn't weren't hasn't haven't hadn't doesn't don't didn't won't wouldn't can't
    couldn't shouldn't mustn't ain't
"""
WORDS = {
    DET: """
    the a an this these those each every either neither another any some no all both half such what which
    whatever
""",
    PRON: """
    i you he she it we they me him her us them my your his its our their mine yours hers ours theirs myself
    yourself himself herself itself ourselves themselves who whom whose someone somebody something anyone
    anybody anything everyone everybody everything nobody nothing none i'm i've i'd i'll you're you've you'd
    you'll he'd he'll she'd she'll we're we've we'd we'll they're they've they'd they'll oneself
""",
    ADP: """
    of in on at by for with from into onto upon about after before during since until till against between among
    amongst through throughout over under above below across behind beneath beside besides beyond near toward
    towards within without despite per via as than like unlike if whether because although though while whereas
    unless that around along amid except out off down up inside outside
""",
    CONJ: "and or but nor yet plus & versus",
    PRT: "to 's '",
    ADV: """
    not n't never always often sometimes usually also too very quite rather really just only even still already
    yet again once twice soon now then here there today tomorrow yesterday ago later earlier almost nearly
    perhaps maybe however therefore thus hence moreover furthermore instead otherwise meanwhile nevertheless why
    when where how ever else away together apart forward back well much far long so less least currently well
    forever indeed abroad elsewhere anyway mostly
""",
    NUM: """
    one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen
    eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand million billion
    trillion zero
""",
    VERB: AUXILIARIES
    + """
    said says say made make makes took take takes taken came come comes gave give gives given went go goes gone
    got get gets saw see sees seen knew know knows known thought think thinks told tell tells found find finds
    became become becomes left leave leaves felt feel feels put puts brought bring brings began begin begins
    begun kept keep keeps held hold holds wrote write writes written stood stand stands heard hear hears let
    lets meant mean means met meet meets ran run runs paid pay pays sat sit sits spoke speak speaks spoken led
    lead leads read grew grow grows grown lost lose loses fell fall falls fallen sent send sends built build
    builds understood drew draw draws drawn broke break breaks broken spent spend spends rose rise rises risen
    drove drive drives driven bought buy buys wore wear wears worn chose choose chooses chosen won win wins sold
    sell sells caught catch taught teach fought fight sought seek flew fly flown ate eat eaten sang sing sung
    swam swim threw throw thrown born seem seems appear appears remain remains include includes contain contains
    consist consists refer refers occur occurs live lives want wants need needs try tries ask asks allow allows
    provide provides require requires expect expects believe believes continue continues add adds agree agrees
    follow follows begin serve serves become happen happens call use uses used
""",
    NOUN: """
    percent interest concern executive official parent client patent request material principal approval use
    fall family supply morning evening building meaning trading spending meeting banking manufacturing offering
    marketing testing rating ruling financing company president animal
""",
    ADJ: """
    new old good great high small large big long little own other same different important early late young
    public able bad early next last first second third former major recent low full free hard easy strong true
    whole real best better worse worst higher lower larger smaller greater largest smallest highest lowest older
    oldest many few several certain likely similar more most common single main short open red blue green white
    black total fair due poor rich wide deep cold hot dark nice dead female male net corporate private foreign
    huge senior average past future joint top chief key separate regulatory flat close fourth fifth
""",
}
# Words before which a bare form is a verb, and those that are subjects before one.
MODALS = listed("to will would can could shall should may might must cannot won't wouldn't can't couldn't n't")
SUBJECTS = listed("i you he she it we they who")
ALWAYS_VERBS = listed(AUXILIARIES) - {"may"}
OPEN = (NOUN, VERB, ADJ)  # a word of these may be a name when it has a capital: New York

# The longest ending that fits decides; a word of which fewer than three letters would be left is not decided so.
ENDINGS = {
    "ly": ADV, "wise": ADV, "ous": ADJ, "ful": ADJ, "less": ADJ, "able": ADJ, "ible": ADJ, "ical": ADJ, "ic": ADJ,
    "al": ADJ, "ive": ADJ, "ish": ADJ, "ary": ADJ, "ant": ADJ, "ent": ADJ, "est": ADJ, "ern": ADJ, "ular": ADJ,
    "ing": VERB, "ed": VERB, "ize": VERB, "ise": VERB, "ify": VERB, "izes": VERB, "ifies": VERB,
    "ment": NOUN, "tion": NOUN, "sion": NOUN, "ness": NOUN, "ity": NOUN, "ism": NOUN, "ist": NOUN, "ance": NOUN,
    "ence": NOUN, "ship": NOUN, "ology": NOUN, "dent": NOUN, "eed": NOUN, "sal": NOUN, "ital": NOUN, "iant": NOUN,
    "icant": ADJ, "inent": ADJ, "rent": ADJ, "cient": ADJ, "uary": NOUN, "etary": NOUN, "pany": NOUN,
}  # fmt: skip


@cache
def known_parts() -> dict[str, str]:
    """Word to part of speech; what is listed twice has the part that is listed first."""
    return {word: part for part, words in reversed(WORDS.items()) for word in words.split()}


def part_by_ending(word: str) -> str | None:
    """Of a word in lower case."""
    for start in range(3, len(word) - 1):
        if (part := ENDINGS.get(word[start:])) is not None:
            return part
    return None
