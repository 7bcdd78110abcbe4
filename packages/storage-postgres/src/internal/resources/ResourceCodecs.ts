/** How resources of a kind are read from rows and written to them. */
import { BoundedCache } from "@limbeck/core/cache/BoundedCache"
import { compileOnUse } from "@limbeck/core/json/CompiledSchema"
import type { Kind, Resource, StoredResource } from "@limbeck/core/resources/Kind"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { decodeOnce } from "../connection/DecodeOnce.ts"

interface Codecs<A> {
  readonly encode: (value: A) => Effect.Effect<unknown, Schema.SchemaError>
  /** Decodes rows with the columns `text`, the document, and `revision`. Equal documents may share one object. */
  readonly decode: (rows: ReadonlyArray<unknown>) => Effect.Effect<ReadonlyArray<StoredResource<A>>, Schema.SchemaError>
}

const codecsByKind = new WeakMap<object, unknown>()

const rowsOf = Schema.decodeUnknownEffect(
  compileOnUse(Schema.Array(Schema.Struct({ text: Schema.String, revision: Schema.Int })))
)

/** Caches decoded documents: most reads repeat, and decoding takes longer than a look-up. */
const decoding = <A extends Resource>(kind: Kind<A>): Codecs<A>["decode"] => {
  const known = new BoundedCache<string, A>()
  const decodeText = Schema.decodeUnknownEffect(compileOnUse(Schema.fromJsonString(kind.schema)))
  const valueOf = (text: string) => {
    const value = known.find(text)
    if (value !== undefined) return Effect.succeed(value)
    return Effect.mapEager(decodeText(text), (decoded) => {
      known.keep(text, decoded, text.length)
      return decoded
    })
  }
  return decodeOnce(
    Effect.fnUntraced(function* (rows) {
      const stored: Array<StoredResource<A>> = []
      for (const { revision, text } of yield* rowsOf(rows)) stored.push({ value: yield* valueOf(text), revision })
      return stored
    })
  )
}

/** A kind's codecs, compiled once. */
export const codecs = <A extends Resource>(kind: Kind<A>): Codecs<A> => {
  const known = codecsByKind.get(kind)
  // Only this function fills the map, and it stores a kind's codecs under the kind.
  if (known !== undefined) return known as Codecs<A>
  const made: Codecs<A> = { encode: Schema.encodeEffect(compileOnUse(kind.schema)), decode: decoding(kind) }
  codecsByKind.set(kind, made)
  return made
}
