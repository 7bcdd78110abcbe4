import * as Session from "@limbeck/executors/builtin/Session"
import { defaults } from "@limbeck/executors/builtin/Settings"
import { tickets } from "./Tickets.ts"
import { exampleOf } from "./Sets.ts"
import { Worker, isMainThread, parentPort, workerData } from "node:worker_threads"
import { setImmediate } from "node:timers/promises"
import * as Examples from "@limbeck/executors/builtin/Examples"
import * as TrainingSet from "@limbeck/executors/builtin/TrainingSet"
import * as Trainer from "@limbeck/executors/builtin/Trainer"
import * as Model from "@limbeck/executors/builtin/Model"

if (isMainThread) {
  for (const [rows, epochs, repeat] of [[200,3,1],[2000,3,1],[2000,10,1],[2000,20,1],[2000,10,5],[10000,10,1]] as const) {
    const w = new Worker(new URL(import.meta.url), { workerData: { rows, epochs, repeat } })
    await new Promise((r) => w.on("exit", r))
  }
} else {
  const { rows, epochs, repeat } = workerData
  const set = tickets({ rows, seed: 1 }).map(exampleOf).map(e => ({...e, turns: e.turns.map(t => ({...t, text: Array(repeat).fill(t.text).join(" ")}))}))
  const chars = set.reduce((s, e) => s + e.turns.reduce((a, t) => a + t.text.length, 0) + e.label!.length, 0)
  const t = () => { const c = (process as any).threadCpuUsage(); return [performance.now(), (c.user + c.system) / 1000] as const }
  const diff = (a: any, b: any) => [b[0]-a[0], b[1]-a[1]].map(x => Math.round(x))
  const settings = { ...defaults, epochs }
  const t0 = t()
  const c = Examples.collector(settings)
  for (const e of set) c.add(e)
  const t1 = t()
  const made = TrainingSet.make(c.close(), settings) as TrainingSet.TrainingSet
  const t2 = t()
  const tr = Trainer.make(made, settings)
  while (!tr.isDone()) { tr.advance(16); await setImmediate() }
  const t3 = t()
  Model.encode(made, settings, tr)
  const t4 = t()
  console.log({ rows, epochs, repeat, tokensPerRow: chars/4/rows, featuresPerRow: made.offsets.at(-1)!/rows, collect: diff(t0,t1), set: diff(t1,t2), learn: diff(t2,t3), encode: diff(t3,t4), total: diff(t0,t4) })
}
