"""Fairness, placebo and gender-neutral suites: which words are names, what they become, and what stays."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping, Sequence
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
Kept = Mapping[str, Sequence[Span]]


def edits_of(name: str, texts: Mapping[str, str], seed: int = 0, protected: Kept | None = None) -> Edits:
    """The edits of the transformation called `name`; none where a text does not show what a word is."""
    try:
        return ALL[name].edit(texts, random.Random(seed), protected or {})
    except UndecidedError:
        return {}


def perturb(
    name: str, texts: Mapping[str, str], seed: int = 0, protected: Kept | None = None
) -> dict[str, str] | None:
    """The texts after the transformation called `name`; None where it does not apply."""
    edits = edits_of(name, texts, seed, protected)
    return (
        {key: apply(text, edits.get(key, ())) for key, text in texts.items()} if any(edits.values()) else None
    )


def changed(name: str, text: str, seed: int = 0) -> str | None:
    """One text after the transformation."""
    return (perturb(name, {"statement": text}, seed) or {}).get("statement")


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


# What becomes of texts by the transformations without chance; None: they are left alone

EXPECTED: dict[str, dict[str, str | None]] = {
    "gender": {
        "A man met two women.": "A woman met two men.",
        "The actress and the waiter": "The actor and the waitress",
        "HE SAW HIS WIFE": "SHE SAW HER HUSBAND",
        "Mr. Smith and Mrs Jones": "Ms. Smith and Mr Jones",
        "Miss Marlow said that Ms. Lee had left.": "Mr. Marlow said that Mr. Lee had left.",
        "Sir Humphrey said yes, sir.": "Dame Humphrey said yes, madam.",
        "He's here; she'll come; he'd go.": "She's here; he'll come; she'd go.",
        "The choice is hers, the book his.": "The choice is his, the book hers.",
        "She  gave\thim -- his book !": "He  gave\ther -- her book !",
        # Pronouns that may be either, also within a compound.
        "I gave her flowers.": None,
        "A he/she joke about her brother.": None,
        # Other things that are written alike, entities, and a verb that is no title.
        "The MS attacked the man-made sister city.": None,
        "King Kong ate at Red Robin and Burger King.": None,
        "I miss you.": None,
        # Possessives that the other word would not have.
        "The ladies' room": None,
        "The gentlemen's club": None,
    },
    "gender-neutral": {
        "The policeman told a waitress.": "The police officer told a server.",
        "He is late.": "They are late.",
        "HE CAN SING": "THEY CAN SING",
        "He never plays chess with his brother.": "They never play chess with their sibling.",
        "Yesterday she lost her keys.": "Yesterday they lost their keys.",
        "I saw him himself.": "I saw them themselves.",
        "Mrs. Smith married the fireman.": "Mx. Smith married the firefighter.",
        # Verbs that may depend on the pronoun, or whose plural is not known; an inversion; a short form of two.
        "He is tall and has a dog.": None,
        "She played well, and was chosen.": None,
        "He strums.": None,
        "Is he late?": None,
        "He's a man.": None,
        # Words without a neutral counterpart, of either kind, or without its possessive.
        "My aunt saw a woman.": None,
        "I gave her flowers.": None,
        "The ladies' room": None,
    },
    "same-group-names": dict.fromkeys(
        (
            # Surnames: after an unknown first name, a known one, a title, an initial, and again later.
            "Ridley Scott made it.", "They saw Bill Murray.", "Mr. Scott left.", "J. Scott left.",
            "Bill Murray, and Murray again",
            # Entities, in capitals and without.
            "Adam and Eve", "Samuel Adams, MARTIN LUTHER KING, Good Will Hunting", "martin luther king at red robin",
            # Compounds and addresses, ordinary words, a word that opens a sentence, a longer letter.
            "Mary-Kate and @adam, #Adam, adam.smith@x.org, D'Adam", "the red mark", "a grace note by scott",
            "Mark my words.", "Adam\u0301",
        ),
    ),
}  # fmt: skip
CASES = [(name, text, expected) for name, texts in EXPECTED.items() for text, expected in texts.items()]


@pytest.mark.parametrize(("name", "text", "expected"), CASES, ids=[f"{case[0]}: {case[1]}" for case in CASES])
def test_words_change_with_their_case_and_marks(name: str, text: str, expected: str | None) -> None:
    """Nouns, pronouns, titles and their verbs change together; what is unclear, would be ungrammatical, or is something
    else than a person's gender or first name, leaves the example as it is."""
    assert changed(name, text) == expected


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


def test_the_lists_keep_the_rule_of_their_source() -> None:
    """Four groups, at least sixty names a group and gender, none twice; few of the names are ordinary words."""
    names = read_names()
    assert names.groups == GROUPS
    assert all(len(names.lists[NameKind(group, gender)]) >= 60 for group in GROUPS for gender in GENDERS)
    assert len(names.kinds) == sum(len(listed) for listed in names.lists.values())
    assert 0 < len([name for name in names.kinds if name in data().ordinary]) <= 15


OWN = "group\tgender\tname\tnote\n# mine\nmartian\tfemale\tZyx\tx\nmartian\tfemale\tZya\nmartian\tmale\tZog\nmartian\tmale\tZag\n"


def test_users_bring_their_own_lists(tmp_path: Path) -> None:
    """Other groups make other transformations, and another spec."""
    path = tmp_path / "names.tsv"
    path.write_text(OWN, encoding="utf-8")
    own = fairness({"names": str(path), "recogniser": "gazetteer"})
    assert [one.name for one in own] == ["gender", "ethnicity-martian"]
    assert own[0].spec()["options"]["names"] != ALL["gender"].spec()["options"]["names"]
    assert str(tmp_path) not in str(own[0].spec())


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("martian\tfemale\tZyx\n", "column names"),
        ("group\tgender\tname\nmartian\tother\tZyx\n", "martian: 'Zyx': gender 'other'"),
        ("group\tgender\tname\nmartian\tfemale\tMary Ann\n", "'Mary Ann'"),
        (OWN + "venusian\tmale\tZyx\n", "venusian: 'Zyx' is in martian, female too"),
        ("group\tgender\tname\nmartian\tfemale\tZyx\nmartian\tfemale\tZya\n", "martian: fewer than two male"),
    ],
)
def test_lists_and_options_that_cannot_be_are_refused(text: str, said: str, tmp_path: Path) -> None:
    """Errors name the file, the group, the name and what to do; or the option and its value."""
    path = tmp_path / "names.tsv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UserError, match=str(path)) as caught:
        placebo({"names": str(path)})
    assert said in str(caught.value)
    for options, problem in (
        ({"names": "/no/names.tsv"}, r"names\.tsv"),
        ({"name": "x"}, "'name'"),
        ({"names": 3}, "3"),
    ):
        with pytest.raises(UserError, match=problem):
            fairness(options)  # type: ignore[arg-type]


SAYS_GENDER = data().swapped.keys() - set(data().neutral.values())


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


# What "her" and "his" are: a sentence or two for each of the rules of `pronouns`

HER_OR_HIS: dict[tuple[str, str | None], str] = {
    ("her", "object"): """
I saw her.
We told her that it was late.
She asked me to call her again tomorrow.
He loved her deeply.
He loved her deeply and for years.
I met her last night.
He said to her, quietly, that it was over.
It took her a year to write it.
He picked her up.
Everybody likes her, and so do I.
The film lets her be funny.
They watched her as she danced.
""",
    ("her", "possessive"): """
She lost her keys.
It is her best film.
She did it on her own.
He admired her and my work.
It was her deeply felt performance that I liked.
She closed her eyes.
He gave her mother a lift.
In her first film she is superb.
She is at home in her element.
The critics praised her off-screen life.
By her singing she won us over.
She was proud of her acting.
Her only wish was to leave.
She tried her best to win.
It was her first.
""",
    ("her", None): """
I gave her flowers.
We saw her dance.
They made her famous.
He drove her home.
They called her "the best".
He heard her singing.
I met her first.
""",
    ("his", "possessive"): """
He lost his keys.
It was his and her idea.
He did it on his own.
They liked his very long speech.
We saw his off-screen life.
He did his best.
""",
    ("his", "pronoun"): """
The choice is his.
A friend of his who paints came.
Mine is old, but his is new.
""",
    ("his", None): """
We know his off screen life.
The choice was his in the end.
A friend of his came.
""",
}
SENTENCES = [(one, *rule) for rule, several in HER_OR_HIS.items() for one in several.strip().splitlines()]


@pytest.mark.parametrize(("sentence", "word", "expected"), SENTENCES, ids=[one[0] for one in SENTENCES])
def test_rules(sentence: str, word: str, expected: str | None) -> None:
    """The words around decide what a pronoun is, or leave it undecided."""
    field = read({"text": sentence}, {"her", "his"})["text"]
    assert role(field, field.lower.index(word)) == expected


def test_a_tagger_decides_where_there_is_one() -> None:
    """A tag settles what the rules leave undecided, but not the two uses of "his", which are both PRP$ to a tagger."""
    her, his = (Field(text) for text in ("I gave her flowers.", "The choice is his."))
    assert (role(her, 2, "PRP"), role(her, 2, "PRP$"), role(his, 3, "PRP$")) == (
        "object",
        "possessive",
        "pronoun",
    )
