/** A server dies while calls wait in its journal, and a byte in the middle of a journal file is flipped. */
import * as fs from "node:fs/promises"
import * as path from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import type { Fault } from "../Fault.ts"
import { dataDirOf } from "../World.ts"

/** Less is no file of calls. */
const bytesMin = 4_096

/** Turns every bit of the byte in the middle of the largest file of the journal. */
const damage = async (journal: string): Promise<void> => {
  const entries = await fs.readdir(journal, { recursive: true, withFileTypes: true })
  const files = await Promise.all(
    entries
      .filter((entry) => entry.isFile())
      .map(async ({ name, parentPath }) => {
        const file = path.join(parentPath, name)
        return { file, bytes: await fs.readFile(file) }
      })
  )
  const largest = files.toSorted((one, other) => other.bytes.length - one.bytes.length)[0]
  if (largest === undefined || largest.bytes.length < bytesMin) throw new Error(`nothing waits in ${journal}`)
  const { bytes, file } = largest
  const middle = Math.floor(bytes.length / 2)
  bytes.writeUInt8(bytes.readUInt8(middle) ^ 0xff, middle)
  await fs.writeFile(file, bytes)
}

export const journal: Fault = {
  title: "`kill -9` while storage is locked, and a byte of the journal flipped",
  destroys: 1,
  run: async ({ folder, postgres, servers: [server] }) => {
    const session = await postgres.session()
    await session.query("BEGIN")
    await session.query("LOCK TABLE limbeck.calls IN ACCESS EXCLUSIVE MODE")
    await sleep(4_000)
    await server.kill()
    await damage(path.join(dataDirOf(folder, 0), "journal"))
    await session.query("ROLLBACK")
    await session.end()
    await server.start()
  }
}
