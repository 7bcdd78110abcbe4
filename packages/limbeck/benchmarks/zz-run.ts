import * as fs from "node:fs/promises"
import { Pool, fetch } from "undici"
import * as Child from "./Child.ts"
import * as Postgres from "./Postgres.ts"
import { token } from "./Token.ts"
const [mode = "journal", secs = "5", prof = "", store = "pg"] = process.argv.slice(2)
const dir = await fs.mkdtemp("/tmp/zzj-")
const up = await Child.start(new URL("model.ts", import.meta.url), ["40"])
const go = async (url: string) => {
  const own = await Child.start(new URL("zz-prof.ts", import.meta.url), [url, mode === "journal" ? dir : "", mode])
  const h = { authorization: `Bearer ${token}`, "content-type": "application/json" }
  const r = await fetch(own.origin + "/v1/sources", { method: "POST", headers: h, body: JSON.stringify({ name: "m", kind: "byok", base_url: up.origin + "/v1", api_key: "sk-bench-keykey", default: true, capture: mode === "off" ? { enabled: false } : { enabled: true, durability: mode === "journal" ? "journal" : "buffered" } }) })
  if (!r.ok) throw new Error(await r.text())
  const body = JSON.stringify({ model: "bench-model", messages: [{ role: "user", content: "I was charged twice. ".repeat(20) }] })
  const load = async (ms: number) => { const pool = new Pool(own.origin, { connections: 32 }); let n = 0; const end = performance.now() + ms
    await Promise.all(Array.from({ length: 32 }, async () => { while (performance.now() < end) { const a = await pool.request({ method: "POST", path: "/v1/proxy/chat/completions", headers: h, body }); await a.body.text(); if (a.statusCode !== 200) throw new Error(String(a.statusCode)); n++ } })); await pool.close(); return n }
  await load(4000)
  if (prof) await own.ask({ kind: "start" })
  const t = performance.now()
  const { cpuMicros, done } = await Child.spending(own, async () => { const n = await load(Number(secs) * 1000); for (;;) { const { capture } = await (await fetch(own.origin + "/healthz")).json() as any; if (capture.waiting === 0) return n; await new Promise(r => setTimeout(r, 50)) } })
  console.log(mode, store, "calls/s", Math.round(done / Number(secs)), "cpu each", Math.round(cpuMicros / done), "drained ms", Math.round(performance.now() - t - Number(secs) * 1000))
  if (prof) await own.ask({ kind: "stop" })
  await own.stop()
}
if (store === "pg") await Postgres.use(go); else await go("")
await up.stop(); await fs.rm(dir, { recursive: true, force: true })
