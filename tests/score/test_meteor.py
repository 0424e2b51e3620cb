"""METEOR equals nltk's, over a small WordNet database written for these tests."""

from __future__ import annotations

import zipfile
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import nltk
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from nltk.corpus.reader.wordnet import WordNetCorpusReader
from nltk.translate.meteor_score import meteor_score

from evaluator.records.errors import UserError
from evaluator.score.metrics import meteor as module
from evaluator.score.metrics import report
from evaluator.score.metrics.meteor import WordNet

# Synsets by part of speech; a few whose members are capitalised, of two words, or marked as adjectives are.
SYNSETS = {
    "noun": ["car auto motor_car", "car railcar", "church Church", "mouse", "leaf page"],
    "verb": ["run go work", "purchas bui", "carri transport", "buy purchase"],
    "adj": ["big large(p)", "old aged"],
    "adv": ["fast quickly"],
}
IRREGULAR = {"noun": ["mice mouse", "leaves leaf leave"], "verb": ["ran run", "bought buy"]}
FORMS = [
    *(
        [
            "cars",
            "Cars",
            "mice",
            "leaves",
            "ran",
            "runs",
            "churches",
            "bigger",
            "transported",
            "the",
            "a",
            ",",
            "aging",
        ]
    ),
    *(
        name.partition("(")[0].replace("_", " ")
        for sets in SYNSETS.values()
        for s in sets
        for name in s.split()
    ),
]


class Reader(WordNetCorpusReader):
    """nltk's reader without its mapping to other releases, whose file METEOR does not use."""

    def map_wn(self, version: str = "wordnet") -> None:
        return None


def write(folder: Path, release: str = "3.0") -> Path:
    """The database, with the two files that nltk asks for besides."""
    folder.mkdir(parents=True)
    for pos, synsets in SYNSETS.items():
        data, places = f"  1 WordNet {release}, words made up for a test  \n", defaultdict(list)
        letter = pos[0] if pos != "adv" else "r"
        for names in map(str.split, synsets):
            for name in names:
                places[name.partition("(")[0].lower()].append(len(data))
            members = " ".join(f"{name} 0" for name in names)
            data += f"{len(data):08} 00 {letter} {len(names):02x} {members} 000 | made up  \n"
        index = [
            f"{name} {letter} {len(at)} 0 {len(at)} 0 {' '.join(f'{o:08}' for o in at)}  "
            for name, at in places.items()
        ]
        (folder / f"data.{pos}").write_text(data)
        (folder / f"index.{pos}").write_text("\n".join(["  1 no licence  ", *sorted(index)]) + "\n")
        (folder / f"{pos}.exc").write_text("".join(f"{line}\n" for line in IRREGULAR.get(pos, [])))
    (folder / "lexnames").write_text("00\tmade.up\t3\n")
    return folder


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(tmp_path_factory.mktemp("wordnet") / "dict")


@pytest.fixture(autouse=True)
def _use(database: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(module.VARIABLE, str(database))


@pytest.fixture(scope="module")
def reader(database: Path) -> Iterator[WordNetCorpusReader]:
    """nltk's own reader, which opens only files in nltk's data folders."""
    nltk.data.path.append(str(database.parent))
    yield Reader(str(database), None)
    nltk.data.path.remove(str(database.parent))


def score(prediction: str, reference: str) -> float:
    return report([prediction], [reference], "generation", ["meteor"]).scores["meteor"].value


def test_synonyms_are_nltks(database: Path, reader: WordNetCorpusReader) -> None:
    """All single words of all senses of all base forms, with their capitals."""
    for word in (*FORMS, "zebra", "naïve", "best"):
        names = {lemma.name() for synset in reader.synsets(word) for lemma in synset.lemmas()}
        assert WordNet(database).synonyms(word) == {name for name in names if "_" not in name} | {word}
    assert WordNet(database).synonyms("cars") == {"cars", "car", "auto", "railcar"}


texts = st.lists(st.sampled_from(FORMS), max_size=10).map(" ".join)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(texts, st.lists(texts, min_size=1, max_size=3)), min_size=1, max_size=4))
def test_meteor_is_nltks(reader: WordNetCorpusReader, items: list[tuple[str, list[str]]]) -> None:
    """Every item's score is nltk's best over its references, and the value is their mean."""
    predictions, references = map(list, zip(*items, strict=True))
    expected = [
        100 * meteor_score([r.split() for r in refs], text.split(), wordnet=reader) for text, refs in items
    ]
    found = report(predictions, references, "generation", ["meteor"]).scores["meteor"]
    assert found.per_item == pytest.approx(expected, abs=1e-9)
    assert found.value == pytest.approx(sum(expected) / len(expected), abs=1e-9)


def test_stems_and_synonyms_match() -> None:
    """A synonym counts like the word itself, another word does not, and punctuation is a token."""
    assert score("the autos", "the car") == score("the car", "the car") > 90
    assert score("the mouse", "the car") < score("the auto", "the car")
    assert score("the cat.", "the cat .") == score("the cat .", "the cat .")
    assert score("zebra", "car") == score("", "car") == score("car", "") == 0


def test_the_corpus_of_nltk_is_found_in_its_zip(
    database: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without the variable and Debian's package, the zip that nltk downloads is read as it is."""
    monkeypatch.delenv(module.VARIABLE)
    monkeypatch.setattr(module, "DEBIAN", tmp_path / "none")
    monkeypatch.setattr(nltk.data, "path", [str(tmp_path)])
    with pytest.raises(UserError, match=r"no WordNet database here; install Debian's package wordnet-base"):
        score("cars", "auto")
    (tmp_path / "corpora").mkdir()
    with zipfile.ZipFile(tmp_path / "corpora" / "wordnet.zip", "w") as packed:
        for file in database.iterdir():
            packed.write(file, f"wordnet/{file.name}")
    assert score("cars", "auto") == score("auto", "auto")


def test_another_release_or_a_missing_file_is_refused(tmp_path: Path) -> None:
    """Numbers from another WordNet would not compare; a database that lacks a file is named with it."""
    with pytest.raises(UserError, match=r"is 3.1, METEOR uses 3.0"):
        WordNet(write(tmp_path / "dict", "3.1"))
    folder = write(tmp_path / "other")
    (folder / "verb.exc").unlink()
    with pytest.raises(UserError, match=r"verb\.exc"):
        WordNet(folder)
