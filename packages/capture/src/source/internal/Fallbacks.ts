/** The fallbacks that a request gives a source: sources of the same dialect, none of which leads back to it (contract 16.8). */
import {
  type InvalidInput,
  invalid,
  type ReferenceUnknown,
  referenceUnknown,
  type StorageError
} from "@limbeck/core/errors/Errors"
import type { Partition } from "@limbeck/core/partition/Partition"
import type { ResourceStore } from "@limbeck/core/resources/ResourceStore"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Source from "../Source.ts"

type Refused = InvalidInput | ReferenceUnknown | StorageError

export interface Fallbacks {
  /** What the patch names, else what the source has. `before` has the dialect that the source will have. */
  readonly read: (
    partition: Partition,
    before: Source.Source,
    patch: Source.SourcePatch
  ) => Effect.Effect<Source.Source["fallbacks"], Refused>
}

const paramOf = (index: number) => `fallbacks[${index}].source`

export const make = (resources: ResourceStore["Service"]): Fallbacks => {
  const found = (partition: Partition, nameOrId: string) =>
    Effect.map(
      Source.isId(nameOrId)
        ? resources.find(partition, Source.kind, nameOrId)
        : resources.findUnique(partition, Source.kind, nameOrId),
      Option.map(({ value }) => value)
    )

  /** Whether the fallbacks of a source, and theirs, lead to `id`. */
  const leadsTo = Effect.fnUntraced(function* (partition: Partition, first: Source.Source, id: string) {
    const seen = new Set<string>()
    const open = [first]
    for (let source = open.pop(); source !== undefined; source = open.pop()) {
      if (source.id === id) return true
      if (seen.has(source.id)) continue
      seen.add(source.id)
      const next = yield* resources.findMany(
        partition,
        Source.kind,
        source.fallbacks.map((fallback) => fallback.source)
      )
      open.push(...next.map(({ value }) => value))
    }
    return false
  })

  const readOne = Effect.fnUntraced(function* (
    partition: Partition,
    { dialect, id }: Source.Source,
    { model, source: nameOrId }: Source.GivenFallback,
    index: number
  ) {
    const param = paramOf(index)
    const source = Option.getOrUndefined(yield* found(partition, nameOrId))
    if (source === undefined) return yield* referenceUnknown("source", nameOrId, param)
    if (source.dialect !== dialect) {
      return yield* invalid(
        param,
        `${source.name} speaks ${source.dialect}; a fallback speaks ${dialect} as its source does`
      )
    }
    if (yield* leadsTo(partition, source, id)) {
      return yield* invalid(param, `${source.name} is the source itself, or has it as a fallback`)
    }
    return { source: source.id, ...(model === undefined ? {} : { model }) }
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
      if (patch.fallbacks === undefined && patch.dialect === undefined) return before.fallbacks
      const given = patch.fallbacks ?? before.fallbacks
      return yield* Effect.forEach(given, (fallback, index) => readOne(partition, before, fallback, index))
    })
  }
}
