/** Sources as calls find them: from recent knowledge, by name, by id, or the default one. */
import * as Recent from "@limbeck/core/cache/Recent"
import type { StorageError } from "@limbeck/core/errors/Errors"
import type { Partition } from "@limbeck/core/partition/Partition"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Source from "../Source.ts"

type SourceLookup = Option.Option<Source.Source>

/** The default source has the partition's own key, which no requested name can equal, not even an empty one. */
const keyOf = (partition: Partition, nameOrId: string | null) =>
  nameOrId === null ? partition.key : `${partition.key} ${nameOrId}`

const isOf = (known: SourceLookup, id: string): boolean => Option.isSome(known) && known.value.id === id

const encodeSource = Schema.encodeSync(Source.Source)
const decodeSource = Schema.decodeUnknownOption(Source.Source)

export const make = Effect.gen(function* () {
  const recent = yield* Recent.make<SourceLookup>(Source.bell, {
    name: "sources",
    encode: Option.match({ onNone: () => null, onSome: encodeSource }),
    decode: (json) => Option.map(decodeSource(json), Option.some)
  })

  const recall = (
    partition: Partition,
    nameOrId: string | null,
    lookup: Effect.Effect<SourceLookup, StorageError>
  ): Effect.Effect<SourceLookup, StorageError> => recent.get(keyOf(partition, nameOrId), lookup)

  /** After the commit: this process's calls use the new source at once, even while storage is away. */
  const learn = (partition: Partition, source: Source.Source, isDefault: boolean | undefined) => {
    const named = [keyOf(partition, source.id), keyOf(partition, source.name)]
    const ofDefault = keyOf(partition, null)
    recent.revise((known, key) => {
      if (named.includes(key) || (key === ofDefault && isDefault === true)) return Option.some(source)
      if (!isOf(known, source.id)) return known
      return key === ofDefault && isDefault !== false ? Option.some(source) : undefined
    })
  }

  const forget = (id: string) => recent.revise((known) => (isOf(known, id) ? undefined : known))

  return { recall, learn, forget }
})
