"""What a word says about the contraction before it: which verb forms, which openings of clauses."""

from __future__ import annotations


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
