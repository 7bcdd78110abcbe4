/** Pings a worker process: one that leaves too many unanswered gets no new connections, and is killed in the end. */
import * as Effect from "effect/Effect"
import type { WorkerHandle } from "./WorkerHandle.ts"
import * as WorkerMachine from "./WorkerMachine.ts"

/**
 * Runs once a second for each process. It counts pings and not time: while the parent gets no processor, no process counts as silent.
 * `apply` moves the process by an event.
 */
export const ping = Effect.fnUntraced(function* (
  handle: WorkerHandle,
  apply: (handle: WorkerHandle, event: WorkerMachine.WorkerEvent) => void
) {
  const before = handle.state
  apply(handle, WorkerMachine.WorkerEvent.Pinged())
  // At most one ping is under way.
  if (before.unansweredPings === 0) handle.child.send({ kind: "ping" })
  const { status, unansweredPings } = handle.state
  const log = Effect.annotateLogs({ process: handle.number, unanswered_pings: unansweredPings })
  if (status === "silent" && before.status !== "silent") yield* log(Effect.logWarning("process_silent"))
  if (!WorkerMachine.isHung(handle.state)) return
  if (!WorkerMachine.isHung(before)) yield* log(Effect.logError("process_hung"))
  handle.child.kill()
})
