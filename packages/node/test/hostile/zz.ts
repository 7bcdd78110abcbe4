import { setTimeout as sleep } from "node:timers/promises"
import { WebhookSender } from "@limbeck/webhooks/delivery/WebhookSender"
import * as Effect from "effect/Effect"
import * as UndiciSender from "../../src/webhooks/UndiciSender.ts"
const hosted = JSON.parse(process.env["HOSTED"]!)
const only = process.env["ONLY"]
const list = hosted.list.filter((h: any) => !only || new RegExp(only).test(h.what))
const M = (x: number) => (x / 1048576).toFixed(0)
const show = (what: string) => { const m = process.memoryUsage(); console.log(what, `rss ${M(m.rss)} heap ${M(m.heapUsed)}/${M(m.heapTotal)} ext ${M(m.external)} ab ${M(m.arrayBuffers)}`) }
const gc = async () => { for (let i = 0; i < 4; i++) { (globalThis as any).gc(); await sleep(50) } }
await Effect.runPromise(Effect.gen(function* () {
  const sender = yield* WebhookSender
  yield* Effect.promise(gc); show("start")
  for (let round = 0; round < Number(process.env["ROUNDS"] ?? 6); round++) {
    const t = performance.now(); const c = process.cpuUsage()
    yield* Effect.forEach(list, (h: any) => sender.send({ url: h.url, livemode: false, headers: {}, body: new Uint8Array(600) }), { concurrency: 1000 })
    const c2 = process.cpuUsage(c)
    yield* Effect.promise(() => sleep(200))
    yield* Effect.promise(gc); show(`round ${round} ${(performance.now() - t).toFixed(0)} ms cpu ${((c2.user+c2.system)/1000).toFixed(0)}`)
  }
  yield* Effect.promise(() => sleep(11_000))
  yield* Effect.promise(gc); show("after 11 s")
}).pipe(Effect.provide(UndiciSender.layer({ policy: { allowed: [] }, attemptMillis: 1500, resolve: () => Promise.resolve(["127.0.0.1"]), ca: hosted.authorities }))))
process.exit(0)
