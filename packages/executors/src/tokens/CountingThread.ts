/** Counts tokens in a thread of its own: the tokenizer of a large vocabulary takes a second to read. */
import { Worker } from "node:worker_threads"
import type { TokenCount } from "@limbeck/distill/recipe/StudentTokens"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as ThreadOptions from "../internal/ThreadOptions.ts"

/** The thread's input: the folder of a model, and rows as JSON. */
export interface WorkerData {
  readonly folder: string
  readonly bodies: ReadonlyArray<string>
}

/** The model's files have an unknown form, or its template rejects these rows. */
export class CountFailure extends Data.TaggedError("CountFailure")<{ readonly message: string }> {}

const file = new URL(ThreadOptions.isSource ? "./CountingWorker.ts" : "./CountingWorker.js", import.meta.url)

/** Interruption ends the thread. */
export const count = (workerData: WorkerData): Effect.Effect<TokenCount, CountFailure> =>
  Effect.callback((resume) => {
    const worker = new Worker(file, { ...ThreadOptions.make(), workerData })
    const lost = (message: string) => resume(Effect.fail(new CountFailure({ message })))
    worker.once("message", (counted: TokenCount) => resume(Effect.succeed(counted)))
    worker.once("error", (error: unknown) => lost(error instanceof Error ? error.message : String(error)))
    worker.once("exit", () => lost("the thread ended without a result"))
    return Effect.promise(() => worker.terminate())
  })
