/** The library for a host without Effect: make, mount, publish, close. */
import type { TopUp } from "@limbeck/billing/ledger/Ledger"
import type { renderBalance, renderEntry } from "@limbeck/billing/ledger/LedgerResource"
import type * as SourceResource from "@limbeck/capture/source/SourceResource"
import type { EventType } from "@limbeck/core/events/Event"
import * as Server from "@limbeck/server/Server"
import * as Host from "@limbeck/webhooks-host/Host"
import * as DecisionModel from "effect/ai/DecisionModel"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Assembly from "./Assembly.ts"
import * as Billing from "./Billing.ts"
import * as Decisions from "./Decisions.ts"
import * as People from "./People.ts"
import * as Sources from "./Sources.ts"

/** What `make` takes: the options of the assembly, and the tokens of the first start. */
export interface LimbeckOptions extends Assembly.AssemblyOptions, Host.HostOptions {}

/** A running library, with the host's own event `Types`: mount `node` or `fetch`, publish events, and close it at the end. */
export interface Limbeck<Types extends EventType = EventType> extends Host.Host<Types> {
  /** Of live mode: test mode is never charged. `workspace`: an id, such as that of `limbeck.workspace`. */
  readonly billing: {
    /**
     * Adds to the balance. The same `reference` again changes nothing and returns the same entry. Rejects with `InvalidInput`
     * for an amount or a reference that cannot be, `TopUpReused` when the reference was used with another amount, and
     * `NotFound` for an unknown workspace.
     *
     * @example
     * await limbeck.billing.topUp(limbeck.workspace, { amountUsd: 50, reference: "invoice 2026-117" })
     */
    readonly topUp: (workspace: string, topUp: TopUp) => Promise<ReturnType<typeof renderEntry>>
    readonly balance: (workspace: string) => Promise<ReturnType<typeof renderBalance>>
  }
  /** Of any workspace; `workspace`: an id, such as that of `limbeck.workspace`. */
  readonly sources: {
    /**
     * Replaces the models of a source, with their prices, which a managed source's tenant may not set. Rejects with
     * `InvalidInput` for invalid models or prices, and with `NotFound` for an unknown workspace or source.
     *
     * @example
     * await limbeck.sources.setModels(customer, {
     *   source: "openai",
     *   models: [{ id: "gpt-5", input_per_million: 1.25, output_per_million: 10, max_output_tokens: 128_000 }]
     * })
     */
    readonly setModels: (
      workspace: string,
      models: Sources.ModelsOfSource
    ) => Promise<ReturnType<typeof SourceResource.render>>
  }
  /** Of deployments and students in this process, without HTTP. */
  readonly decisions: {
    /**
     * Asks the questions of a request in either dialect. Rejects with `DecisionsRejected`, which has the `status` and the `body` of an
     * upstream's refusal, with `InvalidInput` for a request that nobody can answer, and with `NotFound` for an unknown deployment.
     *
     * @example
     * const { response, servedBy } = await limbeck.decisions.ask({
     *   model: "svc:triage",
     *   input: "My card was charged twice.",
     *   questions: [{ type: "predicate", name: "angry", instructions: "The customer is angry." }]
     * })
     */
    readonly ask: (request: Decisions.Request, options?: Decisions.RequestOptions) => Promise<Decisions.Answer>
    /** `DecisionModel` of `effect/ai`, for programs with Effect. `workspace`: `default` when absent. */
    readonly layer: (
      options: (Decisions.DeploymentOptions | Decisions.StudentOptions) & Partial<Decisions.InWorkspace>
    ) => Layer.Layer<DecisionModel.DecisionModel>
  }
  /** People who may sign in to pages of this server, and their roles. */
  readonly people: People.People
}

/**
 * Starts services and workers in this process, and migrates the storage if it has to. Rejects, and leaves nothing running, with
 * `InvalidSetting` or `InvalidEventType`, which name what cannot be, or with `StorageError` when storage does not answer.
 */
export const make = async <const Types extends EventType = EventType>(
  options: LimbeckOptions & { readonly eventTypes?: ReadonlyArray<Types> }
): Promise<Limbeck<Types>> => {
  const { host, perform } = await Host.open(Assembly.layer(options), Server.make, options)
  return {
    ...host,
    billing: {
      topUp: (workspace, topUp) => perform(Billing.topUp(workspace, topUp)),
      balance: (workspace) => perform(Billing.balance(workspace))
    },
    decisions: {
      ask: (request, options = {}) => perform(Decisions.ask(options.workspace ?? host.workspace, request, options)),
      layer: (options) => {
        const model = Decisions.model({ workspace: host.workspace, ...options })
        return Layer.effect(
          DecisionModel.DecisionModel,
          Effect.promise(() => perform(model))
        )
      }
    },
    sources: { setModels: (workspace, models) => perform(Sources.setModels(workspace, models)) },
    people: People.make(perform)
  }
}
