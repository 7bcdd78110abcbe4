"""The Python clients of decisions, unchanged, before a deployment. Ends with 1 at the first wrong answer.

BASE_URL, TOKEN: of the proxy. LABELS: those of the student, with commas between them. RIGHT: the one that it gives to TEXT.
"""

import os
import sys

import openai
import typesafe_sdk
from langchain_openai.decisions import Choice, OpenAIDecisions, Predicate

base_url, token, right = (os.environ[name] for name in ("BASE_URL", "TOKEN", "RIGHT"))
labels = os.environ["LABELS"].split(",")
money = os.environ["TEXT"]


def equal(found, expected):
    if found != expected:
        sys.exit(f"{found!r} is not {expected!r}")


client = openai.OpenAI(base_url=base_url, api_key=token, max_retries=0)
asked = [
    {"type": "choice", "name": "team", "instructions": "Which team?", "choices": [{"value": one} for one in labels]},
    {"type": "predicate", "instructions": "The customer is angry."},
]
team, angry = client.decisions.create(model="svc:desk", input=money, questions=asked).answers
equal((team.name, team.choice, angry.name, angry.probability), ("team", right, None, 0.31))
equal(round(sum(one.probability for one in team.probabilities), 9), 1)
try:
    client.decisions.create(model="svc:nobody", input=money, questions=asked)
    sys.exit("There is no such deployment")
except openai.NotFoundError as error:
    equal(error.body["message"], "No such deployment: svc:nobody")

with typesafe_sdk.TypeSafeClient(api_key=token, base_url=base_url) as typesafe:
    answers = typesafe.system_one(
        model="svc:desk",
        state=money,
        questions={
            "team": typesafe_sdk.Choice(instructions="Which team?", criteria={one: None for one in labels}),
            "angry": typesafe_sdk.Noul(instructions="The customer is angry."),
        },
    ).answers
equal((answers["team"].choice, answers["angry"].noul), (right, 0.31))

decisions = OpenAIDecisions(model="svc:desk", api_key=token, base_url=base_url, max_retries=0)
answered = decisions.invoke(
    {
        "input": money,
        "questions": {
            "team": Choice(instructions="Which team?", choices={one: None for one in labels}),
            "angry": Predicate(instructions="The customer is angry."),
        },
    }
)
equal((answered.choices["team"].choice, answered.predicates["angry"].probability), (right, 0.31))
