/** A call on its way to what is deployed under an alias. */
import type { CallEndpoint } from "@limbeck/capture/call/CapturedCall"
import type { ConversationEndpoint } from "@limbeck/capture/dialect/CallConversation"
import type { ModelRequest } from "@limbeck/capture/source/Forward"
import type { Partition } from "@limbeck/core/partition/Partition"
import type * as Schema from "effect/Schema"
import type { Deployment } from "../../deployment/Deployment.ts"
import * as Traffic from "./Traffic.ts"

/** A call of an alias at any endpoint. */
export interface EndpointRequest extends ModelRequest {
  /** Id of the captured call. */
  readonly call: string
  readonly endpoint: CallEndpoint
  /** The parsed body; absent before parsing. */
  readonly parsed?: Schema.JsonObject | undefined
  /** What keeps a conversation on one side of the traffic. */
  readonly externalId: string | null
  readonly tags: ReadonlyArray<string>
  /** False: nothing is kept of it but its charge, so a student in shadow gets no copy. */
  readonly isRecorded: boolean
}

export interface AliasRequest extends EndpointRequest {
  readonly endpoint: ConversationEndpoint
}

/** A request for decisions. */
export interface DecisionCall {
  readonly partition: Partition
  readonly deployment: Deployment
  readonly request: EndpointRequest
}

export interface DeploymentCall extends DecisionCall {
  readonly partition: Partition
  readonly deployment: Deployment
  readonly request: AliasRequest
}

/** Whether the call belongs to the student's share of the traffic. */
export const isStudents = ({ deployment, request }: DecisionCall): boolean =>
  Traffic.isStudents(deployment.alias, request.externalId ?? request.call, deployment.trafficPercent)
