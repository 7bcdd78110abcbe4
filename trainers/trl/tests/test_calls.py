"""Calls of tools in the forms of many templates, with the standard library alone."""

import json
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from limbeck_trainer import calls  # noqa: E402
from limbeck_trainer.calls import HERMES, Form  # noqa: E402

END = "<|end|>"


def written(call: object) -> object:
    """A template: `call` writes the calls of a message."""

    def write(messages: list, tools: list, is_prompt: bool) -> str:
        parts = [f"tools: {json.dumps(tools)}\n"]
        for message in messages:
            said = call(message["tool_calls"]) if "tool_calls" in message else message["content"]  # type: ignore[operator]
            parts.append(f"<|{message['role']}|>{said}{END}\n")
        return "".join([*parts, "<|assistant|>"] if is_prompt else parts)

    return write


def flat(call: dict, arguments: str = "arguments") -> dict:
    return {"name": call["function"]["name"], arguments: call["function"]["arguments"]}


#: As Qwen, Mistral, Llama and others write them.
TEMPLATES = {
    "marked": lambda made: "\n".join(f"<tool_call>\n{json.dumps(flat(one))}\n</tool_call>" for one in made),
    "thinking": lambda made: "<think>\n\n</think>\n\n" + "".join(f"<call>{json.dumps(flat(one))}</call>" for one in made),
    "listed": lambda made: "[TOOL_CALLS] " + json.dumps([{**flat(one), "id": one["id"]} for one in made]),
    "alone": lambda made: json.dumps(flat(made[0], "parameters")),
    "nested": lambda made: "<|calls|>" + json.dumps([{"type": "function", "function": flat(one)} for one in made]),
}


def call(name: str, **arguments: object) -> dict:
    return {"id": "1", "type": "function", "function": {"name": name, "arguments": arguments}}


class Calls(unittest.TestCase):
    def test_the_form_is_that_of_the_template(self) -> None:
        forms = {name: calls.form_of(written(template), [END]) for name, template in TEMPLATES.items()}
        self.assertEqual(forms["marked"], HERMES)
        self.assertEqual(forms["thinking"], Form("<call>", "</call>"))
        self.assertEqual(forms["listed"], Form("[TOOL_CALLS]", ""))
        self.assertEqual(forms["alone"], Form("", ""))
        self.assertEqual(forms["nested"], Form("<|calls|>", ""))

    def test_what_a_template_writes_is_read_again(self) -> None:
        for name, template in TEMPLATES.items():
            form = calls.form_of(written(template), [END])
            made = [call("look", city="Łódź")] + ([] if name == "alone" else [call("send", to={"name": "Ada"})])
            read = calls.read(template(made), form)
            self.assertIsInstance(read, dict, name)
            told = [(one["function"]["name"], json.loads(one["function"]["arguments"])) for one in read["tool_calls"]]
            self.assertEqual(told, [(one["function"]["name"], one["function"]["arguments"]) for one in made], name)
            self.assertEqual(len({one["id"] for one in read["tool_calls"]}), len(made))
            self.assertIsNone(read["content"])

    def test_text_around_calls_is_kept_and_thoughts_are_not(self) -> None:
        read = calls.read('<think>hm</think> I look.\n<tool_call>{"name": "look"}</tool_call> ', HERMES)
        self.assertEqual((read["content"], read["tool_calls"][0]["function"]["arguments"]), ("I look.", "{}"))

    def test_what_is_no_call_is_text(self) -> None:
        for text in ["Lima", "<tool_call>{broken</tool_call>", '<tool_call>{"name": 1}</tool_call>', '<tool_call>{"name": "look"}']:
            self.assertEqual(calls.read(text, HERMES), text)
        for text in ['{"name": "Ada"}', '{"name": "look", "parameters": {}} or so', "[]"]:
            self.assertEqual(calls.read(text, Form("", "")), text)

    def test_a_template_that_writes_no_calls_is_taken_for_hermes(self) -> None:
        def refusing(*_: object) -> str:
            raise ValueError("roles must alternate")

        self.assertEqual(calls.form_of(refusing, [END]), HERMES)
        self.assertEqual(calls.form_of(written(lambda _: "I would call"), [END]), HERMES)


if __name__ == "__main__":
    unittest.main()
