/** Removes leftovers of dead processes in a folder of blobs, and parts that no upload resumes. */
import path from "node:path"
import { Limits } from "@limbeck/core/Limits"
import { Contents } from "./Contents.ts"
import * as Files from "./Files.ts"

/** A draft is a folder of files: each write shows on its own file. */
const lastWrite = async (name: string): Promise<number> => {
  const files = await Files.namesIn(name).catch(() => [])
  const times = await Promise.all([name, ...files.map((file) => path.join(name, file))].map(Files.writeTimeOf))
  return Math.max(...times.map((time) => time ?? 0))
}

/** Answers how many drafts and parts went. */
export const sweep = async (directory: string, now: number): Promise<number> => {
  const contents = new Contents(directory)
  let removed = 0
  for (const partition of await contents.partitions()) {
    for (const kind of ["parts", "drafts"]) {
      const folder = contents.folder(partition, kind)
      for (const name of await Files.namesIn(folder)) {
        const file = path.join(folder, name)
        if ((await lastWrite(file)) >= now - Limits.partQuietMillis) continue
        await Files.remove(file)
        removed++
      }
    }
  }
  return removed
}
