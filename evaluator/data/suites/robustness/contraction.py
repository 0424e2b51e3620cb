"""Contraction: "it is" becomes "it's" and "isn't" becomes "is not", wherever English allows both.

Negations stay negations and possessives stay. What "'s" and "'d" stand for is decided by the words that
follow; where these leave it open, nothing changes. The same goes for what cannot be short ("what it is",
"she is too") or long ("isn't it?").
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence

from evaluator.data.suites.base import Edit, Span, Transformation, each_text, overlaps

# What a word says about the contraction before it: which verb forms, which openings of clauses.


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Passed over in looking for the word that decides, like everything in -ly: "it's never been".
ADVERBS = _words(
    """all already also always both even ever fairly just less more most much never no not now often
    only quite rather so soon sooner still such then too yet"""
)
# Behind "'s" or "'d" these are seldom anything but participles of "has" or "had".
WITH_HAS = _words("been become got gotten had")
# Irregular participles that are no base forms: "put", "come" or "read" would leave it open.
PARTICIPLES = WITH_HAS - {"become"} | _words(
    """begun bitten blown borne bought broken brought built caught chosen crept dealt done drawn dreamt
    driven drunk dug eaten fallen fed felt fled flown forbidden forgiven forgotten fought found
    frozen given gone grown heard held hidden hung kept known laid lain learnt led left lent lit
    lost made meant met mistaken paid proven ridden risen said sat seen sent sewn shaken shot shown
    slept slid sold sought spent spoken spun stolen stood struck stuck sung sunk sworn swum taken
    taught thought thrown told torn understood undertaken woken won worn woven written"""
)
# In -ed, and base forms.
NO_PARTICIPLES = _words("bed embed shed shred sled wed")
# Behind "'d" these are "would": base forms that are no participles.
BASES = _words(
    """accept add advise agree allow appear appreciate argue ask avoid be bear begin believe break
    bring build buy call care catch change choose consider cry deny describe deserve die do doubt
    draw drink drive eat end enjoy expect fall feel fight find fly follow forget get give go grow
    guess happen hate have hear help hope imagine invite keep kill know last laugh learn leave lie
    like listen live look lose love make mean meet mind miss need notice offer pay pick play praise
    prefer rank rate recommend rent say see seem sell send show sing sit skip sleep speak spend
    stand start stay stop suggest suppose take talk teach tell think throw trust try turn understand
    urge use wait walk want warn waste watch win wish wonder work worry write"""
)
# Behind "'s" these are "is": no participle of "has" is among them.
WITH_IS = _words(
    """a an the this that these those my your his her its our their nothing something anything
    everything one some any every each about above across against among around as at before behind
    below beneath beside between beyond by down for from in inside into like near of off on out
    outside over past through to toward towards under up upon with within without able absurd afraid
    alive alone amazing angry awful bad beautiful best better big bizarre black brave brief bright
    brilliant calm certain cheap clear clever close cold common complex cool correct crazy creepy
    cruel dark dead deep different difficult dirty dumb dull easy empty enough entire epic evil
    excellent fair fake false familiar far fast fine first flat foreign free fresh full fun funny
    gentle glad good grand great gross happy hard harsh healthy heavy here high hot huge human
    impossible important intense intelligent kind large late lazy likable likely local long loud low
    lucky mad main mediocre messy minor modern moral necessary new nice normal obvious odd okay old
    open ordinary original other pathetic perfect personal plain poor popular possible pretty proud
    pure quick quiet rare raw ready real responsible rich right rotten rough rude sad safe sane
    scary second secret sensible sharp short shy sick silly similar simple slight slow small smart
    smooth soft sorry sour special stale steady strange strong stupid subtle sure sweet tall tame
    tender tense terrible there thick thin third tight tiny tough true typical ugly unclear unlikely
    unusual urgent vague vast very violent warm weak weird wet white whole wide wild wise wonderful
    worse worst worth wrong young it me us them him what when where whether who why how because"""
)
ENDINGS_WITH_IS = ("ing", "ful", "ous", "able", "ible", "ive", "less", "ic")
# A clause that begins behind one of these has its verb where it is: "if it is late", but "what it is".
OPENERS = _words(
    """although and because believe believes but feel hope if knew maybe no oh or perhaps said say says
    since so suppose sure then though think thinks thought unless until well when whether while yes
    yet"""
)
# Before these the verb is without its complement, and cannot be short: "she is and was".
NO_SHORT = _words(
    """and as because but either else he how i if indeed neither nor or she than that they though too
    we what when where while who why you"""
)
# A subject behind the verb is a question: "isn't it" is not "is not it".
SUBJECTS = _words(
    """i you he she it we they that this these those there anyone anybody everyone everybody someone
    somebody"""
)
DETERMINERS = _words("a an the my your his her its our their")
# "not only" is no negation of the verb.
NOT_WITH = _words("only just merely simply necessarily to but")


# All look at the text in small letters, and first for what is rare. Tokenised texts write "it 's", "is n't".
_END = r"(?![\w'’-])"
_SHORT = re.compile(rf"['’](t|s|d|m|re|ll|ve){_END}")
_LONG = re.compile(rf" (not|am|are|is|have|has|had|would|will){_END}")
_CANNOT = re.compile(rf"(?<![\w'’-])can(not){_END}")
_STEM = re.compile(r"(?:^|[^\w'’-])([a-z]+)\Z")
_LONGEST_STEM = 6
_FOLLOWING = re.compile(r"(?: [a-z]+(?![\w'’-])){1,5}")
_LAST_WORD = re.compile(r"(\w+)\s*\Z")

_NEGATED = _words("is are was were do does did have has had would could should must")
_BEFORE_NOT = _NEGATED | {"need", "can", "will"}
_BEFORE_NT = _NEGATED | {"need", "might", "ca", "wo", "sha"}
_WHOLE = {"wo": "will", "sha": "shall"}
_EXPANDED = {"m": "am", "re": "are", "ll": "will", "ve": "have"}
_MAY_EXPAND = {
    "s": _words("it he she that there here who"),
    "d": _words("i you he she it we they"),
    "m": _words("i"),
    "re": _words("you we they"),
    "ll": _words("i you he she it we they that there who"),
    "ve": _words("i you we they would could should might must"),
}
_CONTRACTED = {
    "am": "m",
    "are": "re",
    "is": "s",
    "has": "s",
    "have": "ve",
    "had": "d",
    "would": "d",
    "will": "ll",
}
_MAY_CONTRACT = {
    "am": _words("i"),
    "are": _words("you we they"),
    "is": _words("it he she that there here who"),
    "has": _words("it he she"),
    "have": _words("i you we they"),
    "had": _words("i you he she we they"),
    "would": _words("i you he she we they"),
    "will": _words("i you he she it we they"),
}


def contraction() -> Transformation:
    """Every contraction is written out and every phrase that has one is contracted, in its case.

    It makes no choices and has no severity, like TextFlint's.
    """
    return Transformation("Contraction", 1, each_text(_edits), {})


def _edits(text: str, rng: random.Random, protected: Sequence[Span]) -> list[Edit]:
    low = text.replace("İ", "I").lower()  # the one letter that would become two
    found = list(_shortened(text, low))
    if "'" in text or "’" in text:
        found += _written_out(text, low)
    return sorted(edit for span, edit in found if not protected or not overlaps(*span, protected))


def _written_out(text: str, low: str) -> Iterator[tuple[Span, Edit]]:
    """The contractions that can be written out: each with the place of its first word and the edit."""
    for match in _SHORT.finditer(low):
        start, end = match.span()
        negation = match[1] == "t"
        if negation:
            if low[start - 1 : start] != "n":
                continue
            start -= 1
        if low[start - 1 : start] == " ":
            start -= 1
        stem = _stem(low, start)
        if negation:
            edit = _not_written_out(text, low, stem, start, end)
        else:
            edit = _verb_written_out(text, low, stem, start, end, match[1])
        if edit:
            yield (start - len(stem), end), edit


def _not_written_out(text: str, low: str, stem: str, start: int, end: int) -> Edit | None:
    if stem not in _BEFORE_NT or _is_question(low, stem, start, end):
        return None
    if stem in _WHOLE:
        start -= len(stem)
        return Edit(start, end, _cased(f"{_WHOLE[stem]} not", text[start:end]))
    return Edit(start, end, _cased("nnot" if stem == "ca" else " not", text[start:end]))


def _is_question(low: str, verb: str, start: int, end: int) -> bool:
    """Whether a subject follows, for sure ("isn't it") or by the look of it ("Isn't the film ...")."""
    following = _following(low, end)
    if not following or following[0] not in DETERMINERS:
        return bool(following) and following[0] in SUBJECTS
    before = _word_before(low, start - len(verb))
    return before in ("why", "how") or (before is None and verb not in ("do", "ca", "wo", "sha"))


def _verb_written_out(text: str, low: str, stem: str, start: int, end: int, short: str) -> Edit | None:
    following = _following(low, end)
    if stem == "let":
        verb = "us" if short == "s" and following else None
    elif stem not in _MAY_EXPAND[short]:
        verb = None
    elif short == "s":
        verb = _what_s_is(following)
    elif short == "d":
        verb = _what_d_is(following)
    else:
        verb = _EXPANDED[short]
    return Edit(start, end, _cased(f" {verb}", text[start:end])) if verb else None


def _what_s_is(following: Sequence[str]) -> str | None:
    word = _deciding(following)
    if word in WITH_HAS:
        return "has"
    says_is = word in WITH_IS or word.endswith(ENDINGS_WITH_IS)
    return "is" if says_is and not WITH_HAS.intersection(following) else None


def _what_d_is(following: Sequence[str]) -> str | None:
    word = _deciding(following)
    if following[:1] == ["better"] or _is_participle(word):
        return "had"
    return "would" if word in BASES else None


def _shortened(text: str, low: str) -> Iterator[tuple[Span, Edit]]:
    """The phrases that can be contracted: each with its place and the edit."""
    mark = "’" if "’" in text and "'" not in text else "'"
    for match in _LONG.finditer(low):
        start, end = match.span()
        stem = _stem(low, start)
        shorten = _not_shortened if match[1] == "not" else _verb_shortened
        if edit := shorten(text, low, stem, start, end, mark):
            yield (start - len(stem), end), edit
    if "cannot" in low:
        for match in _CANNOT.finditer(low):
            if edit := _not_shortened(text, low, "can", *match.span(1), mark):
                yield match.span(), edit


def _not_shortened(text: str, low: str, stem: str, start: int, end: int, mark: str) -> Edit | None:
    following = _following(low, end)
    if stem not in _BEFORE_NOT or (following and following[0] in NOT_WITH):
        return None
    negation = text[start:end].strip()
    if not _same_case(text[start - len(stem) : start], negation):
        return None
    if stem == "will":
        return Edit(start - len("ill"), end, _cased(f"on{mark}t", negation))
    return Edit(start, end, _cased(f"{mark}t" if stem == "can" else f"n{mark}t", negation))


def _verb_shortened(text: str, low: str, stem: str, start: int, end: int, mark: str) -> Edit | None:
    verb, following = low[start + 1 : end], _following(low, end)
    if stem not in _MAY_CONTRACT[verb] or not following or following[0] in NO_SHORT:
        return None
    if following[0] == "not" and verb != "am":  # that one becomes "isn't"
        return None
    if verb in ("has", "have", "had") and not _is_participle(_deciding(following)):
        return None
    if stem not in ("that", "who") and not _begins_clause(low, start - len(stem)):
        return None
    if not _same_case(text[start - len(stem) : start], text[start + 1 : end]):
        return None
    return Edit(start, end, _cased(mark + _CONTRACTED[verb], text[start:end]))


def _stem(low: str, end: int) -> str:
    """The word that ends there, empty if there is none or it is too long to matter."""
    if (word := low[low.rfind(" ", 0, end) + 1 : end]).isalpha():  # most are found without a pattern
        return word
    match = _STEM.search(low[max(0, end - _LONGEST_STEM - 1) : end])
    return match[1] if match and len(match[1]) <= _LONGEST_STEM else ""


def _begins_clause(low: str, start: int) -> bool:
    before = _word_before(low, start)
    return before is None or before in OPENERS


def _word_before(low: str, start: int) -> str | None:
    """The word before, None at the beginning of the text or behind a mark."""
    if (
        low[start - 1 : start] == " "
        and (word := low[low.rfind(" ", 0, start - 1) + 1 : start - 1]).isalpha()
    ):
        return word
    match = _LAST_WORD.search(low[max(0, start - 20) : start])
    return match[1] if match else None


def _following(low: str, end: int) -> list[str]:
    """Up to five words that follow with nothing but single spaces between."""
    match = _FOLLOWING.match(low, end)
    return match[0].split() if match else []


def _deciding(following: Sequence[str]) -> str:
    """The first that is no adverb, or nothing."""
    return next((w for w in following if w not in ADVERBS and not _is_ly(w)), "")


def _is_ly(word: str) -> bool:
    return word.endswith("ly") and word not in WITH_IS and word not in BASES


def _is_participle(word: str) -> bool:
    regular = word.endswith("ed") and not word.endswith("eed") and word not in NO_PARTICIPLES
    return regular or word in PARTICIPLES


def _same_case(first: str, second: str) -> bool:
    """Whether two words can become one: "IS not" is meant to be read as it is written."""
    return (first + second).isupper() or (second.islower() and (first[1:].islower() or len(first) == 1))


def _cased(new: str, old: str) -> str:
    """The new words in capitals if the old letters are, with a capital if they begin with one."""
    if old.isupper():
        return new.upper()
    return new[0].upper() + new[1:] if old[0].isupper() else new
