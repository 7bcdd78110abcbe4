/** The samples of docs/receiving.md for other languages, against signatures made here. */
import { spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import * as Tools from "@limbeck/testing/Tools"
import { assert, describe, it } from "vitest"
import { verify } from "../../src/webhooks/verify.ts"
import { body, header, hmac, seconds, secret } from "../support/Signed.ts"

const page = readFileSync(fileURLToPath(new URL("../../../../docs/receiving.md", import.meta.url)), "utf8")
const block = (language: string) => new RegExp(`\`\`\`${language}\\n(.*?)\`\`\``, "s").exec(page)?.[1] ?? ""

const python = "python3"
const hasPython = Tools.has(python, "the receiver in Python", spawnSync(python, ["--version"]).status === 0)

/** Reads cases, and prints whether each is authentic; the clock stands still. */
const judge = `
import json, sys
time.time = lambda: ${seconds}
print(json.dumps([is_authentic(secret, header, body.encode()) for secret, header, body in json.load(sys.stdin)]))
`

const cases: ReadonlyArray<readonly [secret: string, header: string, body: string, authentic: boolean]> = [
  [secret, header(), body, true],
  [secret, header(body, ["whsec_next", secret]), body, true],
  [secret, header().replace(",", ", "), body, true],
  ["whsec_other", header(), body, false],
  [secret, header(), `${body} `, false],
  [secret, header().replace("v1=", "v1=é"), body, false],
  [secret, `${header()},t=${seconds}`, body, false],
  [secret, `t=${seconds - 300},v1=${hmac(body, secret, seconds - 300)}`, body, true],
  [secret, `t=${seconds - 301},v1=${hmac(body, secret, seconds - 301)}`, body, false],
  [secret, `t=${seconds + 301},v1=${hmac(body, secret, seconds + 301)}`, body, false],
  [secret, `t=now,v1=${hmac(body, secret, "now")}`, body, false],
  [secret, `t=${"9".repeat(5_000)},v1=00`, body, false],
  [secret, `v1=${hmac()}`, body, false],
  [secret, "", body, false]
]

describe("docs/receiving.md", () => {
  it.skipIf(!hasPython)("verifies in Python what was signed, and nothing else (P110)", () => {
    const input = JSON.stringify(cases.map(([secret, header, body]) => [secret, header, body]))
    const { status, stderr, stdout } = spawnSync(python, ["-c", block("python") + judge], { input, encoding: "utf8" })
    assert.strictEqual(status, 0, stderr)
    assert.deepStrictEqual(
      JSON.parse(stdout),
      cases.map(([, , , authentic]) => authentic)
    )
  })

  it("shows a signature to try one's own on (P110)", async () => {
    const shown = Object.fromEntries(
      [...block("text").matchAll(/^(\S+) +(.+)$/gm)].map(([, name, value]) => [name, value])
    )
    const now = () => Number(/t=(\d+)/.exec(shown["Service-Signature"] ?? "")?.[1]) * 1_000
    const result = await verify(shown["body"] ?? "", shown["Service-Signature"], shown["secret"] ?? "", { now })
    assert.isTrue(result.valid, JSON.stringify(result))
  })
})
