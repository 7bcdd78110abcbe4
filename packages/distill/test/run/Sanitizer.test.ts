import { assert, describe, it } from "@effect/vitest"
import { lineSanitizer, sanitize, sanitizeJson } from "@limbeck/distill/run/Sanitizer"
import { leaks } from "@limbeck/testing/fixtures/Credentials"
import * as Effort from "@limbeck/testing/fixtures/Effort"

/** Lines without secrets, stored unchanged. */
const harmless = [
  "step 10 train_loss=0.3817 learning_rate=2e-4 tokens: 81920",
  "max_new_tokens=512, eos_token: </s>, pad_token='<pad>'",
  "Checked dataset version dsv_01hf0000000000000000000000: 90 train and 10 holdout rows",
  "loading https://huggingface.co/Qwen/Qwen3-0.6B/resolve/main/config.json?download=true",
  "see https://docs.example/guide?mail=a@b.example#c@d",
  "contact ops@example.com about the disk-usage-of-the-host",
  "using hf_transfer and pk_index_lookup, task-sk ended",
  "the bearer of this is nobody; authorization failed; a secret password is missing",
  "KeyError: 'label' in row 12 of s3://bucket/prefix/part-0001.jsonl",
  "a live_test_run of 12 rows",
  "http://metrics.example:9090/graph?mail=a@b.example",
  "token: 12, tokens=81920, max_tokens=512, --max-tokens 512",
  "bearer of news; keyed by row; monkey=1; --epochs 3 --key-frames 4",
  "🙂 résumé 漢字\n\tindented"
]

describe("Sanitizer", () => {
  for (const [line, secret] of leaks) {
    it(`a log never shows ${JSON.stringify(secret)} of ${JSON.stringify(line)}`, () => {
      const told = sanitize(line)
      assert.notInclude(told, secret)
      assert.include(told, "[redacted]")
      assert.strictEqual(sanitize(told), told, "what was sanitized stays as it is")
    })
  }

  it("what says nothing secret stays as it is", () => {
    for (const line of harmless) assert.strictEqual(sanitize(line), line)
  })

  it("the words around a credential stay", () => {
    assert.strictEqual(
      sanitize("before postgres://u:p@db:5432/app between api_key=abc, after"),
      "before postgres://[redacted]@db:5432/app between api_key=[redacted], after"
    )
  })

  it("several credentials in one line are all taken out (P35)", () => {
    const told = sanitize("sk-aaaaaaaaaaaa sk-bbbbbbbbbbbb AKIAIOSFODNN7EXAMPLE whsec_c https://x:y@z/")
    assert.strictEqual(told, "[redacted] [redacted] [redacted] [redacted] https://[redacted]@z/")
  })

  it("a very long line without a word break takes no long time", () => {
    const pieces = ["a", "eyJ", "bearer ", "secret", "x:/", "_live_", "sk-", '"', "A_KEY", "x://", "x://a:", "a:", "\\"]
    const more = ["cookie:", "--token ", "?key=", "-----BEGIN PRIVATE KEY-----", 'secret="', "secret ", " ", "key=\\'"]
    const millis = Effort.cpuMillis(() => {
      for (const piece of [...pieces, ...more]) {
        assert.isAtLeast(sanitize(piece.repeat(100_000)).length, 1)
      }
    })
    assert.isBelow(millis, 2_000)
  })

  it("JSON is sanitized in every string and every name, and where a name says that its value is secret", () => {
    assert.deepStrictEqual(
      sanitizeJson({
        password: "x",
        api_key: ["a", 1],
        access_token: null,
        nested: [{ note: "using sk-abcdefghijklmnop", n: 1 }],
        whsec_abc: true
      }),
      {
        password: "[redacted]",
        api_key: "[redacted]",
        access_token: null,
        nested: [{ note: "using [redacted]", n: 1 }],
        "[redacted]": "[redacted]"
      }
    )
    assert.strictEqual(sanitizeJson("a\u0000b\ud800"), "a\ufffdb\ufffd")
  })

  /** Credentials over several lines, each with the text that must not be stored. */
  const wrapped: ReadonlyArray<readonly [text: string, secret: string]> = [
    ["Authorization: Bearer\n  abcdef0123456789 and more", "abcdef0123456789"],
    ["sent with bearer\nabc", "abc"],
    ['{"api_key":\n  "hunter2"}', "hunter2"],
    ["password = \nhunter2", "hunter2"],
    ["HF_TOKEN=\nhunter2", "hunter2"],
    ["-----BEGIN PRIVATE KEY-----\nMIIEpAIBAAKC\nAQEA1234\n-----END PRIVATE KEY-----\nnext", "AQEA1234"]
  ]
  for (const [text, secret] of wrapped) {
    it(`a credential over several lines is taken out too: ${JSON.stringify(text)}`, () => {
      const clean = lineSanitizer()
      // An already sanitized line still announces the next line's secret.
      const told = text.split("\n").map((line) => clean(sanitize(line)))
      assert.notInclude(told.join("\n"), secret)
      assert.strictEqual(clean("the line after it"), "the line after it")
    })
  }
})
