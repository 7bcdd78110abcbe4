/** How long storage may take for one statement: a request has less time than a worker. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { Limits } from "../Limits.ts"

/** In milliseconds. A longer statement is canceled and fails as a storage error. By default: a worker's time. */
export const Patience = Context.Reference<number>("@limbeck/core/storage/Patience", {
  defaultValue: () => Limits.workPatienceMillis
})

/** A client waits for the answer. */
export const ofRequest = Effect.provideService(Patience, Limits.requestPatienceMillis)

/** Like `ofRequest`, for everything that a server does for its requests. */
export const ofRequests = Context.add(Patience, Limits.requestPatienceMillis)

/** For statements without a bound on their rows. */
export const ofBulk = Effect.provideService(Patience, Limits.bulkPatienceMillis)
