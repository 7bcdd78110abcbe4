/** Rotation of the encryption key under two servers of one database, as in docs/operate. */
import { assert, describe, it } from "@effect/vitest"
import { freshDatabase } from "@limbeck/testing/database/Database"
import { temporaryFolder } from "@limbeck/testing/Folders"
import { Api, type Endpoint, rows } from "./Api.ts"
import { Receiver } from "./Receiver.ts"
import { quiet, Server } from "./Server.ts"

const keyOf = (byte: number) => Buffer.alloc(32, byte).toString("base64")
const [before, after] = [keyOf(1), keyOf(2)]

/** The servers' keys, round by round: two servers never differ by more than one step. */
const rounds = [before, `${before},${after}`, `${after},${before}`, after]

const promptly = () => ({ status: 200, delayMillis: 0 })

describe("the encryption key", () => {
  it("is rotated one server at a time, and each signs meanwhile for endpoints that the other has made (P341)", async ({
    onTestFinished
  }) => {
    const shared = {
      ...quiet,
      DATABASE_URL: await freshDatabase(onTestFinished),
      DATA_DIR: await temporaryFolder(onTestFinished),
      JOURNAL_DIR: "off"
    }
    const start = (key: string | undefined) =>
      new Server(onTestFinished, { ...shared, ENCRYPTION_KEY: key ?? "" }).start()

    /** An endpoint of one server gets what happens at the other, signed with its secret. */
    const signs = async (made: Server, publishing: Server) => {
      const receiver = new Receiver(promptly)
      const endpoint = await receiver.subscribe(onTestFinished, new Api(made))
      const api = new Api(publishing)
      const upload = await api.upload(rows(1))
      await api.uploaded(upload)
      await receiver.changes.until("a delivery", () => receiver.arrivals.length > 0)
      receiver.assertGenuine()
      return { endpoint, receiver }
    }

    const signsBothWays = async (one: Server, other: Server) => {
      const both = await signs(one, other)
      await signs(other, one)
      return both
    }

    const [behind, ahead] = await Promise.all([start(rounds[0]), start(rounds[1])])
    const { endpoint, receiver } = await signsBothWays(behind, ahead)
    await behind.stop()
    const renewed = await start(rounds[2])
    await signsBothWays(ahead, renewed)
    // Encrypts the old key's secrets anew; then the old key is unused.
    const path = `/v1/webhook_endpoints/${endpoint.id}/rotate_secret`
    const { secret } = await new Api(renewed).create<Endpoint>(path, { expires_in_seconds: 0 })
    assert.notStrictEqual(secret, endpoint.secret)
    await ahead.stop()
    const last = await start(rounds[3])
    const told = receiver.arrivals.length
    await signsBothWays(renewed, last)
    await receiver.changes.until("a delivery to the first endpoint", () => receiver.arrivals.length > told)
    assert.strictEqual((await last.stop()).code, 0)
  })
})
