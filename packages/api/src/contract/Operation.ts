/** What an endpoint is beside its shapes: who may call it, how it retries, where it stands in the workflow (contract 12). */
import type { Scope } from "@limbeck/core/tokens/Scope"
import type { HumanOnly } from "@limbeck/core/workspaces/RoleRules"
import * as Context from "effect/Context"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import { ErrorEnvelope } from "./ErrorTable.ts"

export interface OperationFacts {
  /** `public`: no credentials; `token`: any valid token, or a person who is signed in. */
  readonly access: Scope | "public" | "token"
  /** A capability in the URL is enough; without one, a token with the scope. */
  readonly capability: boolean
  readonly idempotency: "none" | "supported" | "required"
  /** The answer holds a secret: its stored copy is encrypted. */
  readonly secret: boolean
  /** It waits for the outside, so under a key it runs beside the transaction: see core's `IdempotentWrites.runOutside`. */
  readonly outsideTransaction: boolean
  /** An absent body counts as `{}` (contract 14.2). */
  readonly bodyOptional: boolean
  readonly workflowStage: string | null
  readonly prerequisites: ReadonlyArray<string>
  readonly terminalStates: ReadonlyArray<string>
  readonly recovery: string | null
  /** The operation for people that this is, refused to every token and allowed by role; null where tokens are allowed. */
  readonly humanOnly: HumanOnly | null
}

/** Every endpoint carries one. */
export class Operation extends Context.Service<Operation, OperationFacts>()("@limbeck/api/Operation") {}

/** Of an endpoint's annotations. That `operation` has put them there is not known to HttpApi's types. */
export const factsOf = (annotations: Context.Context<never>): OperationFacts =>
  Context.getUnsafe(annotations as Context.Context<Operation>, Operation)

const defaults: Omit<OperationFacts, "access"> = {
  capability: false,
  idempotency: "none",
  secret: false,
  outsideTransaction: false,
  bodyOptional: false,
  workflowStage: null,
  prerequisites: [],
  terminalStates: [],
  recovery: null,
  humanOnly: null
}

const extensions = (facts: OperationFacts) => ({
  ...(facts.access === "public" ? {} : { security: [{ bearerAuth: [] }, ...(facts.capability ? [{}] : [])] }),
  "x-service-idempotency-supported": facts.idempotency !== "none",
  "x-service-idempotency-required": facts.idempotency === "required",
  "x-service-scopes": facts.access === "public" || facts.access === "token" ? [] : [facts.access],
  "x-service-workflow-stage": facts.workflowStage,
  "x-service-prerequisites": facts.prerequisites,
  "x-service-terminal-states": facts.terminalStates,
  "x-service-recovery": facts.recovery,
  "x-service-human-only": facts.humanOnly !== null
})

const idempotencyHeader = (required: boolean) => ({
  name: "Idempotency-Key",
  in: "header",
  required,
  description: "Names one logical write for 24 hours: the same key and bytes replay the stored answer.",
  schema: { type: "string", minLength: 1, maxLength: 255, pattern: "^[\\x21-\\x7e]+$" }
})

/** The annotations of an endpoint: its operation id, a sentence, and its facts. */
export const operation = (
  identifier: string,
  summary: string,
  given: Pick<OperationFacts, "access"> & Partial<OperationFacts>
): Context.Context<Operation> => {
  const facts: OperationFacts = { ...defaults, ...given }
  const transform = (spec: Record<string, unknown>) => ({
    ...spec,
    ...(facts.bodyOptional ? { requestBody: { ...Object(spec["requestBody"]), required: false } } : {}),
    ...(facts.idempotency === "none"
      ? {}
      : {
          parameters: [
            ...((spec["parameters"] as ReadonlyArray<unknown> | undefined) ?? []),
            idempotencyHeader(facts.idempotency === "required")
          ]
        }),
    ...extensions(facts)
  })
  return Context.add(
    OpenApi.annotations({ identifier, summary, description: `${summary}.`, transform }),
    Operation,
    facts
  )
}

/** A sentence on a group of endpoints, in the document. */
export const about = (description: string) => OpenApi.annotations({ description })

export const at = (status: number) => ErrorEnvelope.pipe(HttpApiSchema.status(status))

/** The errors that any private endpoint may answer. */
const everywhere = [at(400), at(401), at(403), at(429), at(500), at(503)] as const

export const publicErrors = [at(400), at(500), at(503)] as const
export const readErrors = [...everywhere, at(404)] as const
/** Of reads that depend on how far work has come. */
export const stateErrors = [...readErrors, at(409)] as const
export const writeErrors = [...everywhere, at(404), at(408), at(409), at(413), at(415)] as const
export const goneErrors = [...writeErrors, at(410)] as const
