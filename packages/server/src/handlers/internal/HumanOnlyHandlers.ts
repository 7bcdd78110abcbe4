/** Never reached: the pipeline refuses every token before (contract 14.10). */
import { HumanOnlyApi } from "@limbeck/api/HumanOnlyApi"
import * as Effect from "effect/Effect"
import { handlersOf } from "../../http/internal/Routes.ts"

const unreachable = () => Effect.die(new Error("A human-only operation passed the access check"))

export const handlers = handlersOf(HumanOnlyApi)({ createWorkspace: unreachable, topUp: unreachable })
