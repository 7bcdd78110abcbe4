/** A storage that keeps new contents in a folder, and still reads earlier contents in place. */
import { Blobs } from "@limbeck/core/blobs/Blobs"
import type { StorageError } from "@limbeck/core/errors/Errors"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as FolderBlobs from "./internal/FolderBlobs.ts"

/** All that is written goes to `newer`. */
const over = (newer: Blobs["Service"], older: Blobs["Service"]): Blobs["Service"] =>
  Blobs.of({
    ...newer,
    get: (partition, sha256) =>
      Stream.unwrap(
        Effect.map(newer.exists(partition, sha256), (exists) => (exists ? newer : older).get(partition, sha256))
      ),
    exists: (partition, sha256) =>
      Effect.flatMap(newer.exists(partition, sha256), (exists) =>
        exists ? Effect.succeed(true) : older.exists(partition, sha256)
      ),
    quiet: (before) => Stream.concat(newer.quiet(before), older.quiet(before)),
    removeIfQuiet: Effect.fnUntraced(function* (partition, sha256, before) {
      const wasNew = yield* newer.removeIfQuiet(partition, sha256, before)
      return (yield* older.removeIfQuiet(partition, sha256, before)) || wasNew
    })
  })

/** The same storage, with its blobs in a folder. Servers that share the storage share the folder too. */
export const inFolder = <Ports>(
  storage: Layer.Layer<Ports | Blobs, StorageError>,
  directory: string
): Layer.Layer<Ports | Blobs, StorageError> =>
  Layer.effectContext(
    Effect.gen(function* () {
      const ports = yield* Layer.build(storage)
      const newer = Context.get(yield* Layer.build(FolderBlobs.layer(directory)), Blobs)
      return Context.add(ports, Blobs, over(newer, Context.get(ports, Blobs)))
    })
  )
