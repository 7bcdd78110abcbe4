"""How the trainer requests scores, with the standard library alone: run by `npm test` if Python exists, and by pytest."""

import sys
import tempfile
import unittest
from io import StringIO
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parent.parent)]

from scorer import Scorer, score  # noqa: E402

from limbeck_trainer import protocol, rewards  # noqa: E402
from limbeck_trainer.rewards import Completion, Rewards  # noqa: E402


class Scores(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.file = Path(folder.name) / "scoring.json"
        self.waits: list = []

    def asking(self, answer: object = lambda _: None, asleep: object = None) -> tuple:
        scorer = Scorer(self.file, "yes", answer)  # type: ignore[arg-type]
        self.addCleanup(scorer.close)

        def sleep(seconds: float) -> None:
            self.waits.append(seconds)
            if asleep is not None:
                asleep(scorer)  # type: ignore[operator]

        return scorer, Rewards(scorer.told, protocol.Events(StringIO()), sleep)

    def test_completions_are_scored_in_their_order_in_batches_that_a_server_takes(self) -> None:
        scorer, asked = self.asking()
        said = [Completion(f"row-{index}", "yes" if index % 3 else "no") for index in range(150)]
        self.assertEqual(asked.scores(said), [1.0 if index % 3 else 0.0 for index in range(150)])
        self.assertEqual([len(batch) for batch in scorer.batches], [64, 64, 22])
        self.assertEqual(scorer.batches[0][1], {"row": "row-1", "completion": "yes"})

    def test_a_server_that_restarts_is_asked_again_with_the_capability_that_it_brings(self) -> None:
        refusals = {1: (503, {}), 2: (401, {"error": {"message": "no"}}), 3: (410, {})}

        def bring(scorer: Scorer) -> None:
            if len(scorer.batches) == 3:
                scorer.tell("second")

        scorer, asked = self.asking(refusals.get, bring)
        self.assertEqual(asked.scores([Completion("row", "yes")]), [1.0])
        self.assertEqual(scorer.tokens, ["first", "first", "first", "second"])
        self.assertEqual(self.waits, [0.2, 0.4, 0.8])

    def test_one_that_stays_away_or_refuses_fails_the_attempt_and_not_the_run(self) -> None:
        for answer in [(503, {}), (401, {})]:
            _, asked = self.asking(lambda _, answer=answer: answer)
            with self.assertRaises(protocol.Failure) as caught:
                asked.scores([Completion("row", "yes")])
            self.assertTrue(caught.exception.retryable)
        self.assertLess(sum(self.waits), 2 * (rewards.PATIENCE + rewards.REFUSED_PATIENCE))

    def test_what_it_asks_wrongly_fails_for_good(self) -> None:
        _, asked = self.asking(lambda _: (400, {"error": {"message": "no such row"}}))
        with self.assertRaises(protocol.Failure) as caught:
            asked.scores([Completion("row", "yes")])
        self.assertFalse(caught.exception.retryable)
        self.assertIn("no such row", str(caught.exception))

    def test_a_redirect_takes_the_capability_nowhere(self) -> None:
        _, asked = self.asking(lambda number: (302, {}) if number == 1 else None)
        with self.assertRaises(protocol.Failure):
            asked.scores([Completion("row", "yes")])

    def test_a_judge_that_is_away_is_asked_again_and_what_has_no_score_is_worth_nothing(self) -> None:
        away = (200, {"data": [score(1.0), score(None, "judge_failed", retryable=True), score(None, "no_reference")]})
        scorer, asked = self.asking(lambda number: away if number == 1 else None)
        said = [Completion("one", "yes"), Completion("two", "yes"), Completion("three", "yes")]
        self.assertEqual(asked.scores(said), [1.0, 1.0, 0.0])
        self.assertEqual([one["row"] for one in scorer.batches[1]], ["two"])

    def test_a_run_without_rewards_or_a_server_that_scores_none_is_refused_for_good(self) -> None:
        for told in (None, {"ids": [], "file": str(self.file)}):
            job = protocol.Job("run", "grpo", 1, {}, "m", None, 7, None, False, told)  # type: ignore[arg-type]
            with self.assertRaises(protocol.Failure) as caught:
                rewards.of(job, protocol.Events(StringIO()))
            self.assertFalse(caught.exception.retryable)


if __name__ == "__main__":
    unittest.main()
