import { Session } from "node:inspector/promises"
import * as fs from "node:fs"
import { createServer } from "node:http"
import * as StorageMemory from "@limbeck/storage-memory/StorageMemory"
import * as StoragePostgres from "@limbeck/storage-postgres/StoragePostgres"
import * as Redacted from "effect/Redacted"
import * as Limbeck from "../src/Limbeck.ts"
import { report } from "./Child.ts"
import { token } from "./Token.ts"
const [db = "", dir = "", mode = ""] = process.argv.slice(2)
const l = await Limbeck.make({ storage: db === "" ? StorageMemory.layer : StoragePostgres.layer({ url: db }), encryptionKeys: [Redacted.make(new Uint8Array(32))], bootstrap: { liveToken: token, testToken: null }, egressAllow: ["127.0.0.0/8"], settings: { rateLimit: null }, ...(dir ? { journal: { directory: dir } } : {}) })
const s = createServer(l.node)
const session = new Session(); session.connect()
s.listen(0, "127.0.0.1", () => report(`http://127.0.0.1:${(s.address() as any).port}`, async (c: any) => {
  if (c.kind === "start") { await session.post("Profiler.enable"); await session.post("Profiler.setSamplingInterval", {interval: 200}); await session.post("Profiler.start") }
  if (c.kind === "stop") { const { profile } = await session.post("Profiler.stop"); fs.writeFileSync("/tmp/prof.json", JSON.stringify(profile)) }
  return null
}))
