/** Node's cache of compiled modules, in a folder of this user: from the second start on, V8 compiles few modules anew. */
import * as fs from "node:fs"
import { constants, enableCompileCache } from "node:module"
import * as os from "node:os"
import * as path from "node:path"
import type { Environment } from "./serve/Environment.ts"

/** Reads the variable itself: the table of settings is not loaded yet. */
const isOff = ({ COMPILE_CACHE = "" }: Environment): boolean => COMPILE_CACHE.trim() === "off"

/** By the XDG Base Directory Specification, which ignores a relative path. */
const cachesOf = ({ HOME = "", XDG_CACHE_HOME = "" }: Environment): string =>
  path.isAbsolute(XDG_CACHE_HOME)
    ? XDG_CACHE_HOME
    : path.join(path.isAbsolute(HOME) ? HOME : os.userInfo().homedir, ".cache")

const root = 0

/** Node executes code from the folder: no other user may write it, or replace it by another. */
const isOwn = (folder: string, uid: number): boolean => {
  const [own, parent] = [fs.lstatSync(folder), fs.statSync(path.dirname(folder))]
  const isPrivate = own.isDirectory() && own.uid === uid && (own.mode & 0o077) === 0
  return isPrivate && (parent.uid === uid || parent.uid === root)
}

/**
 * The folder of the cache, created with mode 0700 if missing; undefined without a writable folder that belongs to this user alone.
 * `uid`: the user; undefined on Windows, where modes do not show who may write.
 */
export const folderOf = (environment: Environment, uid: number | undefined): string | undefined => {
  if (uid === undefined || isOff(environment)) return undefined
  try {
    const folder = path.join(cachesOf(environment), "limbeck")
    fs.mkdirSync(folder, { recursive: true, mode: 0o700 })
    return isOwn(folder, uid) ? folder : undefined
  } catch {
    // No home, or one that cannot be written.
    return undefined
  }
}

/**
 * Modules loaded after this call are cached, also those of threads and child processes of the program. Does nothing where Node has
 * a cache of the operator's, by `NODE_COMPILE_CACHE`, or may have none, by `NODE_DISABLE_COMPILE_CACHE`.
 */
export const enable = (environment: Environment): void => {
  const { NODE_COMPILE_CACHE = "", NODE_DISABLE_COMPILE_CACHE = "" } = environment
  if (NODE_COMPILE_CACHE !== "" || NODE_DISABLE_COMPILE_CACHE !== "") return
  const folder = folderOf(environment, process.geteuid?.())
  if (folder === undefined) return
  const { status } = enableCompileCache(folder)
  if (status === constants.compileCacheStatus.ENABLED) process.env["NODE_COMPILE_CACHE"] = folder
}
