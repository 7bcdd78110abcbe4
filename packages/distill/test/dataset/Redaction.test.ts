import { assert, describe, it } from "@effect/vitest"
import * as Turns from "@limbeck/core/turns/Turns"
import { type RedactionKind, redactingRow } from "@limbeck/distill/dataset/redaction/Redaction"
import * as Effort from "@limbeck/testing/fixtures/Effort"
import * as Schema from "effect/Schema"
import { apiKeys, creditCards, emails, type Finder, phones } from "../../src/dataset/redaction/internal/Finders.ts"

const redactText = (text: string, kinds: ReadonlyArray<RedactionKind>) => {
  const { count, value } = Turns.atOnce(redactingRow({ completion: text }, kinds))
  return { value: String(value["completion"]), count }
}

const all: ReadonlyArray<RedactionKind> = ["email", "phone", "credit_card", "api_key"]
const finders: Readonly<Record<RedactionKind, Finder>> = {
  email: emails,
  phone: phones,
  credit_card: creditCards,
  api_key: apiKeys
}

const jwt = `eyJ${"a1".repeat(10)}.eyJ${"b2".repeat(10)}.${"c3".repeat(12)}`

const secrets: Readonly<Record<RedactionKind, ReadonlyArray<string>>> = {
  email: [
    "ann@example.com",
    "a.b+c_d%e@mail.example.co.uk",
    "jürgen@münchen.de",
    "анна@пример.рф",
    "x@a-b.io",
    "O'Neil@EXAMPLE.ORG"
  ],
  phone: [
    "+1 415 555 0100",
    "+14155550100",
    "+49 (0)30 1234567",
    "+44 20 7946 0958",
    "(415) 555-0100",
    "415-555-0100",
    "415.555.0100",
    "1-415-555-0100",
    "030 1234567",
    "0171-1234567",
    "020 7946 0958"
  ],
  credit_card: [
    "4242424242424242",
    "4242 4242 4242 4242",
    "5555-5555-5555-4444",
    "3782 822463 10005",
    "6011111111111117",
    "30569309025904"
  ],
  api_key: [
    `sk-${"a1".repeat(12)}`,
    `sk-proj-${"Zx9_".repeat(10)}`,
    `sk_live_${"a1".repeat(12)}`,
    `svc_test_${"b2".repeat(16)}`,
    `ghp_${"a".repeat(36)}`,
    `xoxb-${"1234567890-".repeat(2)}ab`,
    `AKIA${"A1".repeat(8)}`,
    `AIza${"x".repeat(35)}`,
    `hf_${"q".repeat(34)}`,
    jwt
  ]
}

const harmless = [
  "",
  "at 10:30 on 2024-01-02, see 01.02.2024",
  "order 12345678901234567890, invoice 4155550100, 4242424242424241",
  "version 1.2.3.4, 192.168.0.1, 3.141592653589793, 0.4242424242424242",
  "a @ b, @handle, user@localhost, 5 @ 3.50",
  "sk-learn is a library; the skeleton-key-of-everything-there-is; xox",
  "550e8400-e29b-41d4-a716-446655440000",
  "2 + 2 = 4, +1, -5, 1 000 000, 100-200-300"
]

describe("Redaction", () => {
  for (const kind of all) {
    it(`finds what is a ${kind}, alone and in a sentence, and leaves the rest of the text`, () => {
      const token = `[${kind.toUpperCase()}]`
      for (const secret of secrets[kind]) {
        assert.deepStrictEqual(redactText(secret, [kind]), { value: token, count: 1 }, secret)
        for (const [before, after] of [
          ["Write to ", ", or not."],
          ["“", "”."],
          ["é: ", "\nthen"],
          ["卡号", "，"],
          ["<", ">"]
        ]) {
          const expected = { value: `${before}${token}${after}`, count: 1 }
          assert.deepStrictEqual(redactText(`${before}${secret}${after}`, [kind]), expected, secret)
        }
        assert.deepStrictEqual(redactText(`${secret} ${secret}`, all).count, 2, secret)
        assert.deepStrictEqual(redactText(secret, []), { value: secret, count: 0 })
      }
    })
  }

  it("a key without a shape of its own is found by what announces it", () => {
    for (const text of ["api_key=", "API-Key: ", '"x-api-key": "', "Authorization: Bearer ", "client_secret = '"]) {
      assert.deepStrictEqual(redactText(`${text}0123456789abcdef`, ["api_key"]), {
        value: `${text}[API_KEY]`,
        count: 1
      })
    }
    assert.strictEqual(redactText("monkey=0123456789abcdef", ["api_key"]).count, 0)
  })

  it("leaves what only looks like it", () => {
    for (const text of harmless) assert.deepStrictEqual(redactText(text, all), { value: text, count: 0 }, text)
  })

  const piece = Schema.Union([
    Schema.Literals([...Object.values(secrets).flat()]),
    Schema.Literals([
      " ",
      "-",
      ".",
      "@",
      "+",
      "0",
      "12",
      "a",
      "_",
      "(",
      ")",
      "/",
      "[",
      "]",
      "é",
      "\n",
      "sk-",
      "=",
      "555"
    ]),
    Schema.String
  ])
  const pieces = Schema.Array(piece).check(Schema.isMaxLength(12))
  const kinds = Schema.Array(Schema.Literals(["email", "phone", "credit_card", "api_key"]))

  it.prop(
    "what was found is gone, and a second time there is nothing to find (P25)",
    { pieces, kinds },
    ({ kinds, pieces }) => {
      const once = redactText(pieces.join(""), kinds)
      for (const kind of kinds)
        assert.deepStrictEqual(
          [...finders[kind](once.value)].filter((one) => typeof one !== "number"),
          [],
          `${kind} in ${once.value}`
        )
      assert.deepStrictEqual(redactText(once.value, kinds), { value: once.value, count: 0 })
    },
    { arbitrary: { runs: 2_000 } }
  )

  it.prop(
    "only what was found changes: between the tokens stands what stood there",
    { pieces, kinds },
    ({ kinds, pieces }) => {
      const text = pieces.join("").replaceAll("[", "(")
      const { count, value } = redactText(text, kinds)
      const left = value.split(/\[(?:EMAIL|PHONE|CREDIT_CARD|API_KEY)\]/)
      assert.strictEqual(left.length - 1, count)
      let from = 0
      for (const part of left) {
        const at = text.indexOf(part, from)
        assert.isAtLeast(at, from, `${part} in ${text}`)
        from = at + part.length
      }
    },
    { arbitrary: { runs: 1_000 } }
  )

  it("takes time in proportion to the text, whatever it is made of", () => {
    const units = [
      "a",
      "@",
      "a@",
      "a.",
      "1",
      "1 ",
      "0-",
      "+1",
      "4242 ",
      "sk-",
      "a-",
      "eyJ",
      ".",
      "(",
      "é",
      "A1",
      "bearer ",
      "api_key="
    ]
    for (const unit of units) {
      const text = unit.repeat(Math.ceil(400_000 / unit.length))
      const millis = Effort.cpuMillis(() => redactText(text, all))
      // A quadratic one takes minutes.
      assert.isBelow(millis, 5_000, unit)
    }
  })

  it("looks into every string of messages and completion, and into nothing else", () => {
    const mail = "ann@example.com"
    const image = { type: "image_url", image_url: { url: `data:${mail}` } }
    const row = {
      external_id: mail,
      metadata: { mail },
      tags: [mail],
      messages: [
        {
          role: "user",
          name: mail,
          content: [{ type: "text", text: mail }, image]
        },
        {
          role: "assistant",
          tool_calls: [{ id: mail, type: "function", function: { name: "f", arguments: `{"to":"${mail}"}` } }]
        },
        { role: "tool", tool_call_id: mail, content: 12 }
      ],
      completion: mail
    }
    const token = "[EMAIL]"
    assert.deepStrictEqual(Turns.atOnce(redactingRow(row, all)), {
      count: 4,
      value: {
        ...row,
        messages: [
          { role: "user", name: token, content: [{ type: "text", text: token }, image] },
          {
            role: "assistant",
            tool_calls: [{ id: mail, type: "function", function: { name: "f", arguments: `{"to":"${token}"}` } }]
          },
          { role: "tool", tool_call_id: mail, content: 12 }
        ],
        completion: token
      }
    } as never)
    assert.strictEqual(Turns.atOnce(redactingRow(row, ["phone"])).value, row)
  })

  it("members with odd names stay members", () => {
    const row = JSON.parse(
      '{"messages":[{"role":"user","content":"a@b.co","__proto__":{"x":"a@b.co"}}],"__proto__":{"y":1}}'
    )
    assert.strictEqual(
      JSON.stringify(Turns.atOnce(redactingRow(row, all)).value),
      '{"messages":[{"role":"user","content":"[EMAIL]","__proto__":{"x":"[EMAIL]"}}],"__proto__":{"y":1}}'
    )
  })
})
