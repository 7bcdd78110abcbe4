/** How resources of a kind are read from rows and written to them. */
import type { Kind, Resource, Stored } from "@limbeck/core/resources/Kind"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

interface Codecs<A> {
  readonly encode: (value: A) => Effect.Effect<unknown, Schema.SchemaError>
  readonly decode: (rows: unknown) => Effect.Effect<ReadonlyArray<Stored<A>>, Schema.SchemaError>
}

const codecsByKind = new WeakMap<object, unknown>()

/** A kind's codecs, compiled once. */
export const codecs = <A extends Resource>(kind: Kind<A>): Codecs<A> => {
  const known = codecsByKind.get(kind)
  // Only this function fills the map, and it stores a kind's codecs under the kind.
  if (known !== undefined) return known as Codecs<A>
  const made: Codecs<A> = {
    encode: Schema.encodeEffect(kind.schema),
    decode: Schema.decodeUnknownEffect(Schema.Array(Schema.Struct({ value: kind.schema, revision: Schema.Int })))
  }
  codecsByKind.set(kind, made)
  return made
}
