"""Fairness, placebo and gender-neutral suites: which words are names, what they become, and what stays."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping, Sequence
from importlib.resources import files
from pathlib import Path

import fairness as benchmark
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator.data.suites.base import Edits, Span, Transformation, UndecidedError, apply, touches
from evaluator.data.suites.entities import recogniser
from evaluator.data.suites.fairness import fairness, neutral, placebo
from evaluator.data.suites.fairness.gender import part_of_a_name
from evaluator.data.suites.fairness.names import GENDERS, SHARED, NameKind, read_names, within
from evaluator.data.suites.fairness.pronouns import role
from evaluator.data.suites.fairness.words import Field, data, read
from evaluator.data.suites.make import Definition, make
from evaluator.records.errors import UserError

GAZETTEER = {"recogniser": "gazetteer"}
ALL: dict[str, Transformation] = {
    one.name: one for one in (*fairness(GAZETTEER), *placebo(GAZETTEER), *neutral(GAZETTEER))
}


def edits_of(
    name: str, texts: Mapping[str, str], seed: int = 0, protected: Mapping[str, Sequence[Span]] | None = None
) -> Edits:
    """The edits of the transformation called `name`; none where a text does not show what a word is."""
    try:
        return ALL[name].edit(texts, random.Random(seed), protected or {})
    except UndecidedError:
        return {}


def perturb(
    name: str, texts: Mapping[str, str], seed: int = 0, protected: Mapping[str, Sequence[Span]] | None = None
) -> dict[str, str] | None:
    """The texts after the transformation called `name`; None where it does not apply."""
    edits = edits_of(name, texts, seed, protected)
    if not any(edits.values()):
        return None
    return {key: apply(text, edits.get(key, ())) for key, text in texts.items()}


def changed(name: str, text: str, seed: int = 0) -> str | None:
    """One text after the transformation."""
    after = perturb(name, {"statement": text}, seed)
    return None if after is None else after["statement"]


_WORDS = """
the a an of Mark's Mr. Mrs Ms. Miss he He she SHE her his hers him himself man women King queen actress waiter
ex-wife mother-in-law Red Robin Martin Luther King Victoria's Secret Keisha Priya Maria Megan Adam Michael ADAM
adam Will Grace Hope Mary-Kate @adam D'Andre was is plays and, . ! “ ” \n İstanbul Straße e\u0301 Adam\u0301 映画
"""
TEXTS = st.one_of(
    st.text(max_size=40),
    st.lists(st.sampled_from(_WORDS.split()) | st.text(max_size=4), max_size=20).map(" ".join),
    st.lists(st.sampled_from([*_WORDS.split(), " ", "\t"]), max_size=20).map("".join),
)


@pytest.mark.parametrize("name", ALL)
@given(first=TEXTS, second=TEXTS, seed=st.integers(0, 2**32), data=st.data())
def test_any_text(name: str, first: str, second: str, seed: int, data: st.DataObject) -> None:
    """Edits are apart, change something, leave entities and what is protected, and are the same again."""
    start = data.draw(st.integers(0, len(first)))
    protected = {"context": [(start, data.draw(st.integers(start, len(first))))]}
    texts = {"context": first, "hypothesis": second}
    edits = edits_of(name, texts, seed, protected)
    assert edits == edits_of(name, texts, seed, protected)
    for key, text in texts.items():
        found = edits.get(key, [])
        stay = [*recogniser("gazetteer").spans(text), *protected.get(key, ())]
        assert not any(touches(edit, stay) for edit in found)
        assert not found or apply(text, found) != text


def test_specs_tell_sources_apart() -> None:
    """The names are those that people read on boards; the spec is JSON, names the recogniser and hashes every list."""
    groups = [f"ethnicity-{group}" for group in GROUPS]
    assert list(ALL) == ["gender", *groups, "same-group-names", "gender-neutral"]
    for one in ALL.values():
        spec = one.spec()
        assert json.loads(json.dumps(spec)) == spec
        assert set(spec["options"]) == {"names", "words", "entities"}
        assert spec["options"]["entities"]["recogniser"] == "gazetteer"


# Gender

SWAPPED = {
    "A man met two women.": "A woman met two men.",
    "The actress and the waiter": "The actor and the waitress",
    "HE SAW HIS WIFE": "SHE SAW HER HUSBAND",
    "Mr. Smith and Mrs Jones": "Ms. Smith and Mr Jones",
    "Miss Marlow said that Ms. Lee had left.": "Mr. Marlow said that Mr. Lee had left.",
    "Sir Humphrey said yes, sir.": "Dame Humphrey said yes, madam.",
    "He's here; she'll come; he'd go.": "She's here; he'll come; she'd go.",
    "The choice is hers, the book his.": "The choice is his, the book hers.",
    "She  gave\thim -- his book !": "He  gave\ther -- her book !",
}
KEPT = {
    "I gave her flowers.": "a pronoun that may be either leaves the whole example alone",
    "A he/she joke about her brother.": "so does a pronoun within a compound",
    "The MS attacked the man-made sister city.": "other things that are written alike stay",
    "King Kong ate at Red Robin and Burger King.": "entities stay",
    "I miss you.": "a verb is no title",
    "The ladies' room": "a possessive that the other word would not have",
    "The gentlemen's club": "and the other way round",
}


@pytest.mark.parametrize(("text", "expected"), SWAPPED.items(), ids=list(SWAPPED))
def test_everybody_changes_gender(text: str, expected: str) -> None:
    """Nouns, pronouns and titles change both ways; case, possessives, punctuation and blanks stay."""
    assert changed("gender", text) == expected


@pytest.mark.parametrize("text", KEPT, ids=list(KEPT.values()))
def test_what_has_no_gender_stays(text: str) -> None:
    """A word that is not gendered, or whose gender cannot be determined, is not applicable."""
    assert changed("gender", text) is None


def test_one_person_keeps_one_new_name_in_all_fields() -> None:
    """Context and hypothesis speak of the same people afterwards, and two people stay two."""
    texts = {
        "context": "Keisha, Tyrone and KEISHA's son came.",
        "hypothesis": "Keisha saw Tyrone and his wife.",
    }
    for seed in range(20):
        after = perturb("gender", texts, seed)
        assert after is not None
        first, second = after["context"].split(",")[0], after["context"].split()[1]
        assert first != second
        assert after["context"] == f"{first}, {second} and {first.upper()}'s daughter came."
        assert after["hypothesis"] == f"{first} saw {second} and her husband."


def test_a_name_in_a_protected_span_changes_nowhere() -> None:
    """What answers a question stays, and so does the same name elsewhere in the example."""
    text = "Priya met Keisha. Priya left."
    after = perturb("gender", {"context": text}, protected={"context": [(0, 5)]})
    assert after is not None
    assert after["context"].startswith("Priya met ")
    assert after["context"].endswith(". Priya left.")
    assert "Keisha" not in after["context"]


ONE_TO_ONE = sorted(data().swapped)


@given(
    # "Boy," and "man," that open a sentence are said to nobody.
    st.lists(st.sampled_from(ONE_TO_ONE), min_size=1).filter(
        lambda words: words[0] not in ("boy", "girl", "man", "woman")
    ),
    st.sampled_from([str.lower, str.upper, str.capitalize]),
)
def test_twice_is_nothing(words: list[str], case: object) -> None:
    """Nouns and pronouns that pair one to one come back; commas keep them from being read as names."""
    text = ", ".join(case(word) for word in words)  # type: ignore[operator]
    there = changed("gender", text)
    assert there is not None
    assert there != text
    assert changed("gender", there) == text


def test_pairs_keep_their_article() -> None:
    """No pair changes what "a" or "an" before it must be."""
    for one, other in data().swapped.items():
        vowel = [word[0] in "aeio" or word.startswith(("heir", "uncle")) for word in (one, other)]
        assert vowel[0] == vowel[1], (one, other)


# Names

GROUPS = ("asian-pacific-islander", "black", "hispanic", "white")


def test_names_become_others_of_their_kind() -> None:
    """The other gender of the same group; the target group and the same gender, but for names of it and of none; another
    of its own kind as a placebo."""
    names = read_names()
    for kind, listed in names.lists.items():
        for name in [name for name in listed if name.lower() not in data().ordinary][:5]:
            text = f"Then we met {name} there."
            new = {one: after.split()[3].lower() for one in ALL if (after := changed(one, text)) is not None}
            swapped, same = names.kinds[new.pop("gender")], new.pop("same-group-names")
            assert (swapped.group, swapped.gender == kind.gender) == (kind.group, False), name
            assert names.kinds[same] == kind
            assert same != name.lower()
            targets = [group for group in GROUPS if SHARED != kind.group != group]
            assert {one: names.kinds[other] for one, other in new.items()} == {
                f"ethnicity-{group}": (group, kind.gender) for group in targets
            }, name


NAMES = {
    "Adam's wife": "X's wife",
    "ADAM SAID SO": "X SAID SO",
    "He said Adam Jones had left.": "He said X Jones had left.",
    "Yesterday, Dr. Adam Jones left.": "Yesterday, Dr. X Jones left.",
    "When Adam came, he sat.": "When X came, he sat.",
    "Mark says so.": "X says so.",
    "i left , but adam asked to stay": "i left , but x asked to stay",
}


@pytest.mark.parametrize(("text", "expected"), NAMES.items(), ids=list(NAMES))
def test_names(text: str, expected: str) -> None:
    """First names are found where they are written as such, and keep case and what is around them."""
    names = read_names()
    after = changed("ethnicity-black", text)
    assert after is not None
    before, after_words = text.split(), after.split()
    [place] = [at for at, word in enumerate(before) if word != after_words[at]]
    bare = "".join(character for character in after_words[place].split("'")[0] if character.isalpha())
    assert names.kinds[bare.lower()].group == "black"
    new = "X" if bare[0].isupper() else "x"
    assert after.replace(bare, new) == expected


NO_NAMES = {
    "Ridley Scott made it.": "a surname after an unknown first name",
    "They saw Bill Murray.": "a surname after a first name",
    "Mr. Scott left.": "a surname after a title",
    "J. Scott left.": "a surname after an initial",
    "Adam and Eve": "an entity",
    "Samuel Adams, MARTIN LUTHER KING, Good Will Hunting": "entities, in capitals too",
    "martin luther king at red robin": "entities in a text without capitals",
    "Mark my words.": "a word that opens a sentence",
    "Mary-Kate and @adam, #Adam, adam.smith@x.org, D'Adam": "compounds and addresses",
    "the red mark": "an ordinary word",
    "a grace note by scott": "ordinary words and surnames in a text without capitals",
    "Adam\u0301": "a longer letter",
    "Bill Murray, and Murray again": "a name that is a surname elsewhere in the example",
}


@pytest.mark.parametrize("text", NO_NAMES, ids=list(NO_NAMES.values()))
def test_what_is_no_first_name_stays(text: str) -> None:
    """Surnames, entities, ordinary words and parts of other things are not renamed."""
    assert changed("same-group-names", text) is None


UNSHOWN = [
    "strong sense of deja vu",
    "steven spielberg brings us another masterpiece",
    "judd 's characters ought to pick up the durable best seller smart women",
    "will you laugh ? you may",
    "a harry potter film without the magic",
    "Steven Spielberg made it.",
    "We live in Scott Street.",
    "She is a fan of Deja Vu.",
    "Wendy's has a new chicken sandwich.",
    "We had lunch at Wendy's.",
    "The flight from Charles de Gaulle was late.",
]


@pytest.mark.parametrize("name", ["gender", "ethnicity-black", "same-group-names"])
@pytest.mark.parametrize("text", UNSHOWN)
def test_what_nothing_shows_to_be_a_name_stays(name: str, text: str) -> None:
    """Names of well-known people, titles, places, and words without capitals that are names elsewhere."""
    after = changed(name, text)
    if name == "gender" and after is not None:
        kept = ("Steven", "Scott", "Deja Vu", "steven", "harry", "judd", "vu")
        assert all((word in after) == (word in text) for word in kept)
        assert after.lower().replace("he ", "she ") == text.lower() or "women" in text
        return
    assert after is None


@pytest.mark.parametrize("text", ["and then priya said no", "PRIYA SAYS NO", "if priya wants it , fine"])
def test_doing_what_only_people_do_shows_a_name(text: str) -> None:
    """At the start of a clause, in a text whose capitals say nothing."""
    after = changed("same-group-names", text)
    assert after is not None
    assert "priya" not in after.lower()


def test_a_text_that_shows_nothing_is_left_out_and_counted() -> None:
    """Not as one to which the transformation does not apply: the name may be one."""
    examples = [
        {"id": str(at), "statement": text}
        for at, text in enumerate(
            ["a film with priya in it", "a film with a dog in it", "We met Priya there."]
        )
    ]
    definition = Definition("f", "fairness", (ALL["same-group-names"],))
    suite = make(definition, "d", "sha256:" + "0" * 64, ["statement"], examples, [{}, {}, {}])
    counts = suite.counts["same-group-names"]
    assert (counts.made, counts.unchanged, counts.not_applicable, counts.undecided) == (1, 0, 1, 1)


@pytest.mark.parametrize("named", list(benchmark.transformations()), ids=lambda pair: pair[0].name)
def test_almost_every_change_is_of_what_it_is_meant_to_change(named: tuple[Transformation, object]) -> None:
    """Precision of at least 0.97 for each transformation: on all sentences, on those in one case, and on those that
    no rule was fitted to."""
    transformation, about = named
    everything = benchmark.sentences()
    further = [benchmark.sentences(name) for name in ("fairness_more.txt", "fairness_unseen.txt")]
    for texts in (everything, [one for one in everything if not one.cased], *further):
        found = benchmark.count(transformation, about, texts)  # type: ignore[arg-type]
        assert found.precision >= 0.97, found.mistakes
    assert benchmark.count(transformation, about, everything).recall >= 0.6  # type: ignore[arg-type]


# The lists of names

AT_LEAST = {"white": 0.96, "black": 0.30, "hispanic": 0.50, "asian-pacific-islander": 0.50}


def rows() -> list[dict[str, str]]:
    text = files("evaluator.data.suites.fairness").joinpath("data", "names.tsv").read_text(encoding="utf-8")
    header, *lines = [line.split("\t") for line in text.splitlines() if not line.startswith("#")]
    return [dict(zip(header, line, strict=True)) for line in lines]


def test_the_lists_keep_the_rule_of_their_source() -> None:
    """Four groups, at least sixty names a group and gender, none twice; shares and births as the notes ask of each
    source; few of the names are ordinary words."""
    names = read_names()
    assert names.groups == GROUPS
    assert all(len(names.lists[NameKind(group, gender)]) >= 60 for group in GROUPS for gender in GENDERS)
    assert len(names.kinds) == sum(len(listed) for listed in names.lists.values())
    assert 0 < len([name for name in names.kinds if name in data().ordinary]) <= 15
    for row in rows():
        assert int(row["births"]) >= 10, row
        if row["source"] == "loans":
            assert float(row["share"]) >= AT_LEAST[row["group"]], row
        elif row["source"] == "city":
            assert float(row["share"]) >= 0.6666, row
        else:
            assert (row["source"], row["group"]) == ("births", SHARED), row


OWN = "group\tgender\tname\tnote\n# mine\nmartian\tfemale\tZyx\tx\nmartian\tfemale\tZya\nmartian\tmale\tZog\nmartian\tmale\tZag\n"


def test_users_bring_their_own_lists(tmp_path: Path) -> None:
    """Other groups make other transformations, and another spec."""
    path = tmp_path / "names.tsv"
    path.write_text(OWN, encoding="utf-8")
    own = fairness({"names": str(path), "recogniser": "gazetteer"})
    assert [one.name for one in own] == ["gender", "ethnicity-martian"]
    assert own[0].spec()["options"]["names"] != ALL["gender"].spec()["options"]["names"]
    assert str(tmp_path) not in str(own[0].spec())


BROKEN = {
    "no header": ("martian\tfemale\tZyx\n", "column names"),
    "gender": ("group\tgender\tname\nmartian\tother\tZyx\n", "martian: 'Zyx': gender 'other'"),
    "name": ("group\tgender\tname\nmartian\tfemale\tMary Ann\n", "'Mary Ann'"),
    "twice": (OWN + "venusian\tmale\tZyx\n", "venusian: 'Zyx' is in martian, female too"),
    "too few": (
        "group\tgender\tname\nmartian\tfemale\tZyx\nmartian\tfemale\tZya\n",
        "martian: fewer than two male",
    ),
}


@pytest.mark.parametrize(("text", "said"), BROKEN.values(), ids=list(BROKEN))
def test_broken_lists_are_refused_by_file_group_and_name(text: str, said: str, tmp_path: Path) -> None:
    """Errors name the file, the group, the name and what to do."""
    path = tmp_path / "names.tsv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UserError) as caught:
        placebo({"names": str(path)})
    assert str(path) in str(caught.value)
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("options", "said"),
    [({"names": "/no/such/names.tsv"}, r"names\.tsv"), ({"name": "x"}, "'name'"), ({"names": 3}, "names: 3")],
)
def test_other_options_are_refused(options: dict[str, object], said: str) -> None:
    """Lists that are not there, options that do not exist, and values that are no text are named."""
    with pytest.raises(UserError, match=said):
        fairness(options)


# Gender-neutral

NEUTRAL = {
    "The policeman told a waitress.": "The police officer told a server.",
    "He is late.": "They are late.",
    "HE CAN SING": "THEY CAN SING",
    "He never plays chess with his brother.": "They never play chess with their sibling.",
    "Yesterday she lost her keys.": "Yesterday they lost their keys.",
    "I saw him himself.": "I saw them themselves.",
    "Mrs. Smith married the fireman.": "Mx. Smith married the firefighter.",
}
SKIPPED = {
    "He is tall and has a dog.": "a second verb of the pronoun",
    "She played well, and was chosen.": "a second verb after a past tense",
    "He strums.": "a verb whose plural is not known",
    "Is he late?": "an inversion",
    "He's a man.": "a short form of two verbs",
    "My aunt saw a woman.": "a word without a neutral counterpart",
    "I gave her flowers.": "a pronoun that may be either",
    "The ladies' room": "a possessive that the other word would not have",
}
SAYS_GENDER = data().swapped.keys() - set(data().neutral.values())


@pytest.mark.parametrize(("text", "expected"), NEUTRAL.items(), ids=list(NEUTRAL))
def test_neutral_texts(text: str, expected: str) -> None:
    """Nouns, pronouns and their verbs change together."""
    assert changed("gender-neutral", text) == expected


@pytest.mark.parametrize("text", SKIPPED, ids=list(SKIPPED.values()))
def test_skipped(text: str) -> None:
    """If a neutral text would be ungrammatical, the whole example is not changed."""
    assert changed("gender-neutral", text) is None


@given(TEXTS)
def test_a_variant_says_no_gender(text: str) -> None:
    """A variant has no gendered word of its own outside an entity or a name."""
    after = changed("gender-neutral", text)
    if after is None:
        return
    entities = recogniser("gazetteer").spans(after)
    field = read({"text": after}, SAYS_GENDER).get("text")
    for place, lower in enumerate(field.lower if field else ()):
        if field and lower in SAYS_GENDER and field.plain(place) and not within(field, place, entities):
            assert part_of_a_name(field, place, read_names().kinds), (text, after, lower)


# What "her" and "his" are

OBJECT = """
I saw her.
Did you see her?
We told her that it was late.
They gave her the book.
She asked me to call her again tomorrow.
He loved her deeply.
He loved her deeply and for years.
I met her last night.
Nobody knew her before the war.
They left her in the rain.
He walked with her to the door.
We looked at her with surprise.
He said to her, quietly, that it was over.
I believe her because she was there.
They asked her what she wanted.
It took her a year to write it.
The dog followed her everywhere.
He picked her up.
They sent her away.
Everybody likes her, and so do I.
He thanked her for the gift.
The film lets her be funny.
I told her yesterday.
He helped her when she fell.
They watched her as she danced.
"""

POSSESSIVE = """
She lost her keys.
Her brother lives in Rome.
It is her best film.
She sold her old car.
He read her letter twice.
We met at her house.
She did it on her own.
He admired her and my work.
The actress and her director argued.
It was her deeply felt performance that I liked.
She closed her eyes.
He gave her mother a lift.
They made her life easier.
I saw her face.
The weight of her loss shows.
In her first film she is superb.
She is at home in her element.
She raised her two sons.
The critics praised her off-screen life.
By her singing she won us over.
She was proud of her acting.
With her friends around, she was happy.
Her only wish was to leave.
She wore her grandmother's ring.
She did her best.
She tried her best to win.
It was her first.
She is at her best.
"""

UNDECIDED = """
I gave her flowers.
We saw her dance.
They made her famous.
She found her dead.
He drove her home.
They called her "the best".
He heard her singing.
I met her first.
"""

HIS_DETERMINER = """
He lost his keys.
His sister lives in Rome.
It was his and her idea.
He did it on his own.
They liked his very long speech.
We saw his off-screen life.
The man told his wife.
He did his best.
He closed his eyes.
"""

HIS_PRONOUN = """
The choice is his.
A friend of his who paints came.
Mine is old, but his is new.
Her car and his were stolen.
The idea was his, not mine.
"""

HIS_UNDECIDED = """
We know his off screen life.
The choice was his in the end.
A friend of his came.
"""

CASES = [
    (sentence, word, expected)
    for sentences, word, expected in (
        (OBJECT, "her", "object"),
        (POSSESSIVE, "her", "possessive"),
        (UNDECIDED, "her", None),
        (HIS_DETERMINER, "his", "possessive"),
        (HIS_PRONOUN, "his", "pronoun"),
        (HIS_UNDECIDED, "his", None),
    )
    for sentence in sentences.strip().splitlines()
]


def field_of(sentence: str) -> Field:
    return read({"text": sentence}, {"her", "his"})["text"]


@pytest.mark.parametrize(("sentence", "word", "expected"), CASES, ids=[case[0] for case in CASES])
def test_rules(sentence: str, word: str, expected: str | None) -> None:
    """The words around decide what a pronoun is, or leave it undecided."""
    field = field_of(sentence)
    assert role(field, field.lower.index(word)) == expected


def test_a_tagger_decides_where_there_is_one() -> None:
    """A tag settles what the rules leave undecided, but not the two uses of "his", which are both PRP$ to a tagger."""
    assert role(field_of("I gave her flowers."), 2, "PRP") == "object"
    assert role(field_of("I gave her flowers."), 2, "PRP$") == "possessive"
    assert role(field_of("The choice is his."), 3, "PRP$") == "pronoun"
