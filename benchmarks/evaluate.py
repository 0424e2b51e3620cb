"""What `steelyard evaluate` takes beside timing, against a plain loop over the same texts.

python benchmarks/evaluate.py FOLDER [--sentences N] [--copies N] [--pairs N] [MODEL ...]

For each model (trivial and handler, tfidf, bert-small, distilbert; networks have random weights): once it has
been timed, its dataset gets the suite "robustness", and `steelyard evaluate` is run again. Its wall time, the
making of the suite and the scoring included, is compared with that of a process that loads the model and asks
it all variants: networks and TF-IDF sorted by length, in batches of 32, networks on all cores; a handler one
by one, as its interface is. Both are run --pairs times by turns, once before that is not counted, and the
ratio is that of the medians. The difference is what there is for any model: starting, the suite, keeping the
model in, scores, files. It is all that there is for "trivial", a handler that counts letters; "handler"
compares words, about 0.7 ms a text. With --copies the board has the model so often, and the loop's time is
taken so many times. The memory is that of the largest process, workers aside. The sentences are put
together from those of examples/architectures. Bytecode is kept, as that of an installed program is.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import statistics
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "examples" / "architectures"))

from make_models import make  # noqa: E402
from make_texts import LABELS, demo  # noqa: E402
from sizes import ARCHITECTURES, Architecture  # noqa: E402

from evaluator.data.suites.make import Suite  # noqa: E402

#: Networks with random weights; the small one is of the size of the recipe "bert-small".
NETWORKS = {
    "bert-small": Architecture("Bert", "wordpiece", 5000, 128, 2, 4, 512),
    "distilbert": ARCHITECTURES["distilbert-base"],
}

BOARD = """
title = "T"

[measure]
repeats = 1
seconds = 0.4

[[datasets]]
id = "d"
label = "D"
task = "sentiment"
path = "d.tsv"
format = "glue-sst2"
suites = [{suites}]

{models}
[[boards]]
id = "b"
title = "B"
task = "sentiment"
base = "accuracy"
datasets = ["d"]
metrics = [{{ name = "accuracy", label = "Accuracy", unit = "%" }}]
"""
MODEL = """[[models]]
id = "m{number}"
label = "M{number}"
task = "sentiment"
adapter = "{adapter}"
directory = "m"
"""
#: Handlers by the name of the model: one that takes next to no time, one that takes some.
HANDLERS = {
    "trivial": """
def load(directory):
    return None

def predict(example):
    words = example["statement"].lower().split()
    return "positive" if sum(map(len, words)) % 2 else "negative"
""",
    "handler": """
import difflib

KNOWN = ("excellent", "wonderful", "terrible", "boring")

def load(directory):
    return None

def predict(example):
    words = example["statement"].lower().split()
    good, fine, bad, dull = (
        max(difflib.SequenceMatcher(None, known, word).ratio() for word in words) for known in KNOWN
    )
    return "positive" if good + fine > bad + dull else "negative"
""",
}
#: Runs a command, and says how long that took and how large it was. A process of its own, since what this one
#: has loaded would count as the command's.
RUN = """
import resource, subprocess, sys, time
began = time.monotonic()
done = subprocess.run(sys.argv[1:], capture_output=True, text=True)
if done.returncode:
    sys.exit(done.stderr)
print(time.monotonic() - began, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""
#: The plain loop: what somebody would write who wants the answers and nothing else.
PLAIN = """
import json, os, sys
from pathlib import Path
adapter, folder, texts = sys.argv[1], Path(sys.argv[2]), json.loads(Path(sys.argv[3]).read_text())
texts.sort(key=len)
batches = [texts[start:start + 32] for start in range(0, len(texts), 32)]
if adapter == "transformers":
    import torch, transformers
    torch.set_num_threads(os.cpu_count())
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    network = transformers.AutoModelForSequenceClassification.from_pretrained(folder).eval()
    with torch.inference_mode():
        for batch in batches:
            inputs = tokenizer(batch, padding=True, truncation=True, max_length=128, return_tensors="pt")
            network(**inputs).logits.softmax(-1).tolist()
elif adapter == "sklearn":
    import joblib
    pipeline = joblib.load(folder / "model.joblib")
    for batch in batches:
        pipeline.predict_proba(batch)
else:
    sys.path.insert(0, str(folder))
    import handler
    handler.load(folder)
    for text in texts:
        handler.predict({"statement": text})
"""


def texts(count: int) -> list[tuple[str, int]]:
    """Distinct texts of one to three sentences, with the places of their labels in `LABELS`."""
    sentences = demo()
    chance = random.Random(11)
    found: dict[str, int] = {}
    while len(found) < count:
        chosen = [chance.choice(sentences) for _ in range(chance.choice((1, 1, 2, 3)))]
        found[" ".join(text for text, _ in chosen)] = LABELS.index(chosen[0][1])
    return list(found.items())


def make_model(name: str, rows: list[tuple[str, int]], folder: Path) -> str:
    """Write the model to `folder`; the adapter that opens it."""
    if name in HANDLERS:
        folder.mkdir()
        (folder / "handler.py").write_text(HANDLERS[name], encoding="utf-8")
        return "handler"
    if name == "tfidf":
        import joblib
        from sklearn.feature_extraction.text import TfidfVectorizer
        from sklearn.linear_model import LogisticRegression
        from sklearn.pipeline import make_pipeline

        folder.mkdir()
        pipeline = make_pipeline(TfidfVectorizer(ngram_range=(1, 2)), LogisticRegression())
        pipeline.fit([text for text, _ in rows], [LABELS[label] for _, label in rows])
        joblib.dump(pipeline, folder / "model.joblib")
        return "sklearn"
    make(NETWORKS[name], folder)
    return "transformers"


def project(name: str, count: int, copies: int, folder: Path) -> str:
    """A board file, its dataset and its models, timed; the adapter."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    rows = texts(count)
    lines = "".join(f"{text}\t{label}\n" for text, label in rows)
    (folder / "d.tsv").write_text("sentence\tlabel\n" + lines, encoding="utf-8")
    adapter = make_model(name, rows, folder / "m")
    models = "\n".join(MODEL.format(number=number, adapter=adapter) for number in range(copies))
    write_board(folder, models, "")
    run(steelyard("evaluate"), folder)
    write_board(folder, models, '"robustness"')
    return adapter


def write_board(folder: Path, models: str, suites: str) -> None:
    (folder / "board.toml").write_text(BOARD.format(models=models, suites=suites), encoding="utf-8")


def steelyard(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "evaluator.cli", *arguments]


def run(command: list[str], folder: Path) -> tuple[float, float]:
    """The seconds that a command takes, and the megabytes of its largest process.

    Its bytecode is kept, whatever the environment says.
    """
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    whole = [sys.executable, "-c", RUN, *command]
    done = subprocess.run(whole, cwd=folder, check=True, stdout=subprocess.PIPE, text=True, env=environment)
    seconds, kilobytes = map(float, done.stdout.split())
    return seconds, kilobytes / 1000


def compared(name: str, count: int, copies: int, pairs: int, folder: Path) -> None:
    """Print the medians of both, and their ratios."""
    adapter = project(name, count, copies, folder)
    timed = folder / "timed"
    shutil.copytree(folder / "results", timed)
    ours, plain, megabytes = [], [], 0.0
    for _ in range(1 + pairs):
        for made in (folder / "results", *(folder / ".steelyard" / part for part in ("answers", "suites"))):
            shutil.rmtree(made, ignore_errors=True)
        shutil.copytree(timed, folder / "results")
        seconds, megabytes = run(steelyard("evaluate"), folder)
        ours.append(seconds)
        write_inputs(folder)
        seconds, _ = run([sys.executable, "-c", PLAIN, adapter, "m", "texts.json"], folder)
        plain.append(copies * seconds)
    total = len(json.loads((folder / "texts.json").read_text(encoding="utf-8")))
    first, second = statistics.median(ours[1:]), statistics.median(plain[1:])
    print(
        f"{copies} x {name}: {total} variants: {first:.1f} s, the plain loop {second:.1f} s:"
        f" {first / second:.2f} times, {first - second:.1f} s more; {megabytes:.0f} MB",
        flush=True,
    )


def write_inputs(folder: Path) -> None:
    """The texts of all variants, for the plain loop."""
    [path] = (folder / ".steelyard" / "suites").glob("*.jsonl")
    variants = Suite.parse(path.read_text(encoding="utf-8")).variants
    found = [variant.texts["statement"] for variant in variants]
    (folder / "texts.json").write_text(json.dumps(found), encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folder", type=Path, help="where projects are made")
    parser.add_argument("models", nargs="*", default=[*HANDLERS, "tfidf", *NETWORKS])
    parser.add_argument("--sentences", type=int, default=872)
    parser.add_argument("--copies", type=int, default=1)
    parser.add_argument("--pairs", type=int, default=3)
    chosen = parser.parse_args()
    for name in chosen.models:
        compared(name, chosen.sentences, chosen.copies, chosen.pairs, chosen.folder / name)


if __name__ == "__main__":
    main()
