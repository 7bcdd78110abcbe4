/** A hundred lines from people or attackers, each with its verdict: a row, or the reason why not. */

export interface NastyLine {
  readonly name: string
  readonly line: string
  /** Null: a row, returned unchanged. */
  readonly error: string | null
}

const user = '{"role":"user","content":"q"}'

/** A row with this JSON as its prompt. */
const asking = (content: string): string => `{"messages":[{"role":"user","content":${content}}],"completion":"c"}`
/** A row that has these members too. */
const having = (members: string): string => `{"messages":[${user}],"completion":"c",${members}}`
const answering = (completion: string): string => `{"messages":[${user}],"completion":${completion}}`

const nested = (depth: number): string => "[".repeat(depth) + "]".repeat(depth)
const manyTags = `"tags":[${Array.from({ length: 10_000 }, (_, index) => `"t${index}"`).join(",")}]`
const deepObject = (depth: number): string => `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`

const texts: Readonly<Record<string, string>> = {
  "an empty string": '""',
  "white space": '" \\t\\n "',
  "an escaped NUL": '"a\\u0000b"',
  "every control character": JSON.stringify(String.fromCharCode(...Array.from({ length: 32 }, (_, code) => code))),
  "a high surrogate alone": '"\\ud83d"',
  "a low surrogate alone": '"\\ude42 x"',
  "surrogates in the wrong order": '"\\ude42\\ud83d"',
  "an escaped pair of surrogates": '"\\ud83d\\ude42"',
  "an emoji of many parts": '"👩‍👩‍👧‍👦🏳️‍🌈"',
  "a byte order mark inside": '"a\ufeffb"',
  "line separators of JavaScript": '"a\u2028b\u2029c"',
  "text from right to left": '"\u202eשלום\u202c مرحبا"',
  "combining marks": `"${"z\u0301\u0302\u0303".repeat(50)}"`,
  "two spellings of one letter": '"é e\u0301"',
  "no-width characters": '"a\u200bb\u200dc\u00ad"',
  noncharacters: '"\ufffe\uffff\ufdd0"',
  "private use": '"\ue000\udbff\udfff"',
  "an astral script": '"𝒳𝔘𝕏"',
  "escaped slashes": '"\\/\\/ \\\\ \\" "',
  "JSON in a string": '"{\\"messages\\":[]}"',
  "JSON Lines in a string": '"{}\\n{}\\n"',
  "a script": '"</script><script>alert(1)</script>"',
  SQL: `"'; DROP TABLE rows; --"`,
  "a format string": '"%s %d $(env) {{x}} \\\\x00"',
  "the name of a prototype": '"__proto__"',
  "nearly a million letters": `"${"x".repeat(999_000)}"`,
  "a megabyte of escapes": `"${"\\u00e9".repeat(180_000)}"`,
  "a long word of one letter": `"${"a".repeat(100_000)}"`,
  "many at signs": `"${"@".repeat(50_000)}"`,
  "nothing, as null": "null",
  "parts of text": '[{"type":"text","text":"a"},{"type":"text","text":"b"}]',
  "no parts": "[]",
  "an image by its address": '[{"type":"image_url","image_url":{"url":"https://example.com/a.png","detail":"low"}}]',
  "an image in place": `[{"type":"image_url","image_url":{"url":"data:image/png;base64,${"iVBOR/+8".repeat(5_000)}"}}]`,
  "a sound": '[{"type":"input_audio","input_audio":{"data":"UklGRg==","format":"wav"}}]',
  "a part of an unknown type": '[{"type":"hologram","text":7}]',
  "parts that are no objects": '[null,1,"a",[true]]',
  "an object": '{"text":"a"}',
  "a number": "7"
}

const members: Readonly<Record<string, string>> = {
  "an unknown member": '"unheard":{"of":[1]}',
  "a member named __proto__": '"__proto__":{"polluted":true}',
  "a member named constructor": '"constructor":{"prototype":{"polluted":true}}',
  "a member without a name": '"":1',
  "a member named split": '"splits":"train"',
  "a member with NUL in its name": '"a\\u0000b":1',
  "a member with half a surrogate in its name": '"\\udc00":1',
  "a member of a thousand letters": `"${"k".repeat(1_000)}":1`,
  "a thousand members": Array.from({ length: 1_000 }, (_, index) => `"k${index}":${index}`).join(","),
  "no tags": '"tags":[]',
  "the same tag twice": '"tags":["a","a"]',
  "a tag with NUL": '"tags":["a\\u0000"]',
  "nine thousand tags": `"tags":[${Array.from({ length: 9_000 }, (_, index) => `"t${index}"`).join(",")}]`,
  "an empty external id": '"external_id":""',
  "an external id with quotes": '"external_id":"\'\\"`;--"',
  "empty metadata": '"metadata":{}',
  "metadata named __proto__": '"metadata":{"__proto__":{"x":1},"toString":2,"hasOwnProperty":3}',
  "numbers beyond 53 bits": '"metadata":{"id":12345678901234567890,"pi":3.14159265358979323846}',
  "small and signed numbers": '"metadata":{"a":-0,"b":1e-400,"c":-1.5E+3,"d":0.1}',
  "metadata as deep as it may be": `"metadata":{"a":${nested(126)}}`,
  "objects as deep as they may be": `"metadata":${deepObject(127)}`,
  "all kinds of values": '"metadata":{"a":null,"b":true,"c":[[],{}],"d":{"e":""}}'
}

const good: Readonly<Record<string, string>> = {
  "a system message alone": '{"messages":[{"role":"system","content":"s"}],"completion":"c"}',
  "no content at all": '{"messages":[{"role":"user"}],"completion":"c"}',
  "a role nobody knows": '{"messages":[{"role":"wizard","content":"x"}],"completion":"c"}',
  "an empty completion": answering('""'),
  "a completion of the assistant": answering('{"role":"assistant","content":null,"refusal":"no"}'),
  "a tool call": answering(
    '{"role":"assistant","content":null,"tool_calls":[{"id":"call_1","type":"function","function":{"name":"f","arguments":"{\\"a\\":[{\\"b\\":\\"\\\\u0000\\"}]}"}}]}'
  ),
  "a tool call whose arguments are no JSON": answering(
    '{"role":"assistant","tool_calls":[{"id":"1","type":"function","function":{"name":"f","arguments":"{oops"}}]}'
  ),
  "tools and their answers, nested": `{"messages":[${user},{"role":"assistant","tool_calls":[{"id":"1","type":"function","function":{"name":"f","arguments":"{}"}}]},{"role":"tool","tool_call_id":"1","content":[{"type":"text","text":"{\\"deep\\":{}}"}]}],"completion":"done","tools":[{"type":"function","function":{"parameters":{"$defs":{"a":{"properties":{"__proto__":{"type":"string"}}}}}}}]}`,
  "a function call of old": answering('{"role":"assistant","function_call":{"name":"f","arguments":""}}'),
  "the completion as the last message": `{"messages":[${user},{"role":"assistant","content":"c"}]}`,
  "only an answer": '{"messages":[{"role":"assistant","content":"c"}]}',
  "a thousand messages": `{"messages":[${Array.from({ length: 1_000 }, () => user).join(",")}],"completion":"c"}`,
  "the same member twice":
    '{"messages":[],"completion":"x","messages":[{"role":"user","content":"twice"}],"completion":"c"}',
  "white space between": ` { "messages" :\t[ { "role" : "user" , "content" : "spaced" } ] , "completion" : "c" } \t`,
  "members in another order": '{"completion":"c","messages":[{"content":"ordered","role":"user"}]}',
  "names in escapes": '{"\\u006dessages":[{"r\\u006fle":"user","content":"escaped"}],"completion":"c"}',
  "a carriage return at the end": `${asking('"crlf"')}\r`
}

const wrong: ReadonlyArray<readonly [name: string, line: string, error: string]> = [
  ["half an object", '{"messages":[', "Not JSON"],
  ["a NUL byte", asking('"a\u0000b"'), "Not JSON"],
  ["a raw tab in a string", asking('"a\tb"'), "Not JSON"],
  ["NaN", having('"metadata":{"a":NaN}'), "Not JSON"],
  ["Infinity", having('"metadata":{"a":-Infinity}'), "Not JSON"],
  ["undefined", having('"metadata":{"a":undefined}'), "Not JSON"],
  ["a hexadecimal number", having('"metadata":{"a":0x10}'), "Not JSON"],
  ["a number with a leading zero", having('"metadata":{"a":01}'), "Not JSON"],
  ["a comma too many", `{"messages":[${user},],"completion":"c"}`, "Not JSON"],
  ["single quotes", "{'messages':[]}", "Not JSON"],
  ["a comment", `${asking('"a"')} // why`, "Not JSON"],
  ["two rows on a line", asking('"a"') + asking('"b"'), "Not JSON"],
  ["a wrong escape", asking('"\\x41"'), "Not JSON"],
  ["a byte order mark in the middle of the file", `x\ufeff${asking('"a"')}`, "Not JSON"],
  ["CSV", "prompt,completion", "Not JSON"],
  ["a number that is too large", having('"metadata":{"a\\u0000b":1e999}'), ""],
  ["a string", '"messages"', "Expected object"],
  ["null", "null", "Expected object"],
  ["an array", "[]", "Expected object"],
  ["an empty object", "{}", "messages: This field is required"],
  [
    "messages by inheritance",
    `{"__proto__":{"messages":[${user}],"completion":"c"}}`,
    "messages: This field is required"
  ],
  [
    "a role by inheritance",
    '{"messages":[{"__proto__":{"role":"user"}}],"completion":"c"}',
    "messages[0].role: This field is required"
  ],
  ["no messages", '{"messages":[],"completion":"c"}', "messages[0]: This field is required"],
  [
    "messages that are an object",
    '{"messages":{"0":{"role":"user"},"length":1},"completion":"c"}',
    "messages: Expected array"
  ],
  ["a message that is null", '{"messages":[null],"completion":"c"}', "messages[0]: Expected object"],
  ["a role that is empty", '{"messages":[{"role":""}],"completion":"c"}', "messages[0].role: "],
  ["a role that is a number", '{"messages":[{"role":1}],"completion":"c"}', "messages[0].role: Expected string"],
  ["no completion", `{"messages":[${user}]}`, "No completion: "],
  ["a completion that is null", answering("null"), "completion: Expected a string or an assistant message"],
  ["a completion of the user", answering('{"role":"user"}'), "completion: Expected a string or an assistant message"],
  ["tags that are no list", having('"tags":"a"'), "tags: Expected array"],
  ["a tag that is a number", having('"tags":["a",1]'), "tags[1]: Expected string"],
  ["an external id that is a number", having('"external_id":1'), "external_id: Expected string"],
  ["metadata that is a list", having('"metadata":[1]'), "metadata: Expected object"],
  ["metadata that nests too deep", having(`"metadata":{"a":${nested(127)}}`), "Nests deeper than 128 levels"],
  ["ten thousand tags and more", having(manyTags), "More than 10000 members and items in all"],
  ["a hundred thousand brackets", nested(100_000), "Nests deeper than 128 levels"],
  ["a hundred thousand objects", deepObject(100_000), "Nests deeper than 128 levels"]
]

const lines = (table: Readonly<Record<string, string>>, make: (value: string) => string): ReadonlyArray<NastyLine> =>
  Object.entries(table).map(([name, value]) => ({ name, line: make(value), error: null }))

export const nastyRows: ReadonlyArray<NastyLine> = [
  ...lines(texts, asking),
  ...lines(members, having),
  ...lines(good, (line) => line)
]

export const nastyLines: ReadonlyArray<NastyLine> = wrong.map(([name, line, error]) => ({ name, line, error }))
