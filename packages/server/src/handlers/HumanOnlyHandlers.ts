/** Never reached: the pipeline refuses every token before (contract 14.10). */
import * as Effect from "effect/Effect"
import { handlersOf } from "../http/Routes.ts"

const unreachable = () => Effect.die(new Error("A human-only operation passed the access check"))

export const handlers = handlersOf("human_only")({ createWorkspace: unreachable, topUp: unreachable })
