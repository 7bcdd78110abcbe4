/** All that rewards need of Node. */
import * as Layer from "effect/Layer"
import type { SenderOptions } from "../webhooks/UndiciSender.ts"
import * as AjvSchemas from "./AjvSchemas.ts"
import * as Re2Patterns from "./Re2Patterns.ts"
import * as UndiciScorer from "./UndiciScorer.ts"

export const layer = (options: SenderOptions) =>
  Layer.mergeAll(Re2Patterns.layer, AjvSchemas.layer, UndiciScorer.layer(options))
