import { assert, describe, it } from "@effect/vitest"
import { sanitize } from "@limbeck/distill/run/Sanitizer"

/** Lines, each with the text that must not be stored. */
const leaks: ReadonlyArray<readonly [line: string, secret: string]> = [
  ["GET /v1/models Authorization: Bearer abcDEF123.~+/=-", "abcDEF123"],
  ["authorization: bearer 0123456789abcdef", "0123456789abcdef"],
  ["sent with bearer\tabcdefgh12345678 again", "abcdefgh12345678"],
  ["headers={'Authorization': 'Basic dXNlcjpwYXNz', 'Accept': '*/*'}", "dXNlcjpwYXNz"],
  ['{"authorization":"Token 9f8e7d6c"}', "9f8e7d6c"],
  ["Authorization: 5tgb6yhn", "5tgb6yhn"],
  ["key sk-abcdefghijklmnop refused", "sk-abcdefghijklmnop"],
  ["key sk-proj-A1b2C3d4_E5f6-G7h8 refused", "G7h8"],
  ["using sk-ant-api03-abc_DEF-123456", "api03"],
  ["secret whsec_4Qm0abcXYZ, rotated", "whsec_4Qm0abcXYZ"],
  [`token svc_live_${"aB3".repeat(16)}x`, "aB3aB3"],
  [`token svc_test_${"Zz9".repeat(16)}x`, "Zz9Zz9"],
  ["another brand: acme_live_0123456789abcdef", "0123456789abcdef"],
  ["HF_TOKEN=hf_AbCdEfGhIjKlMnOpQrStUvWx set", "AbCdEfGh"],
  ["pulling with hf_AbCdEfGhIjKlMnOpQrStUvWx", "AbCdEfGh"],
  ["push by ghp_0123456789abcdefghijABCDEFGHIJ012345", "0123456789abcdef"],
  ["push by github_pat_11ABCDEFG0123456789_abcdef", "11ABCDEFG"],
  ["posting as xoxb-123456789012-abcdefABCDEF", "123456789012"],
  ["AWS key AKIAIOSFODNN7EXAMPLE", "AKIAIOSFODNN7EXAMPLE"],
  ["AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "wJalrXUtn"],
  ["aws_session_token = FwoGZXIvYXdzEBYaDH", "FwoGZXIv"],
  ["Secret access key: wJalrXUtnFEMI", "wJalrXUtn"],
  ["https://b.example/o?X-Amz-Credential=ASIAX%2F2026&X-Amz-Signature=deadbeef01&x=1", "deadbeef01"],
  ["OPENAI_API_KEY=plain-words-1", "plain-words-1"],
  ['{"api_key": "a b c", "n": 1}', "a b c"],
  ["X-Api-Key: k3y", "k3y"],
  ["--password=hunter2 --epochs=3", "hunter2"],
  ["client_secret='s3 cr3t'", "s3 cr3t"],
  ["DB_PASSWORD=hunter2", "hunter2"],
  ["postgres://user:hunter2@db.internal:5432/app", "hunter2"],
  ["postgres://user:p@ss@db.internal/app", "p@ss"],
  ["redis://:hunter2@cache:6379", "hunter2"],
  ["cloning https://onlytoken@git.example/repo.git", "onlytoken"],
  ["jwt eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJl", "c2lnbmF0dXJl"],
  ["google AIzaSyA-1234567890abcdefghijklmnopqrstu", "SyA-1234567890"]
]

/** Lines that say nothing secret and are stored as they are. */
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

  it("several credentials in one line are all taken out", () => {
    const told = sanitize("sk-aaaaaaaaaaaa sk-bbbbbbbbbbbb AKIAIOSFODNN7EXAMPLE whsec_c https://x:y@z/")
    assert.strictEqual(told, "[redacted] [redacted] [redacted] [redacted] https://[redacted]@z/")
  })

  it("a very long line without a word break takes no long time", () => {
    for (const piece of ["a", "eyJ", "bearer ", "secret", "x:/", "_live_", "sk-", '"', "A_KEY"]) {
      assert.isAtLeast(sanitize(piece.repeat(100_000)).length, 1)
    }
  }, 2_000)
})
