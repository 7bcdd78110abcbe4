"""The Python clients of OpenAI and Anthropic, unchanged, before the proxy. Ends with 1 at the first wrong answer.

BASE_URL, TOKEN: of the proxy. MODEL: one that answers all dialects, `svc:...`; empty: those of the two sources.
"""

import json
import os
import sys

import anthropic
import openai

base_url, token, model = (os.environ[name] for name in ("BASE_URL", "TOKEN", "MODEL"))
question = [{"role": "user", "content": "The capital of France?"}]
weather = [{"role": "user", "content": "The weather?"}]
schema = {
    "type": "object",
    "properties": {"city": {"type": "string"}},
    "required": ["city"],
    "additionalProperties": False,
}
city = {"city": "Paris"}
picture = "aGk="


def of(source):
    return {} if model else {"X-Service-Source": source}


openai_client = openai.OpenAI(base_url=base_url, api_key=token, max_retries=0, default_headers=of("gpts"))
anthropic_client = anthropic.Anthropic(
    base_url=base_url, api_key=token, max_retries=0, default_headers=of("claudes")
)


def equal(found, expected):
    if found != expected:
        sys.exit(f"{found!r} is not {expected!r}")


def chat():
    create = openai_client.chat.completions.create
    asked = {"model": model or "gpt"}
    equal(create(**asked, messages=question).choices[0].message.content, "Paris")
    chunks = create(**asked, messages=question, stream=True)
    equal("".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices), "Paris")
    tools = [{"type": "function", "function": {"name": "weather", "parameters": schema}}]
    message = create(**asked, messages=weather, tools=tools).choices[0].message
    call = message.tool_calls[0]
    equal((call.function.name, json.loads(call.function.arguments)), ("weather", city))
    result = {"role": "tool", "tool_call_id": call.id, "content": "Sunny"}
    said = create(**asked, messages=[*weather, message, result], tools=tools)
    equal(said.choices[0].message.content, "Paris")
    form = {"type": "json_schema", "json_schema": {"name": "place", "strict": True, "schema": schema}}
    structured = create(**asked, messages=question, response_format=form)
    equal(json.loads(structured.choices[0].message.content), city)
    image = {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{picture}"}}
    content = [{"type": "text", "text": "See"}, image]
    equal(create(**asked, messages=[{"role": "user", "content": content}]).choices[0].message.content, "Paris")


def responses():
    create = openai_client.responses.create
    asked = {"model": model or "gpt"}
    equal(create(**asked, input=question).output_text, "Paris")
    with openai_client.responses.stream(**asked, input=question) as stream:
        text = "".join(event.delta for event in stream if event.type == "response.output_text.delta")
        equal((text, stream.get_final_response().output_text), ("Paris", "Paris"))
    tools = [{"type": "function", "name": "weather", "parameters": schema, "strict": True}]
    first = create(**asked, input=weather, tools=tools)
    call = next(item for item in first.output if item.type == "function_call")
    equal((call.name, json.loads(call.arguments)), ("weather", city))
    result = {"type": "function_call_output", "call_id": call.call_id, "output": "Sunny"}
    equal(create(**asked, input=[*weather, *first.output, result], tools=tools).output_text, "Paris")
    form = {"format": {"type": "json_schema", "name": "place", "strict": True, "schema": schema}}
    equal(json.loads(create(**asked, input=question, text=form).output_text), city)
    image = {"type": "input_image", "image_url": f"data:image/png;base64,{picture}", "detail": "auto"}
    content = [{"type": "input_text", "text": "See"}, image]
    equal(create(**asked, input=[{"role": "user", "content": content}]).output_text, "Paris")


def messages():
    create = anthropic_client.messages.create
    asked = {"model": model or "claude", "max_tokens": 64}
    equal(create(**asked, messages=question).content[0].text, "Paris")
    with anthropic_client.messages.stream(**asked, messages=question) as stream:
        equal("".join(stream.text_stream), "Paris")
    tools = [{"name": "weather", "input_schema": schema}]
    first = create(**asked, messages=weather, tools=tools)
    use = next(block for block in first.content if block.type == "tool_use")
    equal((use.name, use.input), ("weather", city))
    result = {"type": "tool_result", "tool_use_id": use.id, "content": "Sunny"}
    turns = [*weather, {"role": "assistant", "content": first.content}, {"role": "user", "content": [result]}]
    equal(create(**asked, messages=turns, tools=tools).content[0].text, "Paris")
    # An object, as this client asks for one: by a tool that the model has to call.
    place = [{"name": "place", "input_schema": schema}]
    forced = create(**asked, messages=question, tools=place, tool_choice={"type": "tool", "name": "place"})
    equal(next(block for block in forced.content if block.type == "tool_use").input, city)
    source = {"type": "base64", "media_type": "image/png", "data": picture}
    content = [{"type": "text", "text": "See"}, {"type": "image", "source": source}]
    equal(create(**asked, messages=[{"role": "user", "content": content}]).content[0].text, "Paris")


def errors():
    nobody = {"X-Service-Source": "nobody"}
    try:
        openai_client.responses.create(model="gpt", input="Hi", extra_headers=nobody)
        sys.exit("An unknown source was taken")
    except openai.BadRequestError as error:
        equal(error.param, "X-Service-Source")
    try:
        anthropic_client.messages.create(
            model="claude", max_tokens=9, messages=question, extra_headers=nobody
        )
        sys.exit("An unknown source was taken")
    except anthropic.BadRequestError as error:
        equal("nobody" in str(error), True)


def aborts():
    try:
        openai_client.responses.create(
            model="gpt", input="Hi", timeout=1, extra_headers={"X-Service-Source": "silent-gpts"}
        )
        sys.exit("Nobody answered, and the client did not end")
    except openai.APITimeoutError:
        pass
    try:
        anthropic_client.messages.create(
            model="claude",
            max_tokens=9,
            messages=question,
            timeout=1,
            extra_headers={"X-Service-Source": "silent-claudes"},
        )
        sys.exit("Nobody answered, and the client did not end")
    except anthropic.APITimeoutError:
        pass


chat()
responses()
messages()
if not model:
    errors()
    aborts()
