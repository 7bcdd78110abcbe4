import * as fs from "node:fs"
import path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import type { Progress } from "@limbeck/distill/run/Executor"
import { isTerminal } from "@limbeck/distill/run/RunMachine"
import * as Reaper from "@limbeck/executors/process/Reaper"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { hostedAndKilled } from "./Hosted.ts"
import { all, isAlive, lastCheckpoint, messages, resultOf, rows, until, world } from "./Trainings.ts"

const steps = (said: ReadonlyArray<Progress>) => all(said, "Metric").map(({ step }) => step)

describe("a server that dies leaves its trainer", () => {
  it.live("to the next one, which finds it and reads on: nothing is lost and nothing heard twice (P51)", () =>
    Effect.gen(function* () {
      const { attempt, folder, releaseFound, starts } = yield* world({ epochs: 12 })
      const options = { epochs: 12, stepMillis: 250, behavior: "held" }
      const before = yield* hostedAndKilled(folder, "sft", options, { last: "Metric", times: 3 })
      assert.isTrue(isAlive(starts()[0]?.pid ?? 0), "the trainer lives on")
      const after = yield* attempt("sft", {
        attempt: 2,
        checkpoint: lastCheckpoint(before),
        onProgress: releaseFound
      })
      resultOf(after.said)
      assert.include(messages(after.said), "Resumes with the trainer of attempt 1")
      assert.lengthOf(starts(), 1)
      // The last item may come twice: its offset was not stored yet.
      const heard = [...steps(before), ...steps(after.said)]
      assert.deepStrictEqual(
        [...new Set(heard)],
        Array.from({ length: 12 }, (_, index) => index + 1)
      )
      assert.isAtMost(heard.length, 13)
      const spent = Math.max(...all(after.said, "Spend").map(({ usage }) => usage.gpuSeconds))
      assert.isAbove(spent, 3, "the time without a server counts")
    })
  )

  it.live("and what it said meanwhile: a result that nobody heard is heard", () =>
    Effect.gen(function* () {
      const { attempt, folder, starts } = yield* world()
      const before = yield* hostedAndKilled(folder, "sft", { stepMillis: 300 }, { last: "Metric" })
      yield* until(() => !isAlive(starts()[0]?.pid ?? 0))
      const after = yield* attempt("sft", { attempt: 2, checkpoint: lastCheckpoint(before) })
      assert.hasAllKeys(resultOf(after.said), ["artifact", "details"])
      assert.deepStrictEqual([...new Set([...steps(before), ...steps(after.said)])], [1, 2, 3])
      assert.lengthOf(starts(), 1)
    })
  )

  it.live("and if that died too, another begins at the last checkpoint, also one that nobody heard", () =>
    Effect.gen(function* () {
      const { attempt, folder, run, starts } = yield* world({ epochs: 20 })
      const options = { epochs: 20, stepMillis: 300, behavior: "held" }
      const before = yield* hostedAndKilled(folder, "sft", options, { last: "Metric", times: 2 })
      const heardTo = Math.max(...steps(before))
      const job = path.join(folder, "runs", run.id, "2-sft", "1")
      const unheard = `{"epoch":${heardTo + 2}}`
      yield* until(() => fs.readFileSync(path.join(job, "stdout"), "utf8").includes(unheard))
      process.kill(starts()[0]!.pid, "SIGKILL")
      yield* until(() => fs.existsSync(path.join(job, "exit")))
      const after = yield* attempt("sft", { attempt: 2, checkpoint: lastCheckpoint(before) })
      resultOf(after.said)
      assert.lengthOf(starts(), 2)
      const resumed = messages(after.said).find((message) => message.startsWith("goes on after epoch"))
      assert.isAbove(Number(resumed?.split(" ").at(-1)), heardTo)
      assert.deepStrictEqual(
        [...new Set([...steps(before), ...steps(after.said)])],
        Array.from({ length: 20 }, (_, index) => index + 1)
      )
    })
  )

  it.live("in an evaluation too: the next one hears all answers", () =>
    Effect.gen(function* () {
      const { attempt, folder, kept, starts } = yield* world()
      const sft = resultOf((yield* attempt("sft")).said)
      yield* attempt("eval", { results: { sft }, behavior: "lazy" })
      assert.isNotEmpty([...kept])
      const before = yield* hostedAndKilled(
        folder,
        "eval",
        { results: { sft }, stepMillis: 250, attempt: 2, ofStart: 1 },
        { last: "Answer", times: 3 }
      )
      const after = yield* attempt("eval", {
        attempt: 3,
        ofStart: 2,
        results: { sft },
        checkpoint: lastCheckpoint(before)
      })
      resultOf(after.said)
      assert.deepStrictEqual(
        all(after.said, "Answer").map(({ row }) => row),
        rows.holdout
      )
      assert.lengthOf(starts(), 3)
    })
  )

  it.live("as one that is stopped does: its last checkpoint counts, though nobody heard it", () =>
    Effect.gen(function* () {
      const { attempt, starts } = yield* world()
      const said: Array<Progress> = []
      const onProgress = (one: Progress) => said.push(one)
      const fiber = yield* Effect.forkChild(attempt("sft", { behavior: "last-words", onProgress }))
      yield* until(() => messages(said).includes("hangs"))
      yield* Fiber.interrupt(fiber)
      const after = yield* attempt("sft", { attempt: 2, checkpoint: lastCheckpoint(said) })
      assert.include(messages(after.said), "goes on after epoch 99")
      assert.lengthOf(starts(), 2)
    })
  )

  it.live("but a retry that somebody asked for ends it and begins anew", () =>
    Effect.gen(function* () {
      const { attempt, folder, starts } = yield* world()
      yield* hostedAndKilled(folder, "sft", { behavior: "hang" }, { last: "hangs" })
      const pid = starts()[0]?.pid ?? 0
      assert.isTrue(isAlive(pid))
      resultOf((yield* attempt("sft", { attempt: 2, ofStart: 1 })).said)
      assert.isFalse(isAlive(pid))
      assert.lengthOf(starts(), 2)
    })
  )
})

describe("the reaper", () => {
  for (const status of ["canceled", "running elsewhere", "gone"] as const) {
    it.live(`ends the trainer of a dead server whose run is ${status}, at the second look`, () =>
      Effect.gen(function* () {
        const { folder, run, starts } = yield* world()
        yield* hostedAndKilled(folder, "sft", { behavior: "hang" }, { last: "hangs" })
        const pid = starts()[0]?.pid ?? 0
        const stages = run.stages.map((row) => ({ ...row, status: "running" as const, attempt: 2 }))
        const found = {
          canceled: { ...run, status: "canceled" as const, finishedAt: yield* Clock.currentTimeMillis },
          "running elsewhere": { ...run, status: "running" as const, stages },
          gone: null
        }[status]
        const reaper = Reaper.make({ folder: path.join(folder, "runs"), find: () => Effect.succeed(found) })
        yield* reaper.runOnce
        assert.isTrue(isAlive(pid))
        yield* reaper.runOnce
        assert.isFalse(isAlive(pid))
        yield* reaper.runOnce
        assert.strictEqual(fs.existsSync(path.join(folder, "runs", run.id)), status !== "gone")
      })
    )
  }

  it.live("leaves a trainer alone whose attempt goes on, and removes the files of a run that succeeded", () =>
    Effect.gen(function* () {
      const { folder, run, starts } = yield* world()
      yield* hostedAndKilled(folder, "sft", { behavior: "hang" }, { last: "hangs" })
      const pid = starts()[0]?.pid ?? 0
      const stages = run.stages.map((row) => ({ ...row, status: "running" as const, attempt: 1 }))
      let found = { ...run, status: "running" as (typeof run)["status"], stages }
      const reaper = Reaper.make({ folder: path.join(folder, "runs"), find: () => Effect.succeed(found) })
      for (let look = 0; look < 3; look++) yield* reaper.runOnce
      assert.isTrue(isAlive(pid))
      found = { ...found, status: "succeeded" }
      assert.isTrue(isTerminal(found.status))
      for (let look = 0; look < 3; look++) yield* reaper.runOnce
      assert.isFalse(isAlive(pid))
      assert.isFalse(fs.existsSync(path.join(folder, "runs", run.id)))
    })
  )
})
