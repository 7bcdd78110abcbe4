/** `limbeck doctor` names planted faults, each with its remedy. */

import { once } from "node:events"
import * as fs from "node:fs/promises"
import type { AddressInfo } from "node:net"
import { createServer } from "node:net"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { makeClient } from "@limbeck/client"
import type { AtEnd } from "@limbeck/testing/AtEnd"
import { execute, freshDatabase } from "@limbeck/testing/database/Database"
import { temporaryFolder } from "@limbeck/testing/Folders"
import * as Doctor from "../src/doctor/Doctor.ts"
import type { Finding } from "../src/doctor/Finding.ts"
import { type Environment, quiet, runToEnd, Server, testToken } from "./Server.ts"

const [one = "", two = ""] = [1, 2].map((byte) => Buffer.alloc(32, byte).toString("base64"))

/** The findings of this kind, and the exit code. */
const examine = async (environment: Environment) => {
  const findings: Array<Finding> = []
  const result = (value: unknown) => void findings.push(value as Finding) // What the doctor tells.
  const code = await Doctor.run({ PORT: "0", ...environment }, { isJson: true, result, note: () => {} })
  const faults = findings.filter(({ state }) => state === "fault")
  return { code, findings, faults }
}

/** There is this fault, and no other. */
const assertFault = async (environment: Environment, check: string, message: RegExp) => {
  const { code, faults } = await examine(environment)
  assert.deepStrictEqual([code, faults.map((fault) => fault.check)], [1, [check]], JSON.stringify(faults))
  assert.match(faults[0]?.message ?? "", message)
}

const healthy = async (atEnd: AtEnd) => {
  const [DATA_DIR, DATABASE_URL] = [await temporaryFolder(atEnd), await freshDatabase(atEnd)]
  return { DATA_DIR, DATABASE_URL, ENCRYPTION_KEY: one }
}

const memory = new Server(afterAll, { ...quiet, STORAGE: "memory" })
beforeAll(() => memory.start())

describe("limbeck doctor", () => {
  it("finds nothing wrong where nothing is, and changes nothing (P264)", async ({ onTestFinished }) => {
    const environment = await healthy(onTestFinished)
    const remote = { LIMBECK_URL: memory.origin, LIMBECK_TOKEN: testToken, PORT: new URL(memory.origin).port }
    const { code, findings } = await examine({ ...environment, ...remote })
    assert.strictEqual(code, 0, JSON.stringify(findings))
    const good = findings.filter(({ state }) => state === "good").map(({ check }) => check)
    assert.includeMembers(good, ["settings", "folders", "database", "rights", "clock", "server", "token", "port"])
    // The database is still empty, and so is the folder.
    assert.isEmpty(await fs.readdir(environment.DATA_DIR))
    await execute("CREATE SCHEMA limbeck", environment.DATABASE_URL)
  })

  it("finds a setting that is misspelt, and one that cannot be (P264)", async () => {
    await assertFault({ RATE_LIMITS: "off" }, "settings", /did you mean RATE_LIMIT\?/)
    await assertFault({ PORT: "eighty" }, "settings", /^PORT: /)
  })

  it("finds a database that cannot be reached (P264)", async ({ onTestFinished }) => {
    const environment = { ...(await healthy(onTestFinished)), DATABASE_URL: "postgres://nobody@127.0.0.1:1/nothing" }
    await assertFault(environment, "database", /^DATABASE_URL: .*ECONNREFUSED/)
  })

  it("finds a database that takes no writes, and a role that may make nothing there (P264)", async ({
    onTestFinished
  }) => {
    const environment = await healthy(onTestFinished)
    const name = new URL(environment.DATABASE_URL).pathname.slice(1)
    await execute(`ALTER DATABASE ${name} SET default_transaction_read_only = on`)
    await assertFault(environment, "rights", /takes no writes/)
    await execute(`ALTER DATABASE ${name} RESET default_transaction_read_only`)
    const role = `weak_${name}`.slice(0, 60)
    await execute(`CREATE ROLE ${role} LOGIN PASSWORD 'weak'`)
    onTestFinished(() => execute(`DROP ROLE ${role}`))
    const url = new URL(environment.DATABASE_URL)
    if (url.host === "") url.searchParams.set("user", role)
    else [url.username, url.password] = [role, "weak"]
    await assertFault({ ...environment, DATABASE_URL: url.href }, "rights", /may not make a schema/)
  })

  it("finds a key that opens nothing that is stored, and one that is missing (P264)", async ({ onTestFinished }) => {
    const environment = await healthy(onTestFinished)
    await (await new Server(onTestFinished, { ...quiet, ...environment }).start()).stop()
    assert.strictEqual((await examine(environment)).code, 0)
    await assertFault({ ...environment, ENCRYPTION_KEY: two }, "key", /opens nothing that is stored/)
    const { ENCRYPTION_KEY: _, ...without } = environment
    await assertFault(without, "key", /^ENCRYPTION_KEY: is not set/)
  })

  it("finds a data folder that is none, and a key that others may read (P264)", async ({ onTestFinished }) => {
    const folder = await temporaryFolder(onTestFinished)
    const file = path.join(folder, "encryption-key")
    await fs.writeFile(file, one, { mode: 0o644 })
    await assertFault({ DATA_DIR: folder, JOURNAL_DIR: "off" }, "secrets", /run: chmod 600 /)
    const inside = { DATA_DIR: file, BLOBS_DIR: folder, JOURNAL_DIR: folder }
    await assertFault(inside, "folders", /^DATA_DIR: .* is no folder$/)
  })

  it("finds a port that another program has, a catalog that is none, and a trainer that is not there (P264)", async ({
    onTestFinished
  }) => {
    const other = createServer((socket) => socket.end()).listen(0, "127.0.0.1")
    onTestFinished(() => void other.close())
    await once(other, "listening")
    const { port } = other.address() as AddressInfo // It listens on a port.
    await assertFault({ STORAGE: "memory", PORT: String(port) }, "port", /another program listens/)
    await assertFault(
      { STORAGE: "memory", CATALOG_FILE: "/nowhere.json" },
      "catalog",
      /^CATALOG_FILE: .*cannot be read/
    )
    await assertFault({ STORAGE: "memory", TRAINER_COMMAND: "train-nothing --gpu 0" }, "trainer", /train-nothing/)
    const ray = { STORAGE: "memory", EXECUTOR: "ray", TRAINER_COMMAND: "train" }
    await assertFault({ ...ray, RAY_ADDRESS: "http://127.0.0.1:1" }, "ray", /^RAY_ADDRESS: .*ECONNREFUSED/)
  })

  it("finds a token that is not known, and a source that the egress guard blocks (P264)", async () => {
    const remote = { STORAGE: "memory", LIMBECK_URL: memory.origin, LIMBECK_TOKEN: testToken }
    await assertFault({ ...remote, LIMBECK_TOKEN: `${testToken}0` }, "token", /^LIMBECK_TOKEN: /)
    const client = makeClient({ baseUrl: memory.origin, token: testToken })
    const source = { name: "inside", kind: "byok", base_url: "https://10.1.2.3/v1", api_key: "sk" } as const
    const { id } = await client.sources.create(source)
    await assertFault(remote, "egress", /EGRESS_ALLOW$/)
    await client.sources.delete(id)
  })

  it("finds a clock that is off the database's (P264)", async ({ onTestFinished }) => {
    const environment = await healthy(onTestFinished)
    const clock = path.join(environment.DATA_DIR, "clock")
    await fs.writeFile(clock, "3600000")
    const shifted = fileURLToPath(new URL("./ShiftedClock.ts", import.meta.url))
    const shift = { NODE_OPTIONS: `--import=${shifted}`, SHIFTED_CLOCK: clock }
    const { code, stdout } = await runToEnd({ ...environment, ...shift }, ["doctor"])
    assert.strictEqual(code, 1)
    const faults = stdout.filter((line) => line.startsWith("!!"))
    assert.lengthOf(faults, 1)
    assert.match(faults.join(), /^!! clock: this machine's clock is 3\d{3}\.\d s off/)
  })
})
