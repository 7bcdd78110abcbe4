/** Answers `svc:<alias>`: by the student, by the upstream with the student listening, or by the upstream in its place. */
import type { StorageError } from "@limbeck/core/errors/Errors"
import type { Partition } from "@limbeck/core/partition/Partition"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { ServedBy } from "../capture/CapturedCall.ts"
import type { CallError, Message } from "../proxy/Forward.ts"
import type { Source } from "../source/Source.ts"
import type { UpstreamAnswer } from "../upstream/Upstream.ts"
import type { Deployment } from "./Deployment.ts"

export interface ServedMessage extends Message {
  /** Of the captured call. */
  readonly call: string
  readonly endpoint: "chat.completions" | "embeddings" | "responses"
  /** What keeps a conversation on one side of the traffic. */
  readonly externalId: string | null
}

export interface ServedAnswer extends UpstreamAnswer {
  readonly servedBy: ServedBy
  readonly deployment: Deployment
  /** The source that answered; null where a student did. */
  readonly source: Source | null
  /** The model that answered, as its source knows it; null where a student did. */
  readonly sourceModel: string | null
  readonly fallbackReason: string | null
  readonly confidence: number | null
}

export class Serving extends Context.Service<
  Serving,
  {
    /** `alias`: without `svc:`; one that nothing is deployed under is a NotFound. */
    readonly serve: (
      partition: Partition,
      alias: string,
      message: ServedMessage
    ) => Effect.Effect<ServedAnswer, CallError, Scope.Scope>
    /** What can be asked for as `svc:<alias>`, oldest first. */
    readonly deployed: (partition: Partition) => Effect.Effect<ReadonlyArray<Deployment>, StorageError>
  }
>()("@limbeck/gateway/deployment/Serving") {}
