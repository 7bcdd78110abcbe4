import * as fs from "node:fs"
import path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { all, lastCheckpoint, messages, resultOf, rows, world } from "./Trainings.ts"

const linesOf = (file: string) =>
  fs
    .readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line))

describe("ProcessExecutor", () => {
  it.live("walks all stages: trains, answers every holdout row once, publishes what it made", () =>
    Effect.gen(function* () {
      const { attempt, starts } = yield* world()
      assert.deepStrictEqual(resultOf((yield* attempt("materialize")).said), { rows: 39 })
      assert.deepStrictEqual(starts(), [], "materialize needs no trainer")
      const sft = resultOf((yield* attempt("sft")).said)
      const grpo = resultOf((yield* attempt("grpo", { results: { sft } })).said)
      const results = { sft, grpo }
      const evaluated = yield* attempt("eval", { results })
      const answers = all(evaluated.said, "Answer")
      assert.deepStrictEqual(
        answers.map(({ row }) => row),
        rows.holdout
      )
      for (const { completion, confidence, row } of answers) {
        assert.strictEqual(completion, row.row.completion)
        assert.isAbove(confidence ?? 0, 0.5)
      }
      const published = resultOf((yield* attempt("publish", { results })).said)
      assert.deepStrictEqual(published, { artifact: (grpo as { artifact: object }).artifact as never, details: {} })
      assert.deepStrictEqual(
        starts().map(({ kind }) => kind),
        ["sft", "grpo", "eval", "publish"]
      )
    })
  )

  it.live("what a trainer says becomes metrics, logs and a checkpoint with the usage so far", () =>
    Effect.gen(function* () {
      const { attempt } = yield* world()
      const { said } = yield* attempt("sft")
      assert.deepStrictEqual(
        all(said, "Metric").map(({ name, step, unit, value }) => [name, unit, step, value]),
        [
          ["train_loss", "nats", 1, 1],
          ["train_loss", "nats", 2, 1 / 2],
          ["train_loss", "nats", 3, 1 / 3]
        ]
      )
      assert.include(messages(said), "sft of Qwen/Qwen3-0.6B, attempt 1")
      assert.include(messages(said), "a word on stderr")
      const { state, usage } = lastCheckpoint(said) ?? assert.fail("no checkpoint")
      assert.deepInclude(state as object, { job: 1, trainer: { epoch: 3 } })
      assert.isAbove(usage.gpuSeconds, 0)
    })
  )

  it.live("the same files are the same artifact, a folder as a tar, and the next stage finds them as they were", () =>
    Effect.gen(function* () {
      const one = yield* world()
      const other = yield* world()
      const sft = resultOf((yield* one.attempt("sft")).said)
      assert.deepStrictEqual(resultOf((yield* other.attempt("sft")).said), sft)
      const { artifact } = sft as { readonly artifact: { readonly sha256: string; readonly format: string } }
      assert.strictEqual(artifact.format, "tar")
      yield* one.attempt("eval", { results: { sft } })
      const fetched = path.join(one.folder, "runs", one.run.id, "artifacts", artifact.sha256)
      assert.deepStrictEqual(fs.readdirSync(fetched, { recursive: true }).sort(), [
        "model.json",
        "notes",
        "notes/words.txt"
      ])
    })
  )

  it.live("a trainer is told what the contract says, and never the completions of the holdout", () =>
    Effect.gen(function* () {
      const { attempt, folder, run } = yield* world({ budgetMicros: 2_500_000 })
      const sft = resultOf((yield* attempt("sft")).said)
      yield* attempt("eval", { results: { sft } })
      const runFolder = path.join(folder, "runs", run.id)
      const [input] = linesOf(path.join(runFolder, "2-sft", "1", "input.json"))
      assert.deepStrictEqual(input, {
        protocol: 1,
        run: run.id,
        stage: { seq: 2, kind: "sft", attempt: 1 },
        config: { epochs: 3, lora_rank: 16, learning_rate: 0.0002, max_seq_len: 4096 },
        student_model: "Qwen/Qwen3-0.6B",
        paths: {
          workdir: path.join(runFolder, "2-sft", "1", "work"),
          train: path.join(runFolder, "train.jsonl"),
          holdout: null,
          artifact: null,
          checkpoints: path.join(runFolder, "2-sft", "checkpoints")
        },
        budget: { max_cost_usd: 2.5, spent_usd: 0, price_per_gpu_second: 0.00002 },
        resume: null,
        seed: 7
      })
      assert.deepStrictEqual(linesOf(input.paths.train)[0], {
        key: "row-0",
        messages: [{ role: "user", content: "invoice refund number 0" }],
        completion: { role: "assistant", content: "billing" }
      })
      const [asked] = linesOf(path.join(runFolder, "4-eval", "1", "input.json"))
      assert.isNull(asked.paths.train)
      assert.hasAllKeys(linesOf(asked.paths.holdout)[0], ["key", "messages"])
      for (const name of fs.readdirSync(runFolder)) assert.notInclude(name, "rows")
    })
  )

  it.live("a trainer that fails may be tried again, one that gives up or cannot be started may not", () =>
    Effect.gen(function* () {
      const { attempt } = yield* world()
      const failures = [
        [{ behavior: "crash" }, "trainer_failed", true],
        [{ behavior: "silent" }, "no_result", true],
        [{ behavior: "give-up" }, "trainer_failed", false],
        [{ behavior: "vanish" }, "artifact_unreadable", false],
        [{ behavior: "escape" }, "artifact_unreadable", false],
        [{ command: "/no/such/trainer" }, "trainer_failed", false]
      ] as const
      for (const [index, [behavior, code, retryable]] of failures.entries()) {
        const { failure } = yield* attempt("sft", { ...behavior, attempt: index + 1, ofStart: 1 })
        assert.deepInclude({ ...failure }, { code, retryable }, JSON.stringify(behavior))
      }
      const { failure } = yield* attempt("sft", { behavior: "crash", attempt: 9, ofStart: 1 })
      assert.include(failure?.message, "exit code 3")
    })
  )

  it.live("another attempt after a failure starts the trainer anew, from its last checkpoint", () =>
    Effect.gen(function* () {
      const { attempt, starts } = yield* world()
      const first = yield* attempt("sft", { behavior: "crash-once" })
      assert.strictEqual(first.failure?.code, "trainer_failed")
      const state = { job: 1, stdout: 0, stderr: 0, trainer: { epoch: 2 } }
      const checkpoint = { state, usage: { gpuSeconds: 40, judgeTokens: 0 } }
      const second = yield* attempt("sft", { behavior: "crash-once", attempt: 2, checkpoint })
      assert.include(messages(second.said), "goes on after epoch 2")
      assert.deepStrictEqual(
        all(second.said, "Metric").map(({ step }) => step),
        [3]
      )
      assert.isAtLeast(lastCheckpoint(second.said)?.usage.gpuSeconds ?? 0, 40, "the meter goes on too")
      assert.lengthOf(starts(), 2)
    })
  )

  it.live("garbage is neither fatal nor stored raw: it is reported, in bounds", () =>
    Effect.gen(function* () {
      const { attempt } = yield* world()
      const { said } = yield* attempt("sft", { behavior: "garbage" })
      resultOf(said)
      const told = messages(said)
      for (const message of told) {
        assert.isAtMost(message.length, 8_300)
        assert.isTrue(message.isWellFormed() && !message.includes("\u0000"))
      }
      for (const part of [
        "plain words",
        "{'loss': 0.5}",
        "[12:30] step",
        "is not JSON",
        "has no type",
        "not known",
        "nests too deep",
        "progress 99%"
      ]) {
        assert.isTrue(
          told.some((message) => message.includes(part)),
          part
        )
      }
      assert.isFalse(told.some((message) => message.includes("progress 1%")))
      assert.isTrue(all(said, "Metric").some(({ name, value }) => name === "loss" && Number.isNaN(value)))
    })
  )

  it.live("a flood of lines is cut off, and what the protocol says in it is heard all the same", () =>
    Effect.gen(function* () {
      const { attempt } = yield* world()
      const flood = "seq 60000; seq 30000 >&2; yes '{' | head -n 500"
      const { said } = yield* attempt("sft", { command: `${flood}; echo '{"type":"result"}'` })
      resultOf(said)
      const told = messages(said)
      assert.strictEqual(told.length, 50_001)
      assert.isTrue(told.some((message) => message.includes("printed too much")))
      assert.isBelow(all(said, "Checkpoint").length, 51_000)
    })
  )

  it.live("an evaluation that leaves rows out has no result", () =>
    Effect.gen(function* () {
      const { attempt } = yield* world()
      const sft = resultOf((yield* attempt("sft")).said)
      const { failure } = yield* attempt("eval", { results: { sft }, behavior: "lazy" })
      assert.deepInclude({ ...failure }, { code: "answers_missing", retryable: false })
    })
  )
})
