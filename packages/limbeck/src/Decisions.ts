/**
 * Decisions in process: `DecisionModel` of `effect/ai` over a deployment or a student, for programs that assemble the library with
 * Effect. `Limbeck.make` has the same for other hosts, as `limbeck.decisions`.
 *
 * @example
 * const Model = Decisions.layer({ workspace, alias: "triage" }) // needs the services of `Assembly.layer`
 * const triage = DecisionModel.decide(TicketTriage, { input: "My card was charged twice" }).pipe(Effect.provide(Model))
 */
import { WorkspaceId } from "@limbeck/core/ids/Id"
import * as Partition from "@limbeck/core/partition/Partition"
import { Workspaces } from "@limbeck/core/workspaces/Workspaces"
import * as DecisionModels from "@limbeck/serving/decide/DecisionModels"
import { Decisions as Service } from "@limbeck/serving/decide/Decisions"
import * as DecisionModel from "effect/ai/DecisionModel"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"

/** Students answer in live mode only. `workspace`: an id. */
export interface InWorkspace {
  readonly workspace: string
}

/** A deployment by its alias, with its fallback and its guard; each call is captured. */
export type DeploymentOptions = DecisionModels.DeployedOptions

/** A builtin student by its id, deployed or not, with any other model as its fallback; nothing is captured. */
export type StudentOptions = DecisionModels.LoadedOptions

/** A request for decisions in either dialect. */
export interface Request {
  /** `svc:ALIAS`, or a model of a source. */
  readonly model: string
  /** A list in OpenAI's form (with `input`), a map in that of System One (with `state`). */
  readonly questions: ReadonlyArray<object> | object
  readonly [member: string]: unknown
}

export interface RequestOptions {
  /** An id; the workspace `default` when absent. */
  readonly workspace?: string
  /** The source for a `model` without `svc:`, by name or id; the default source when absent. */
  readonly source?: string
  readonly tags?: ReadonlyArray<string>
  readonly externalId?: string
}

export interface Answer {
  /** The id of the captured call. */
  readonly call: string
  readonly servedBy: string
  /** Who answered which questions, by their positions in the request; null for a model of a source. */
  readonly decisions: { readonly student: ReadonlyArray<number>; readonly upstream: ReadonlyArray<number> } | null
  /** The response in the dialect of the request: `answers`, `usage`, `model`. */
  readonly response: Schema.Json
}

const decodeWorkspace = Schema.decodeUnknownEffect(WorkspaceId)

const liveOf = Effect.fnUntraced(function* (workspace: string) {
  const { id } = yield* (yield* Workspaces).get(yield* decodeWorkspace(workspace))
  return Partition.make(id, true)
})

const jsonOf = Schema.decodeUnknownEffect(Schema.fromJsonString(Schema.Record(Schema.String, Schema.Json)))

/** Asks by the way of a call over HTTP, without HTTP. */
export const ask = Effect.fnUntraced(function* (
  workspace: string,
  request: Request,
  { workspace: _, ...options }: RequestOptions = {}
) {
  const partition = yield* liveOf(workspace)
  const body = yield* jsonOf(JSON.stringify(request))
  const { call, response, servedBy, split } = yield* (yield* Service).ask(partition, body, options)
  const answer: Answer = { call, servedBy, decisions: split, response }
  return answer
})

/** The model of a deployment or a student. */
export const model = Effect.fnUntraced(function* ({
  workspace,
  ...options
}: InWorkspace & (DeploymentOptions | StudentOptions)) {
  const partition = yield* liveOf(workspace)
  return yield* "alias" in options
    ? DecisionModels.ofDeployment(partition, options)
    : DecisionModels.ofStudent(partition, options)
})

/** The same as a layer. Fails with `NotFound` for an unknown workspace. */
export const layer = (options: InWorkspace & (DeploymentOptions | StudentOptions)) =>
  Layer.effect(DecisionModel.DecisionModel, model(options))
