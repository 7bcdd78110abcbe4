/** Data folders of servers with an embedded database. A test run makes one by a server's first start, and copies it for each test. */
import { execFile } from "node:child_process"
import { randomUUID } from "node:crypto"
import * as fs from "node:fs"
import * as path from "node:path"
import { promisify } from "node:util"
import type { AtEnd } from "@limbeck/testing/AtEnd"
import { temporaryFolder } from "@limbeck/testing/Folders"
import * as Programs from "../../workshop/programs/Programs.ts"
import { quiet, Server } from "./Server.ts"

/** Starts a server on this folder, and stops it. */
const use = async (DATA_DIR: string) => {
  const undone: Array<() => Promise<void> | void> = []
  const server = new Server((undo) => void undone.push(undo), { ...quiet, STORAGE: "embedded", DATA_DIR })
  try {
    await (await server.start()).stop()
  } finally {
    for (const undo of undone) await undo()
  }
}

/** The folder to copy, made by the first test of the run that needs it. */
const original = async (all: string): Promise<string> => {
  const folder = path.join(all, "embedded")
  if (fs.existsSync(folder)) return folder
  const own = `${folder}.${randomUUID()}`
  fs.mkdirSync(own)
  await use(own)
  // Another worker may have been first: its folder is equivalent.
  if (!fs.existsSync(folder)) fs.renameSync(own, folder)
  return folder
}

let made: Promise<string> | undefined

/** A folder on which a server with the tokens of `quiet` was started and stopped: the next start makes no database. */
export const usedFolder = async (atEnd: AtEnd): Promise<string> => {
  const folder = await temporaryFolder(atEnd)
  const all = process.env[Programs.folderVariable]
  if (all === undefined) return folder
  made ??= original(all)
  // With owners and modes, which Postgres insists on.
  await promisify(execFile)("cp", ["-a", `${await made}/.`, folder])
  return folder
}

/** A server with an embedded database in a folder of its own, not started yet. */
export const embedded = async (atEnd: AtEnd): Promise<Server> =>
  new Server(atEnd, { ...quiet, STORAGE: "embedded", DATA_DIR: await usedFolder(atEnd) })
