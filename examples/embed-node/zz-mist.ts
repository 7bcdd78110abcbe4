import { parseKey } from "@limbeck/core/secrets/Secrets"
import * as Limbeck from "@limbeck/limbeck/Limbeck"
import * as StorageMemory from "@limbeck/storage-memory/StorageMemory"
import * as StoragePostgres from "@limbeck/storage-postgres/StoragePostgres"
const key = parseKey("AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=")!
const base = { storage: StorageMemory.layer, encryptionKeys: [key] as const }
const tries: Record<string, any> = {
  egress: { ...base, egressAllow: ["10.0.0/8"] },
  history0: { ...base, settings: { webhookHistoryDays: 0 } },
  historyNaN: { ...base, settings: { webhookHistoryDays: Number.NaN } },
  disable: { ...base, settings: { webhookDisableAfterDays: -1 } },
  publicUrl: { ...base, settings: { publicUrl: "limbeck.example" } },
  body: { ...base, settings: { bodyBytesMax: -1 } },
  unknown: { ...base, settings: { ratelimit: 3 } },
  undef: { ...base, settings: { publicUrl: undefined } },
  pg: { ...base, storage: StoragePostgres.layer({ url: "postgres://nobody@127.0.0.1:1/x" }) },
  pgurl: { ...base, storage: StoragePostgres.layer({ url: "nonsense" }) },
  pgundef: { ...base, storage: StoragePostgres.layer({ url: undefined as any }) },
  schema: { ...base, storage: StoragePostgres.layer({ url: "postgres://x@127.0.0.1/x", schema: "a-b" }) },
  type: { ...base, eventTypes: [{ type: "Order", domain: "order", description: "x" }] },
  nokeys: { ...base, encryptionKeys: [] },
  keystring: { ...base, encryptionKeys: ["abc"] },
  boot: { ...base, bootstrap: { liveToken: "abc" } },
  cors: { ...base, settings: { corsOrigins: ["example.com"] } },
  catalog: { ...base, catalog: { students: [{ id: "x" }] } },
  journal: { ...base, journal: { directory: "/etc/hostname/x" } },
  blobs: { ...base, blobs: { directory: "/etc/hostname/x" } },
}
for (const [name, options] of Object.entries(tries)) {
  try { const l = await Limbeck.make(options); console.log(`${name}: STARTS`); await l.close() }
  catch (e: any) { console.log(`${name}: ${e?.name} | ${e?._tag} | ${String(e?.message).slice(0, 300)} | cause ${String(e?.cause?.message ?? e?.cause).slice(0,150)}`) }
}
const l = await Limbeck.make({ ...base, eventTypes: [{ type: "order.paid", domain: "order", description: "x" }] })
for (const e of [{ type: "order.payed", object: {} }, { type: "order.paid", object: "x" }, { type: "order.paid", object: {}, workspace: "ws_1" }] as any[]) {
  try { console.log(await l.events.publish(e)) } catch (e: any) { console.log(`publish: ${e?.name} | ${e?._tag} | ${String(e?.message).slice(0, 300)}`) }
}
await l.close()
try { console.log(await l.events.publish({ type: "order.paid", object: {id: "x"} })) } catch (e: any) { console.log(`closed: ${e?.name} | ${e?._tag} | ${String(e?.message).slice(0, 300)}`) }
try { console.log((await l.fetch(new Request("http://x/healthz"))).status) } catch (e: any) { console.log(`closed fetch: ${e?.name} | ${e?._tag} | ${String(e?.message).slice(0, 300)}`) }
