/** What clients send through the proxy. */

import type { Spender } from "@limbeck/billing/limits/TokenUse"
import type { CallEndpoint, CallId } from "@limbeck/capture/call/CapturedCall"
import type { CallError, ModelRequest } from "@limbeck/capture/source/Forward"
import type { TokenLimits } from "@limbeck/core/tokens/TokenLimits"
import type * as Schema from "effect/Schema"

/** A request to a source. */
export interface SourceRequest extends Omit<ModelRequest, "model" | "spender"> {
  /** By name or id; null: the default one. */
  readonly source: string | null
  /** The header for the source, named by refusals. */
  readonly sourceHeader: string
  /** The models that the caller's token may name. Absent: any. */
  readonly allows?: Pick<TokenLimits, "models"> | undefined
}

/** A request captured with its answer. */
export interface ProxyCall extends SourceRequest {
  readonly id: CallId
  readonly endpoint: CallEndpoint
  readonly body: Uint8Array
  /** The parsed body; absent before parsing. */
  readonly parsed?: Schema.JsonObject | undefined
  readonly tags: ReadonlyArray<string>
  readonly externalId: string | null
  /** False: no captured call and no copy for a shadow student; still charged where balances bind. */
  readonly isRecorded: boolean
  /** Who pays within a limit of a day. Absent: no limit. */
  readonly spender?: Spender | undefined
  /** The client's status for a failure. */
  readonly statusOf: (error: CallError) => number
}
