"""TF-IDF over words and word pairs, with logistic regression; the texts of a pair are read as one."""

from __future__ import annotations

from pathlib import Path

from evaluator.measure.models.base import need
from evaluator.measure.models.recipes.base import Options, Recipe, Training

# Single letters and apostrophes count: "n't" and "i" carry sentiment.
WORD = r"[\w']+|[!?]"


def build(training: Training, options: Options, seed: int, directory: Path) -> dict[str, str]:
    """Fit the pipeline and save it with joblib."""
    linear, text = need("sklearn.linear_model"), need("sklearn.feature_extraction.text")
    vectorizer = text.TfidfVectorizer(
        token_pattern=WORD, ngram_range=(1, options["ngrams"]), sublinear_tf=True
    )
    classifier = linear.LogisticRegression(C=options["C"], max_iter=1000, random_state=seed)
    pipeline = need("sklearn.pipeline").make_pipeline(vectorizer, classifier)
    pipeline.fit(training.texts, [training.labels[index] for index in training.gold])
    # Where an object was in memory, which differs from run to run and would change the model's hash.
    vars(vectorizer).pop("_stop_words_id", None)
    need("joblib").dump(pipeline, directory / "model.joblib", compress=3)
    return {}


RECIPE = Recipe(
    "sklearn",
    build,
    options={"ngrams": 2, "C": 10.0},
    packages={"sklearn": "scikit-learn", "joblib": "joblib"},
    fields=None,
)
