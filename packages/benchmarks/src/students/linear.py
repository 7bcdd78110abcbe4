"""The results of scikit-learn's linear models on the student's training rows: `linear.py FILE.jsonl`.

Words, pairs of words and character n-grams, weighted by rarity; a logistic regression and a support vector machine, each
with two strengths; the model with the best agreement with the teacher on the holdout counts. Prints its name, its share
of right test rows, and the seconds of all four.
"""

import json
import sys
import time

from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_union
from sklearn.svm import LinearSVC

FEATURES = 40_000

with open(sys.argv[1]) as file:
    rows = [json.loads(line) for line in file]
train, holdout, test = ([row for row in rows if row["split"] == split] for split in ("train", "holdout", "test"))


def texts(some):
    return [row["text"] for row in some]


def share(said, some, by):
    return sum(one == row[by] for one, row in zip(said, some)) / len(some)


started = time.process_time()
features = make_union(
    TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True, max_features=FEATURES),
    TfidfVectorizer(analyzer="char_wb", ngram_range=(3, 5), sublinear_tf=True, max_features=FEATURES),
)
known = features.fit_transform(texts(train))
models = {
    "logistic regression, C=1": LogisticRegression(C=1, max_iter=200),
    "logistic regression, C=10": LogisticRegression(C=10, max_iter=200),
    "support vectors, C=0.1": LinearSVC(C=0.1),
    "support vectors, C=0.5": LinearSVC(C=0.5),
}
for model in models.values():
    model.fit(known, [row["teacher"] for row in train])
chosen = features.transform(texts(holdout))
best = max(models, key=lambda name: share(models[name].predict(chosen), holdout, "teacher"))
right = share(models[best].predict(features.transform(texts(test))), test, "gold")
print(json.dumps({"model": best, "right": right, "seconds": time.process_time() - started}))
