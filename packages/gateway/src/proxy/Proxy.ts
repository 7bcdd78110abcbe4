/** A client's call: to a source, or to what is deployed under an alias. */
import { notFound } from "@limbeck/core/errors/Errors"
import type { Partition } from "@limbeck/core/partition/Partition"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { Catalog, type CatalogModel } from "../source/Catalog.ts"
import type { UpstreamAnswer } from "../upstream/Upstream.ts"
import { type CallError, Forward, type Message } from "./Forward.ts"

export interface Call extends Omit<Message, "model"> {
  /** By name or id; null: the default one. */
  readonly source: string | null
  /** The name of the header that says so, for who must mend it. */
  readonly sourceHeader: string
}

export class Proxy extends Context.Service<
  Proxy,
  {
    /** The upstream's answer, as soon as its head is there; closing the scope breaks it off. Nothing is sent twice. */
    readonly send: (partition: Partition, call: Call) => Effect.Effect<UpstreamAnswer, CallError, Scope.Scope>
    /** The models of the source when it is managed, else null: its upstream is to be asked. */
    readonly catalogOf: (
      partition: Partition,
      call: Pick<Call, "source" | "sourceHeader">
    ) => Effect.Effect<ReadonlyArray<CatalogModel> | null, CallError>
  }
>()("@limbeck/gateway/proxy/Proxy") {}

const decoder = new TextDecoder()

/** The model that a body names, if it is JSON and does; what else it may be is the upstream's business. */
const modelOf = (body: Uint8Array | null): string | null => {
  if (body === null) return null
  try {
    const { model } = Object(JSON.parse(decoder.decode(body)))
    return typeof model === "string" ? model : null
  } catch {
    return null
  }
}

const alias = "svc:"

const make = Effect.gen(function* () {
  const forward = yield* Forward
  const catalog = yield* Catalog

  return Proxy.of({
    send: Effect.fnUntraced(function* (partition, call) {
      const model = modelOf(call.body)
      if (model?.startsWith(alias)) return yield* notFound("deployment", model)
      const source = yield* forward.sourceOf(partition, call.source, call.sourceHeader)
      return yield* forward.send(partition, source, { ...call, model })
    }),
    catalogOf: Effect.fnUntraced(function* (partition, call) {
      const source = yield* forward.sourceOf(partition, call.source, call.sourceHeader)
      return source.kind === "managed" ? yield* catalog.modelsOf(partition, source) : null
    })
  })
})

export const layer: Layer.Layer<Proxy, never, Forward | Catalog> = Layer.effect(Proxy, make)
