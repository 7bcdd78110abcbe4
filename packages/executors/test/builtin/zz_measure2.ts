import { defaults } from "@limbeck/executors/builtin/Settings"
import { tickets } from "./Tickets.ts"
import { exampleOf } from "./Sets.ts"
import { Worker, isMainThread, workerData } from "node:worker_threads"
import { setImmediate } from "node:timers/promises"
import * as Examples from "@limbeck/executors/builtin/Examples"
import * as TrainingSet from "@limbeck/executors/builtin/TrainingSet"
import * as Trainer from "@limbeck/executors/builtin/Trainer"
import * as Model from "@limbeck/executors/builtin/Model"
import * as Evaluation from "@limbeck/executors/builtin/Evaluation"
import { generator } from "@limbeck/executors/builtin/Hashing"

const synth = (rows: number, words: number, labels: number) => {
  const next = generator(7); const below = (n: number) => Math.floor(next() / 2 ** 32 * n)
  const vocab = Array.from({ length: 3000 }, () => Array.from({ length: 2 + below(8) }, () => "abcdefghijklmnopqrstuvwxyz"[below(26)]).join(""))
  return Array.from({ length: rows }, (_, i) => { const l = below(labels); return ({ turns: [{ role: "user", text: Array.from({ length: words }, () => below(4) === 0 ? vocab[(l * 37 + below(60)) % 3000] : vocab[Math.floor(below(3000) * next() / 2 ** 32)]).join(" ") }], label: `label${l}` }) })
}
if (isMainThread) {
  for (const w of [["t",200,3,0,0],["t",2000,10,0,0],["t",2000,100,0,0],["t",10000,10,0,0],["s",2000,10,20,2],["s",2000,10,20,8],["s",2000,10,20,32],["s",2000,10,20,64],["s",2000,10,100,8],["s",2000,10,400,8],["s",500,10,1000,8],["s",20000,3,30,16],["s",300,10,30,3]] as const) {
    const k = new Worker(new URL(import.meta.url), { workerData: w })
    await new Promise((r) => k.on("exit", r))
  }
} else {
  const [kind, rows, epochs, words, labels] = workerData
  const all = kind === "t" ? tickets({ rows, seed: 1 }).map(exampleOf) : synth(rows, words, labels)
  const chars = all.reduce((s: number, e: any) => s + e.turns.reduce((a: number, t: any) => a + t.text.length, 0), 0)
  const t = () => { const c = (process as any).threadCpuUsage(); return [performance.now(), (c.user + c.system) / 1000] as const }
  const diff = (a: any, b: any) => Math.round((b[1]-a[1])*10)/10
  const settings = { ...defaults, epochs }
  const t0 = t()
  const c = Examples.collector(settings)
  for (const e of all) c.add(e)
  const made = TrainingSet.make(c.close(), settings) as TrainingSet.TrainingSet
  const t2 = t()
  const tr = Trainer.make(made, settings)
  while (!tr.isDone()) { tr.advance(16); await setImmediate() }
  const t3 = t()
  const { bytes } = Model.encode(made, settings, tr)
  const t4 = t()
  const m = Model.load(bytes) as Model.Model
  const some = all.slice(0, 200)
  const t5 = t()
  for (const e of some) Evaluation.answer(m, e)
  const t6 = t()
  const T = chars / 4
  console.log(workerData.join(" "), "tok/row", Math.round(T/rows), "labels", made.labels.length, "feat/row", Math.round(made.offsets.at(-1)!/rows), "| setup ms", diff(t0,t2), "s/M", (diff(t0,t2)*1e3/T).toFixed(2), "| learn ms", diff(t2,t3), "s/M/epoch", (diff(t2,t3)*1e3/T/epochs).toFixed(3), "| enc", diff(t3,t4), "MB", (bytes.length/1e6).toFixed(1), "| eval ms/row", (diff(t5,t6)/some.length).toFixed(3), "s/M", (diff(t5,t6)*1e3/(T/rows*some.length)).toFixed(2), "total", diff(t0,t4), "wall", Math.round(t4[0]-t0[0]))
}
