import { assert, describe, it } from "@effect/vitest"
import { sha256 } from "@limbeck/executors/builtin/Container"
import * as Session from "@limbeck/executors/builtin/Session"
import { examples, said, settings } from "./Sets.ts"

const given = settings()
const rows = examples(150)

const plan = (over: Partial<Session.Plan> = {}): Session.Plan => ({
  settings: given,
  checkpoint: null,
  quantum: 50,
  checkpointEvery: 40,
  ...over
})

type Of<T extends Session.FromSession["type"]> = Extract<Session.FromSession, { readonly type: T }>

/** Runs a session to its end; `answer` is asked for every quantum, and may say more to the session. */
const run = async (
  given: Session.Plan,
  answer: (upTo: number, hear: (message: Session.ToSession) => void) => boolean = () => true,
  from: ReadonlyArray<ReturnType<typeof said>> = rows
) => {
  const heard: Array<Session.FromSession> = []
  const { promise, resolve } = Promise.withResolvers<Session.Ending>()
  const session = Session.make(given, {
    breathe: () => Promise.resolve(),
    say: (message) => {
      heard.push(message)
      if (message.type === "ended") resolve(message.ending)
      if (message.type !== "ask") return
      const isGranted = answer(message.upTo, (more) => session.hear(more))
      session.hear({ type: "answer", isGranted })
    }
  })
  session.hear({ type: "examples", examples: from })
  session.hear({ type: "train" })
  const ending = await promise
  const all = <T extends Session.FromSession["type"]>(type: T) =>
    heard.filter((message): message is Of<T> => message.type === type)
  return { ending, heard, all }
}

const digestOf = (ending: Session.Ending): string => (ending.type === "finished" ? sha256(ending.model) : ending.type)

describe("Session", () => {
  it("asks before each quantum, for all rows of all epochs, and never learns more than was granted", async () => {
    const { all, ending, heard } = await run(plan())
    assert.strictEqual(ending.type, "finished")
    const asked = all("ask").map(({ upTo }) => upTo)
    assert.deepStrictEqual(
      asked,
      Array.from({ length: asked.length }, (_, index) => Math.min(50 * (index + 1), asked.at(-1)!))
    )
    assert.strictEqual(asked.at(-1), ending.type === "finished" ? ending.examples : -1)
    let granted = 0
    for (const message of heard) {
      if (message.type === "ask") granted = message.upTo
      if (message.type === "checkpoint") assert.isAtMost(message.examples, granted)
    }
  })

  it("keeps a checkpoint after each epoch and within long ones; each leads to the same model", async () => {
    const { all, ending } = await run(plan())
    const checkpoints = all("checkpoint")
    assert.isAbove(checkpoints.length, given.epochs)
    for (const checkpoint of checkpoints) {
      const again = await run(plan({ checkpoint: checkpoint.bytes }))
      assert.strictEqual(digestOf(again.ending), digestOf(ending))
      assert.isTrue(again.all("ask").every(({ upTo }) => upTo > checkpoint.examples))
    }
  })

  it("says every metric once an epoch", async () => {
    const { all } = await run(plan())
    const names = ["train_loss", "train_accuracy", "validation_loss", "validation_accuracy", "learning_rate"]
    assert.deepStrictEqual(
      all("metric").map(({ name, step }) => `${name} ${step}`),
      [1, 2, 3].flatMap((epoch) => names.map((name) => `${name} ${epoch}`))
    )
  })

  it("without the budget for more it ends unpaid, with a checkpoint of all that was paid for", async () => {
    const { all, ending } = await run(plan(), (upTo) => upTo <= 100)
    assert.strictEqual(ending.type, "unpaid")
    const last = all("checkpoint").at(-1)
    assert.strictEqual(last?.examples, 100)
    const rest = await run(plan({ checkpoint: last?.bytes ?? null }))
    assert.strictEqual(digestOf(rest.ending), digestOf((await run(plan())).ending))
  })

  it("told to stop, it learns no more, keeps a checkpoint and ends", async () => {
    const { all, ending } = await run(plan(), (upTo, hear) => {
      if (upTo >= 100) hear({ type: "cancel" })
      return true
    })
    assert.strictEqual(ending.type, "canceled")
    assert.strictEqual(all("checkpoint").at(-1)?.examples, 50)
  })

  it("refuses rows that cannot be learnt, and spends nothing on them", async () => {
    const texts = Array.from({ length: 200 }, (_, index) => said(`question ${index}`, `answer ${index}`))
    const { all, ending } = await run(plan(), undefined, texts)
    assert.strictEqual(ending.type === "refused" ? ending.code : ending.type, "labels_not_closed")
    assert.strictEqual(all("ask").length, 0)
  })

  it("with a checkpoint of other rows it warns, and begins anew", async () => {
    const { all } = await run(plan())
    const other = await run(plan({ checkpoint: all("checkpoint")[0]!.bytes }), undefined, examples(160))
    assert.strictEqual(other.all("log").filter(({ level }) => level === "warn").length, 1)
    assert.strictEqual(digestOf(other.ending), digestOf((await run(plan(), undefined, examples(160))).ending))
  })
})
