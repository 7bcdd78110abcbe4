/** The operations of the public API as the assistant uses them. The server derives the list from the contract and runs each operation. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import type { OperationUnknown } from "../Errors.ts"

export interface Operation {
  /** The id in the OpenAPI document: `createRun`. */
  readonly name: string
  readonly summary: string
  readonly method: string
  /** JSON Schema of the input: an object of `path`, `query` and `body`. */
  readonly input: Schema.JsonObject
}

/** The HTTP response of an operation. */
export interface Outcome {
  readonly status_code: number
  readonly request_id: string | null
  /** The body; of a long body the first part, as text. */
  readonly answer: Schema.Json
}

/** A request that is repeated under the same key, which is known for 24 hours, until its outcome is known. */
export interface OperationRequest {
  readonly operation: string
  readonly input: unknown
  /** The Idempotency-Key, for operations that take one. */
  readonly key: string
}

/** The request headers that identify the person: cookie, proof, workspace and mode. */
export type Identity = Readonly<Record<string, string>>

export class Operations extends Context.Service<
  Operations,
  {
    readonly all: Effect.Effect<ReadonlyArray<Operation>>
    /** Runs as the person. A failure may be repeated with the same key. */
    readonly run: (identity: Identity, request: OperationRequest) => Effect.Effect<Outcome, OperationUnknown>
  }
>()("@limbeck/chat/assistant/Operations") {}
