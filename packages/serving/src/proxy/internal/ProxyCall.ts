/** What clients send through the proxy. */
import type { CallEndpoint, CallId } from "@limbeck/capture/call/CapturedCall"
import type { CallError, ModelRequest } from "@limbeck/capture/source/Forward"

/** A request to a source. */
export interface SourceRequest extends Omit<ModelRequest, "model"> {
  /** By name or id; null: the default one. */
  readonly source: string | null
  /** The header that names the source: a refusal of it says which one to correct. */
  readonly sourceHeader: string
}

/** A request that is captured with its answer. */
export interface ProxyCall extends SourceRequest {
  readonly id: CallId
  readonly endpoint: CallEndpoint
  readonly body: Uint8Array
  readonly tags: ReadonlyArray<string>
  readonly externalId: string | null
  /** False: it leaves neither a captured call nor a copy for a student in shadow; where balances bind it is charged all the same. */
  readonly isRecorded: boolean
  /** The status by which the client is told of a failure. */
  readonly statusOf: (error: CallError) => number
}
