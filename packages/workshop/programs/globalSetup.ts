/** Runs once before all tests: makes a folder for bundled programs and for Node's compile cache, with which a program starts in a third of the time. */
import * as path from "node:path"
import type { AtEnd } from "@limbeck/testing/AtEnd"
import { temporaryFolder } from "@limbeck/testing/Folders"
import { folderVariable } from "./Programs.ts"

const setup = async () => {
  const cleanups: Array<Parameters<AtEnd>[0]> = []
  const folder = await temporaryFolder((cleanup) => void cleanups.push(cleanup))
  process.env[folderVariable] = folder
  process.env["NODE_COMPILE_CACHE"] ??= path.join(folder, "compiled")
  return async () => {
    for (const cleanup of cleanups) await cleanup()
  }
}

export default setup
