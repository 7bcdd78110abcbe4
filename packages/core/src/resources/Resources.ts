/** Look-ups of resources that must exist, for most services. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { type NotFound, notFound, type StorageError } from "../errors/Errors.ts"
import type { Partition } from "../partition/Partition.ts"
import type { Kind, Resource, StoredResource } from "./Kind.ts"
import type { ResourceStore } from "./ResourceStore.ts"

type Store = ResourceStore["Service"]

/** The resource with its revision. `field`: the request field with the id, if the id is not in the path. */
export const require = <A extends Resource>(
  resources: Store,
  partition: Partition,
  kind: Kind<A>,
  id: string,
  field?: string
): Effect.Effect<StoredResource<A>, NotFound | StorageError> =>
  Effect.flatMap(resources.find(partition, kind, id), (found) =>
    Option.isSome(found) ? Effect.succeed(found.value) : notFound(kind.noun, id, field)
  )

/** As `require`, without the revision. */
export const requireValue = <A extends Resource>(
  resources: Store,
  partition: Partition,
  kind: Kind<A>,
  id: string,
  field?: string
): Effect.Effect<A, NotFound | StorageError> =>
  Effect.map(require(resources, partition, kind, id, field), ({ value }) => value)
