/** What the cases of CallStore begin with. */
import { CallStore } from "@limbeck/capture/call/CallStore"
import type { CapturedCall } from "@limbeck/capture/call/CapturedCall"
import * as Effect from "effect/Effect"
import * as Calls from "../fixtures/Calls.ts"
import * as Fresh from "../fixtures/Fresh.ts"

/** A store with partitions that no other case has. */
export const open = Effect.map(CallStore, (store) => {
  const { mine, others } = Fresh.neighbours()
  const append = (...calls: ReadonlyArray<CapturedCall>) => store.append(Calls.inPartition(mine, calls))
  return { store, partition: mine, others, append }
})
