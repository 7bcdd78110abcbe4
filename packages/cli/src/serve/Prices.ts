/** The prices of `PRICES_FILE`: read before anything starts, and again at each SIGHUP. */
import { readFile } from "node:fs/promises"
import * as PriceFile from "@limbeck/capture/price/PriceFile"
import type { PriceTable } from "@limbeck/capture/price/PriceList"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import type { Settings } from "./Settings.ts"
import * as Signals from "./Signals.ts"

/** The message is one line for who keeps the file. */
class PricesUnusable extends Data.TaggedError("PricesUnusable")<{ readonly message: string }> {}

const unusable = (file: string, problem: string) => new PricesUnusable({ message: `PRICES_FILE: ${file}: ${problem}` })

/** The table of a file. */
const load = Effect.fnUntraced(function* (file: string) {
  const text = yield* Effect.tryPromise({
    try: () => readFile(file, "utf8"),
    catch: () => unusable(file, "cannot be read")
  })
  const value = yield* Effect.try({
    try: (): unknown => JSON.parse(text),
    catch: () => unusable(file, "is not JSON")
  })
  const entries = yield* Effect.mapError(Effect.fromResult(PriceFile.read(value)), (problem) => unusable(file, problem))
  const table: PriceTable = { entries, isChosen: true }
  return table
})

/** Undefined where no file is named. A file that cannot be read at a SIGHUP leaves the prices as they are, with one error line. */
export const open = Effect.fnUntraced(function* ({ pricesFile: file }: Pick<Settings, "pricesFile">) {
  if (file === null) return undefined
  let table = yield* load(file)
  const requests = yield* Queue.sliding<void>(1)
  Signals.onReload(() => void Queue.offerUnsafe(requests, undefined))
  const reload = Effect.matchEffect(load(file), {
    onFailure: ({ message }) => Effect.logError("prices_not_read", { message }),
    onSuccess: (read) =>
      Effect.suspend(() => {
        table = read
        return Effect.logInfo("prices_read", { file, models: read.entries.size })
      })
  })
  yield* Effect.forkScoped(Effect.forever(Effect.andThen(Queue.take(requests), reload)))
  return { current: () => table }
})
