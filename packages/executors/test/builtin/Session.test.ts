import { assert, describe, it } from "@effect/vitest"
import { sha256 } from "../../src/builtin/internal/Container.ts"
import * as Session from "../../src/builtin/internal/Session.ts"
import { examples, said, settings } from "./Sets.ts"

const given = settings()
const rows = examples(150)

const plan = (over: Partial<Session.Plan> = {}): Session.Plan => ({
  settings: given,
  checkpoint: null,
  spentSeconds: 0,
  quantumSeconds: 5,
  checkpointSeconds: 4,
  ...over
})

/** A clock by which every step takes a second: it is read before and after each. */
const ticking = () => {
  let now = 0
  return () => now++
}

type Of<T extends Session.FromSession["type"]> = Extract<Session.FromSession, { readonly type: T }>

/** Runs a session to its end; `answer` is asked for every quantum, and may say more to the session. */
const run = async (
  given: Session.Plan,
  answer: (upTo: number, send: (message: Session.ToSession) => void) => boolean = () => true,
  from: ReadonlyArray<ReturnType<typeof said>> = rows
) => {
  const heard: Array<Session.FromSession> = []
  const { promise, resolve } = Promise.withResolvers<Session.SessionEnd>()
  const session = Session.make(given, {
    breathe: () => Promise.resolve(),
    seconds: ticking(),
    say: (message) => {
      heard.push(message)
      if (message.type === "ended") resolve(message.ending)
      if (message.type !== "ask") return
      const isGranted = answer(message.upTo, (more) => session.receive(more))
      session.receive({ type: "answer", isGranted })
    }
  })
  session.receive({ type: "examples", examples: from })
  session.receive({ type: "train" })
  const ending = await promise
  const all = <T extends Session.FromSession["type"]>(type: T) =>
    heard.filter((message): message is Of<T> => message.type === type)
  return { ending, heard, all }
}

const digestOf = (ending: Session.SessionEnd): string =>
  ending.type === "finished" ? sha256(ending.model) : ending.type

describe("Session", () => {
  it("asks before each quantum, from the first row that it reads, and never comes to more than was granted (P49)", async () => {
    const { all, ending, heard } = await run(plan())
    assert.strictEqual(ending.type, "finished")
    assert.strictEqual(heard[0]?.type, "ask")
    let granted = 0
    let seconds = 0
    for (const message of heard) {
      if (message.type === "ask") {
        assert.isAbove(message.upTo, granted)
        granted = message.upTo
      }
      if (message.type !== "checkpoint" && message.type !== "ended") continue
      assert.isAtMost(message.seconds, granted)
      assert.isAbove(message.seconds, seconds)
      seconds = message.seconds
    }
    assert.isAtMost(granted - seconds, 7, "no more is asked for than a quantum and a step or two")
    assert.isAbove(all("ask").length, seconds / 7)
  })

  it("keeps a checkpoint every so many seconds; each leads to the same model, and goes on counting from its own", async () => {
    const { all, ending } = await run(plan())
    const checkpoints = all("checkpoint")
    assert.isAbove(checkpoints.length, given.epochs)
    for (const { bytes, seconds } of checkpoints) {
      const again = await run(plan({ checkpoint: bytes, spentSeconds: seconds }))
      assert.strictEqual(digestOf(again.ending), digestOf(ending))
      assert.isTrue(again.all("ask").every(({ upTo }) => upTo > seconds))
      assert.isAbove(again.all("ended")[0]?.seconds ?? 0, seconds)
    }
  })

  it("keeps checkpoints also where each trial is shorter than the time between two (P49)", async () => {
    const settings = { ...given, tries: true }
    const whole = await run(plan({ settings, checkpointSeconds: 1e9 }))
    assert.lengthOf(whole.all("checkpoint"), 0)
    const seconds = whole.all("ended")[0]?.seconds ?? 0
    // Longer than any trial, and a part of all of them.
    const checkpointSeconds = seconds / 3
    const { all, ending } = await run(plan({ settings, checkpointSeconds }))
    assert.lengthOf(all("checkpoint"), 2)
    for (const { bytes, seconds: spentSeconds } of all("checkpoint")) {
      const again = await run(plan({ settings, checkpoint: bytes, spentSeconds }))
      assert.strictEqual(digestOf(again.ending), digestOf(ending))
    }
  })

  it("says every metric once an epoch", async () => {
    const { all } = await run(plan())
    const names = ["train_loss", "train_accuracy", "validation_loss", "validation_accuracy", "learning_rate", "trial"]
    assert.deepStrictEqual(
      all("metric").map(({ name, step }) => `${name} ${step}`),
      [1, 2, 3].flatMap((epoch) => names.map((name) => `${name} ${epoch}`))
    )
  })

  it("without the budget for more it ends unpaid, with a checkpoint of all that was paid for", async () => {
    const { all, ending } = await run(plan(), (upTo) => upTo <= 20)
    assert.strictEqual(ending.type, "unpaid")
    const last = all("checkpoint").at(-1)
    assert.strictEqual(last?.seconds, all("ended")[0]?.seconds)
    assert.isTrue(last !== undefined && last.seconds > 10 && last.seconds <= 20)
    const rest = await run(plan({ checkpoint: last?.bytes ?? null, spentSeconds: last?.seconds ?? 0 }))
    assert.strictEqual(digestOf(rest.ending), digestOf((await run(plan())).ending))
  })

  it("without a budget at all it does nothing, and has come to nothing", async () => {
    const { all, heard } = await run(plan(), () => false)
    assert.deepStrictEqual(
      heard.map(({ type }) => type),
      ["ask", "ended"]
    )
    assert.deepStrictEqual(all("ended"), [{ type: "ended", ending: { type: "unpaid" }, seconds: 0 }])
  })

  it("told to stop, it learns no more, keeps a checkpoint and ends", async () => {
    const { all, ending } = await run(plan(), (upTo, send) => {
      if (upTo >= 20) send({ type: "cancel" })
      return true
    })
    assert.strictEqual(ending.type, "canceled")
    assert.isAtMost(all("checkpoint").at(-1)?.seconds ?? 99, 20)
    assert.isBelow(all("metric").length, 5 * given.epochs)
  })

  it("refuses rows that cannot be learnt, and spends no more than reading them takes", async () => {
    const texts = Array.from({ length: 200 }, (_, index) => said(`question ${index}`, `answer ${index}`))
    const { all, ending } = await run(plan(), undefined, texts)
    assert.strictEqual(ending.type === "refused" ? ending.code : ending.type, "labels_not_closed")
    assert.isAtMost(all("ended")[0]?.seconds ?? 99, 2)
  })

  it("measures how agreement grows with the rows, the same from any checkpoint, and not beyond the budget (P1586)", async () => {
    const tried = { ...given, tries: true }
    const many = examples(400)
    const curveOf = (ending: Session.SessionEnd) => (ending.type === "finished" ? ending.learningCurve : undefined)
    const whole = await run(plan({ settings: tried, checkpointSeconds: 1e9 }), undefined, many)
    const curve = curveOf(whole.ending) ?? []
    assert.deepStrictEqual(
      curve.map(({ share }) => share),
      [0.125, 0.25, 0.5, 1]
    )
    const last = curve.at(-1)
    for (const { compared, rows, share } of curve) {
      assert.strictEqual(rows, Math.ceil((last?.rows ?? 0) * share))
      assert.strictEqual(compared, last?.compared)
    }
    assert.isAbove(last?.agreed ?? 0, curve[0]?.agreed ?? 0)
    const total = whole.all("ended")[0]?.seconds ?? 0
    const kept = await run(plan({ settings: tried, checkpointSeconds: total / 3 }), undefined, many)
    const { bytes, seconds } = kept.all("checkpoint").at(-1)!
    const again = await run(plan({ settings: tried, checkpoint: bytes, spentSeconds: seconds }), undefined, many)
    assert.deepStrictEqual([curveOf(again.ending), digestOf(again.ending)], [curve, digestOf(whole.ending)])
    const poor = await run(plan({ settings: tried, checkpointSeconds: 1e9 }), (upTo) => upTo < total, many)
    assert.deepStrictEqual([curveOf(poor.ending), digestOf(poor.ending)], [null, digestOf(whole.ending)])
    assert.isNull(curveOf((await run(plan(), undefined, many)).ending))
  })

  it("with a checkpoint of other rows it warns, and begins anew", async () => {
    const { all } = await run(plan())
    const other = await run(plan({ checkpoint: all("checkpoint")[0]!.bytes }), undefined, examples(160))
    assert.strictEqual(other.all("log").filter(({ level }) => level === "warn").length, 1)
    assert.strictEqual(digestOf(other.ending), digestOf((await run(plan(), undefined, examples(160))).ending))
  })
})
