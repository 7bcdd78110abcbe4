/** A kind of low-volume resource in the generic store: its schema, and its indexes. */
import type * as Schema from "effect/Schema"

export interface Resource {
  readonly id: string
  readonly createdAt: number
}

export interface Kind<A extends Resource> {
  /** Names the kind in storage; never changed once written. */
  readonly name: string
  /** The noun in messages: `dataset version`. */
  readonly noun: string
  /** Its encoded form is JSON. */
  readonly schema: Schema.Codec<A, unknown>
  /** What `page` filters by and `findByLabels` looks up: `status:ready`. Computed at every write. */
  readonly labels: (value: A) => ReadonlyArray<string>
  /** A unique key of the kind per partition; null: none. */
  readonly unique: (value: A) => string | null
  /** Partitions have so few that a label search may read all of them. */
  readonly isFew: boolean
}

export const make = <A extends Resource>(options: {
  readonly name: string
  /** By default the name, with spaces. */
  readonly noun?: string
  readonly schema: Schema.Codec<A, unknown>
  readonly labels?: (value: A) => ReadonlyArray<string>
  readonly unique?: (value: A) => string | null
  readonly isFew?: boolean
}): Kind<A> => ({
  noun: options.name.replaceAll("_", " "),
  labels: () => [],
  unique: () => null,
  isFew: false,
  ...options
})

/** A resource as stored; `revision` counts its writes from 0. */
export interface StoredResource<A> {
  readonly value: A
  readonly revision: number
}
