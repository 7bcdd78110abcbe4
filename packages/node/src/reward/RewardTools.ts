/** All that rewards need of Node. */
import * as Layer from "effect/Layer"
import type { SenderOptions } from "../webhooks/UndiciSender.ts"
import * as CheckingThread from "./CheckingThread.ts"
import * as UndiciScorer from "./internal/UndiciScorer.ts"

export const layer = (options: SenderOptions) => Layer.merge(CheckingThread.layer, UndiciScorer.layer(options))
