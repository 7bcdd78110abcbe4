/** Shows six delivery attempts over 1,800 seconds in a moment of real time; exits 0 only if their times are right. */
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import { isRight, sixAttempts, table } from "./sixAttempts.ts"

const outcome = await Effect.runPromise(Effect.tap(sixAttempts, (outcome) => Console.log(table(outcome))))
process.exitCode = isRight(outcome) ? 0 : 1
