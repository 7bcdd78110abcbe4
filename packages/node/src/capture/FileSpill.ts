/**
 * Overflow of streamed answers, in files of a local folder. A file is unlinked at once: no other process opens it, and its
 * space is free when it is closed or its process ends in any way.
 */
import { randomUUID } from "node:crypto"
import * as fs from "node:fs/promises"
import * as path from "node:path"
import { Spill, SpillFailed, type SpillFile } from "@limbeck/capture/tape/Spill"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { makeFolder } from "../folders/MakeFolder.ts"

const attempt = <A>(run: () => Promise<A>): Effect.Effect<A, SpillFailed> =>
  Effect.tryPromise({ try: run, catch: (cause) => new SpillFailed({ cause }) })

const nameless = async (directory: string): Promise<fs.FileHandle> => {
  await makeFolder(directory)
  const file = path.join(directory, `.spill-${randomUUID()}`)
  const handle = await fs.open(file, "wx+", 0o600)
  await fs.unlink(file)
  return handle
}

const spillFile = (handle: fs.FileHandle): SpillFile => {
  let size = 0
  return {
    append: (chunks) =>
      attempt(async () => {
        const length = chunks.reduce((sum, chunk) => sum + chunk.length, 0)
        const { bytesWritten } = await handle.writev([...chunks], size)
        if (bytesWritten < length) throw new Error("short write")
        size += length
      }),
    read: attempt(async () => {
      const bytes = Buffer.allocUnsafeSlow(size)
      const { bytesRead } = await handle.read(bytes, 0, size, 0)
      if (bytesRead < size) throw new Error("short read")
      return bytes
    }),
    close: Effect.ignore(attempt(() => handle.close()))
  }
}

/** `directory` is made if it is missing; that of the journal will do. */
export const layer = ({ directory }: { readonly directory: string }): Layer.Layer<never> =>
  Layer.succeed(Spill, {
    open: Effect.map(
      attempt(() => nameless(directory)),
      spillFile
    )
  })
