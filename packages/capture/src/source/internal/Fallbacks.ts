/** The fallbacks that a request gives a source: sources of the same dialect, none of which leads back to it (contract 16.8). */
import {
  type InvalidInput,
  invalid,
  type ReferenceUnknown,
  referenceUnknown,
  type StorageError
} from "@limbeck/core/errors/Errors"
import type { Partition } from "@limbeck/core/partition/Partition"
import type { StoredResource } from "@limbeck/core/resources/Kind"
import type { ResourceStore } from "@limbeck/core/resources/ResourceStore"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Source from "../Source.ts"

type Refused = InvalidInput | ReferenceUnknown | StorageError

interface ReadFallbacks {
  readonly fallbacks: Source.Source["fallbacks"]
  /** The sources to which new fallbacks lead, at the revisions read. The write of the fallbacks locks these revisions. */
  readonly chain: ReadonlyArray<StoredResource<Source.Source>>
}

export interface Fallbacks {
  /** What the patch names, else what the source has. `before` has the dialect that the source will have. */
  readonly read: (
    partition: Partition,
    before: Source.Source,
    patch: Source.SourcePatch
  ) => Effect.Effect<ReadFallbacks, Refused>
}

const paramOf = (index: number) => `fallbacks[${index}].source`

export const make = (resources: ResourceStore["Service"]): Fallbacks => {
  const found = (partition: Partition, nameOrId: string) =>
    Source.isId(nameOrId)
      ? resources.find(partition, Source.kind, nameOrId)
      : resources.findUnique(partition, Source.kind, nameOrId)

  /** A source, its fallbacks, and theirs, each once. */
  const chainOf = Effect.fnUntraced(function* (partition: Partition, first: StoredResource<Source.Source>) {
    const chain = new Map<string, StoredResource<Source.Source>>()
    const open = [first]
    for (let stored = open.pop(); stored !== undefined; stored = open.pop()) {
      const { fallbacks, id } = stored.value
      if (chain.has(id)) continue
      chain.set(id, stored)
      const ids = fallbacks.map(({ source }) => source)
      open.push(...(yield* resources.findMany(partition, Source.kind, ids)))
    }
    return chain
  })

  const readOne = Effect.fnUntraced(function* (
    partition: Partition,
    { dialect, id }: Source.Source,
    { model, source: nameOrId }: Source.GivenFallback,
    index: number
  ) {
    const param = paramOf(index)
    const stored = Option.getOrUndefined(yield* found(partition, nameOrId))
    if (stored === undefined) return yield* referenceUnknown("source", nameOrId, param)
    const source = stored.value
    if (source.dialect !== dialect) {
      return yield* invalid(
        param,
        `${source.name} speaks ${source.dialect}; a fallback speaks ${dialect} as its source does`
      )
    }
    const chain = yield* chainOf(partition, stored)
    if (chain.has(id)) return yield* invalid(param, `${source.name} is the source itself, or has it as a fallback`)
    return { chain, fallback: { source: source.id, ...(model === undefined ? {} : { model }) } }
  })

  /** A source that others name keeps the dialect of these. */
  const checkNamed = Effect.fnUntraced(function* (partition: Partition, { dialect, id }: Source.Source) {
    const named = yield* resources.findByLabels(partition, Source.kind, [Source.fallbackLabel({ source: id })])
    const other = named.find((source) => source.dialect !== dialect)
    if (other !== undefined) {
      return yield* invalid("dialect", `${other.name} has this source as a fallback, and speaks ${other.dialect}`)
    }
  })

  return {
    read: Effect.fnUntraced(function* (partition, before, patch) {
      if (patch.dialect !== undefined) yield* checkNamed(partition, before)
      if (patch.fallbacks === undefined && patch.dialect === undefined)
        return { fallbacks: before.fallbacks, chain: [] }
      const given = patch.fallbacks ?? before.fallbacks
      const read = yield* Effect.forEach(given, (fallback, index) => readOne(partition, before, fallback, index))
      const chain = new Map(read.flatMap((one) => [...one.chain]))
      return { fallbacks: read.map(({ fallback }) => fallback), chain: [...chain.values()] }
    })
  }
}
