/** Encryption keys of a host: given as text, read from the environment, or refused. */
import { execSync } from "node:child_process"
import { assert, beforeEach, describe, it, vi } from "@effect/vitest"
import { Limbeck, memory, Webhooks } from "limbeck"

const keyOf = (byte: number) => Buffer.alloc(32, byte).toString("base64")
const rejection = (options: { readonly encryptionKeys?: ReadonlyArray<string> }) =>
  Webhooks.make({ storage: memory, ...options }).then(
    () => assert.fail("it started"),
    (error: { readonly _tag: string; readonly setting: string; readonly message: string }) => error
  )

describe("the encryption keys of a host", () => {
  beforeEach(({ onTestFinished }) => {
    vi.stubEnv("ENCRYPTION_KEY", undefined)
    onTestFinished(() => void vi.unstubAllEnvs())
  })

  it("are read from ENCRYPTION_KEY unless given (P1022)", async () => {
    for (const text of [keyOf(7), `${keyOf(8)},${keyOf(7)}`]) {
      vi.stubEnv("ENCRYPTION_KEY", text)
      for (const { make } of [Limbeck, Webhooks]) await (await make({ storage: memory })).close()
    }
  })

  it("may be given as text (P1022)", async () => {
    await (await Limbeck.make({ storage: memory, encryptionKeys: [keyOf(1), keyOf(2)] })).close()
  })

  it("are asked for by an error whose command makes one, when there is none (P1022)", async () => {
    for (const text of [undefined, "", " "]) {
      vi.stubEnv("ENCRYPTION_KEY", text)
      const error = await rejection({})
      assert.include(error, { _tag: "InvalidSetting", setting: "encryptionKeys" })
      const [, command = ""] = /ENCRYPTION_KEY must be set\. To make a key, run: (.+)$/.exec(error.message) ?? []
      assert.notStrictEqual(command, "")
      const made = execSync(command, { encoding: "utf8" }).trim()
      await (await Webhooks.make({ storage: memory, encryptionKeys: [made] })).close()
    }
  })

  it("are refused when one is not 32 bytes in base64, by the name of where it stands (P1022)", async () => {
    for (const text of ["a key", keyOf(1).slice(4), `${keyOf(1)},`, `${keyOf(1)},${keyOf(2).slice(4)}`]) {
      vi.stubEnv("ENCRYPTION_KEY", text)
      const { message, setting } = await rejection({})
      assert.strictEqual(setting, "encryptionKeys")
      assert.match(message, /^encryptionKeys cannot be read from ENCRYPTION_KEY: it must be 32 bytes in base64/)
    }
    for (const encryptionKeys of [[], ["a key"], [keyOf(1), ""]]) {
      const { message } = await rejection({ encryptionKeys })
      assert.match(message, /^encryptionKeys must be one key or more, each 32 bytes in base64/)
    }
  })
})
