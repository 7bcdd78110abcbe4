/** Gives a student's server up: logs the reason and fails the waiting callers. */
import type { ModelServerFailed } from "@limbeck/distill/student/ModelServers"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"

export const tell =
  <A>(student: string, waiting: Deferred.Deferred<A, ModelServerFailed>) =>
  (failure: ModelServerFailed): Effect.Effect<boolean> =>
    Effect.andThen(
      Effect.annotateLogs(Effect.logWarning("student_server_given_up", failure.message), { student }),
      Deferred.fail(waiting, failure)
    )
