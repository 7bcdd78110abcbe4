// Sends the requests of a Ray user.
// @effect-diagnostics globalFetch:off
import * as fs from "node:fs"
import * as os from "node:os"
import path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import type { Progress } from "@limbeck/distill/run/Executor"
import * as RayReaper from "@limbeck/executors/ray/RayReaper"
import * as RayResources from "@limbeck/executors/ray/RayResources"
import * as RayJobServer from "@limbeck/testing/upstream/RayJobServer"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { hostedAndKilled } from "../process/Hosted.ts"
import {
  all,
  isAlive,
  lastCheckpoint,
  messages,
  resultOf,
  rows,
  type TrainingRequest,
  until,
  world
} from "../process/Trainings.ts"

/** With an address in `TEST_RAY_ADDRESS` a real cluster of one processor takes the place of our job server. */
const realAddress = process.env["TEST_RAY_ADDRESS"]

/** Jobs mostly wait, but a cluster with one processor runs one at a time. */
const describeTogether = realAddress === undefined ? describe.concurrent : describe

const cluster = (options: { readonly cpus?: number } = {}) =>
  Effect.acquireRelease(
    Effect.promise(() => RayJobServer.make(options)),
    (server) => Effect.sync(server.close)
  )

const rayWorld = Effect.fnUntraced(function* (asked: TrainingRequest = {}) {
  const ray = { address: realAddress ?? (yield* cluster()).address }
  return { ...(yield* world({ ...asked, ray })), ray }
})

const readText = async (url: string): Promise<string> => (await fetch(url)).text()
const shownAt = (url: string) => Effect.promise(() => readText(url))

const steps = (said: ReadonlyArray<Progress>) => all(said, "Metric").map(({ step }) => step)

/** The present file time, up to ten milliseconds behind `Date.now`. The begin of a job is a file time. */
const fileTime = () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "limbeck-file-time-"))
  const { mtimeMs } = fs.statSync(folder)
  fs.rmdirSync(folder)
  return mtimeMs
}

const secondsOf = (said: ReadonlyArray<Progress>) =>
  Math.max(0, ...all(said, "Spend").map(({ usage }) => usage.gpuSeconds))

/** Kills all processes of a job, like the death of its machine. */
const killGroup = (pid: number): void => {
  const [, group = ""] = / [A-Z] \d+ (\d+) /.exec(fs.readFileSync(`/proc/${pid}/stat`, "utf8")) ?? []
  process.kill(-Number(group), "SIGKILL")
}

describeTogether("RayExecutor", () => {
  it.live("runs each stage as one job, which says and leaves what a trainer of this machine does (P325)", () =>
    Effect.gen(function* () {
      const { attempt, starts } = yield* rayWorld()
      assert.deepStrictEqual(resultOf((yield* attempt("materialize")).said), { rows: 39 })
      const trained = yield* attempt("sft")
      const sft = resultOf(trained.said)
      assert.deepStrictEqual(steps(trained.said), [1, 2, 3])
      assert.includeMembers(
        [...messages(trained.said)],
        ["Waits for the Ray cluster", "sft of Qwen/Qwen3-0.6B, attempt 1", "a word on stderr"]
      )
      assert.isAbove(secondsOf(trained.said), 0)
      const evaluated = yield* attempt("eval", { results: { sft } })
      assert.deepStrictEqual(
        all(evaluated.said, "Answer").map(({ row }) => row),
        rows.holdout
      )
      assert.deepStrictEqual(resultOf((yield* attempt("publish", { results: { sft } })).said), {
        artifact: (sft as { artifact: object }).artifact as never,
        details: {}
      })
      assert.deepStrictEqual(
        starts().map(({ kind }) => kind),
        ["sft", "eval", "publish"]
      )
    })
  )

  it.live("a server that dies leaves its job to the next one, which finds it and reads on (P326)", () =>
    Effect.gen(function* () {
      const { attempt, folder, ray, releaseFound, starts } = yield* rayWorld({ epochs: 12 })
      const before = yield* hostedAndKilled(
        folder,
        "sft",
        { epochs: 12, stepMillis: 250, behavior: "held", ray },
        { last: "Metric", times: 3 }
      )
      assert.isTrue(isAlive(starts()[0]?.pid ?? 0))
      const after = yield* attempt("sft", {
        attempt: 2,
        checkpoint: lastCheckpoint(before),
        onProgress: releaseFound
      })
      resultOf(after.said)
      assert.include(messages(after.said), "Resumes with the trainer of attempt 1")
      assert.lengthOf(starts(), 1)
      assert.deepStrictEqual(
        [...new Set([...steps(before), ...steps(after.said)])],
        Array.from({ length: 12 }, (_, index) => index + 1)
      )
      assert.isAbove(secondsOf(after.said), 3, "the time without a server counts")
    })
  )

  it.live(
    "a server that dies before it submits, or before it knows that it did, leaves one job all the same (P326)",
    () =>
      Effect.gen(function* () {
        const { attempt, folder, ray, releaseFound, starts } = yield* rayWorld()
        yield* hostedAndKilled(folder, "sft", { behavior: "held", ray }, { last: "Waits for the Ray cluster" })
        const after = yield* attempt("sft", { attempt: 2, onProgress: releaseFound })
        resultOf(after.said)
        assert.include(messages(after.said), "Resumes with the trainer of attempt 1")
        assert.lengthOf(starts(), 1)
      })
  )

  it.live("a job whose machine dies is lost, and the next attempt begins at its last checkpoint", () =>
    Effect.gen(function* () {
      const { attempt, starts } = yield* rayWorld({ epochs: 30 })
      const fiber = yield* Effect.forkChild(attempt("sft", { stepMillis: 200 }))
      yield* until(() => starts().length > 0)
      killGroup(starts()[0]?.pid ?? 0)
      const { failure, said } = yield* Fiber.join(fiber)
      assert.deepInclude({ ...failure }, { code: "trainer_lost", retryable: true })
      resultOf((yield* attempt("sft", { attempt: 2, checkpoint: lastCheckpoint(said) })).said)
      assert.lengthOf(starts(), 2)
    })
  )

  for (const behavior of ["hang", "stubborn"]) {
    it.live(`a canceled stage leaves nothing alive (${behavior})`, () =>
      Effect.gen(function* () {
        const { attempt, starts } = yield* rayWorld()
        const said: Array<Progress> = []
        const fiber = yield* Effect.forkChild(attempt("sft", { behavior, onProgress: (one) => said.push(one) }))
        yield* until(() => messages(said).includes("hangs"))
        yield* Fiber.interrupt(fiber)
        yield* until(() => !isAlive(starts()[0]?.pid ?? 0))
      })
    )
  }

  it.live("a budget ends a job before it is passed (P327)", () =>
    Effect.gen(function* () {
      const { attempt, run, starts } = yield* rayWorld({ budgetMicros: 3_000_000, microsPerGpuSecond: 1_000_000 })
      const { asked, failure, said } = yield* attempt("sft", { behavior: "stubborn" })
      assert.deepInclude({ ...failure }, { code: "budget_exceeded", retryable: false })
      assert.isFalse(isAlive(starts()[0]?.pid ?? 0))
      assert.isAtMost(secondsOf(said), 3)
      for (const { gpuSeconds } of asked) assert.isAtMost(gpuSeconds * run.prices.microsPerGpuSecond, run.budgetMicros)
    })
  )

  it.live("without any server too: the job ends itself when the budget does (P327)", () =>
    Effect.gen(function* () {
      const asked = { budgetMicros: 4_000_000, microsPerGpuSecond: 1_000_000 }
      const { attempt, folder, ray, run } = yield* rayWorld(asked)
      // It is paid for from its beginning, whether or not its trainer is up by then.
      yield* hostedAndKilled(folder, "sft", { ...asked, behavior: "stubborn", ray }, { last: "Spend" })
      yield* until(() => fs.existsSync(path.join(folder, "runs", run.id, "2-sft", "1", "exit")))
      const { failure, said } = yield* attempt("sft", { attempt: 2, behavior: "stubborn" })
      assert.include(messages(said), "The budget buys no more time of this machine")
      assert.strictEqual(failure?.code, "budget_exceeded")
      assert.isAtMost(secondsOf(said), 4)
    })
  )

  it.live("a job that hears of no server for long ends itself, and resumes from its checkpoint (P327)", () =>
    Effect.gen(function* () {
      const { attempt, folder, ray, starts } = yield* rayWorld()
      // For the dead server alone: the next job uses the default.
      const impatient = { ...ray, silenceMillis: 1_500 }
      yield* hostedAndKilled(folder, "sft", { behavior: "stubborn", ray: impatient }, { last: "hangs" })
      yield* until(() => !isAlive(starts()[0]?.pid ?? 0))
      const { said } = yield* attempt("sft", { attempt: 2 })
      resultOf(said)
      assert.include(messages(said), "No server was heard of for 1 seconds")
      assert.lengthOf(starts(), 2)
    })
  )

  it.live("the variables of a trainer reach it, and are shown by nobody (P328)", () =>
    Effect.gen(function* () {
      const { attempt, folder, ray, run } = yield* rayWorld()
      const leaks = path.join(folder, "leaks-of-nobody")
      resultOf(
        (yield* attempt("sft", { leaks, command: `[ "$TRAINER_LEAKS" = "${leaks}" ] && echo '{"type":"result"}'` }))
          .said
      )
      const shown = yield* shownAt(`${ray.address}/api/jobs/limbeck-${run.id}-2-sft-1`)
      assert.include(shown, "SUCCEEDED")
      assert.notInclude(shown, leaks)
      const left = fs.readdirSync(path.join(folder, "runs", run.id, "2-sft", "1"))
      assert.notInclude(left, "trainer.sh")
    })
  )

  it.live("the reaper ends the job of a dead server whose run is over", () =>
    Effect.gen(function* () {
      const { folder, ray, run, starts } = yield* rayWorld()
      yield* hostedAndKilled(folder, "sft", { behavior: "hang", ray }, { last: "hangs" })
      const pid = starts()[0]?.pid ?? 0
      const canceled = { ...run, status: "canceled" as const, finishedAt: yield* Clock.currentTimeMillis }
      const reaper = RayReaper.make({
        address: ray.address,
        folder: path.join(folder, "runs"),
        find: () => Effect.succeed(canceled)
      })
      yield* reaper.runOnce
      assert.isTrue(isAlive(pid))
      yield* reaper.runOnce
      yield* until(() => !isAlive(pid))
    })
  )
})

describe.concurrent("a stage that the cluster has no room for", () => {
  const waiting = Effect.fnUntraced(function* (cpus: number) {
    const server = yield* cluster({ cpus })
    const { attempt, starts } = yield* world({ ray: { address: server.address } })
    const fiber = yield* Effect.forkChild(attempt("sft"))
    yield* until(() => server.submissions.length > 0)
    return { server, starts, fiber }
  })

  it.live("waits for it without a cost, and is submitted again where the cluster has lost it (P326)", () =>
    Effect.gen(function* () {
      const { fiber, server, starts } = yield* waiting(0)
      server.forget()
      yield* until(() => server.submissions.length > 1)
      assert.deepStrictEqual(server.submissions[1], server.submissions[0])
      const before = fileTime()
      server.addCpus(1)
      const { said } = yield* Fiber.join(fiber)
      resultOf(said)
      assert.isAtMost(secondsOf(said) * 1_000, (yield* Clock.currentTimeMillis) - before)
      assert.lengthOf(starts(), 1)
    })
  )

  it.live("never begins once it is canceled, though the cluster keeps its job", () =>
    Effect.gen(function* () {
      const { fiber, server, starts } = yield* waiting(0)
      yield* Fiber.interrupt(fiber)
      server.addCpus(1)
      const { submission_id = "" } = server.submissions[0] ?? {}
      const url = `${server.address}/api/jobs/${submission_id}`
      let shown = ""
      while (!shown.includes("SUCCEEDED")) shown = yield* shownAt(url)
      assert.deepStrictEqual(starts(), [])
    })
  )

  it.live("an answer to the submission that is lost does not make a second job (P326)", () =>
    Effect.gen(function* () {
      const server = yield* cluster()
      server.loseAnswer()
      const { attempt, starts } = yield* world({ ray: { address: server.address } })
      resultOf((yield* attempt("sft")).said)
      assert.lengthOf(server.submissions, 1)
      assert.lengthOf(starts(), 1)
    })
  )
})

describe("what a stage asks of a cluster", () => {
  const compute = { profile: "l4", machine: "2xL4", spot: false, gpu: "L4" }

  it("is what the profile says, else one processor and the accelerators of its machine", () => {
    const of = RayResources.of([
      { id: "l4", cluster: { cpus: 8, memoryBytes: 1e9, resources: { "accelerator_type:L4": 0.1 } } }
    ])
    assert.deepStrictEqual(of(compute), {
      num_cpus: 8,
      num_gpus: 2,
      memory: 1e9,
      resources: { "accelerator_type:L4": 0.1 }
    })
    assert.deepStrictEqual(of({ ...compute, profile: "other", machine: "g5.xlarge" }), {
      ...RayResources.none,
      num_gpus: 1
    })
    assert.deepStrictEqual(of({ profile: "local", machine: "this-machine", spot: false, gpu: null }), RayResources.none)
  })
})
