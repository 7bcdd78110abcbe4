"""Requests and answers of the small server, with the standard library alone."""

import json
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from limbeck_trainer import requests  # noqa: E402
from limbeck_trainer.requests import Refused, Said  # noqa: E402

ABOUT = {"id": "chatcmpl-1", "created": 1, "model": "student"}
HELLO = [{"role": "user", "content": "hello"}]
TOOL = {"type": "function", "function": {"name": "look", "parameters": {}}}


def parsed(**body: object) -> requests.Request:
    return requests.parse(json.dumps({"messages": HELLO, **body}).encode())


class Authorization(unittest.TestCase):
    def test_a_server_with_a_key_admits_its_bearer_alone(self) -> None:
        self.assertTrue(requests.is_authorized("Bearer secret", "secret"))
        for header in (None, "", "Bearer", "Bearer ", "Bearer other", "secret", "bearer secret", "Bearer secret "):
            self.assertFalse(requests.is_authorized(header, "secret"))

    def test_a_server_without_a_key_admits_everybody(self) -> None:
        for header in (None, "Bearer any"):
            self.assertTrue(requests.is_authorized(header, None))


class Requests(unittest.TestCase):
    def test_what_a_client_leaves_out_gives_the_likeliest_answer(self) -> None:
        request = parsed(model="any", user="someone", temperature=None)
        self.assertEqual((request.temperature, request.max_tokens, request.streams, request.stop), (0, None, False, []))

    def test_what_is_wrong_is_named(self) -> None:
        for body, param in [
            ({"messages": []}, "messages"),
            ({"messages": ["hello"]}, "messages"),
            ({"temperature": "hot"}, "temperature"),
            ({"temperature": 3}, "temperature"),
            ({"max_tokens": 0}, "max_tokens"),
            ({"max_completion_tokens": 1.5}, "max_completion_tokens"),
            ({"n": 2}, "n"),
            ({"stop": [1]}, "stop"),
            ({"tools": {}}, "tools"),
        ]:
            with self.assertRaises(Refused) as caught:
                parsed(**body)
            self.assertEqual(caught.exception.param, param)
        for text in [b"", b"[]", b"\xff"]:
            with self.assertRaises(Refused):
                requests.parse(text)

    def test_tools_that_must_not_be_called_are_not_offered(self) -> None:
        self.assertEqual(parsed(tools=[TOOL]).tools, [TOOL])
        self.assertIsNone(parsed(tools=[TOOL], tool_choice="none").tools)

    def test_an_answer_tells_its_confidence_and_a_stream_with_its_last_chunk(self) -> None:
        said = Said("yes", "stop", 3, 2, 0.75)
        for last in (requests.whole(ABOUT, said), requests.last_chunk(ABOUT, said)):
            self.assertEqual(last["service"], {"confidence": 0.75})
            self.assertEqual(last["choices"][0]["finish_reason"], "stop")
        self.assertNotIn("service", requests.chunk(ABOUT, {"content": "yes"}))

    def test_an_answer_has_its_usage_and_calls_have_an_index_in_a_stream(self) -> None:
        call = {"id": "call_0", "type": "function", "function": {"name": "look", "arguments": "{}"}}
        said = Said({"role": "assistant", "content": None, "tool_calls": [call]}, "tool_calls", 3, 2, 0.75)
        whole = requests.whole(ABOUT, said)
        self.assertEqual(whole["choices"][0]["message"]["tool_calls"], [call])
        self.assertEqual(whole["usage"]["total_tokens"], 5)
        self.assertEqual(requests.call_deltas(said.completion)["tool_calls"], [{"index": 0, **call}])


if __name__ == "__main__":
    unittest.main()
