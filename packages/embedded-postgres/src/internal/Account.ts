/** Which account the server runs under: our own, or, because Postgres refuses root, the directory's owner or `nobody`. */
import { execFile } from "node:child_process"
import * as fs from "node:fs/promises"
import * as path from "node:path"
import { promisify } from "node:util"
import * as Effect from "effect/Effect"
import { programFailure } from "../Errors.ts"

/** `undefined`: our own. */
export type Account = { readonly uid: number; readonly gid: number } | undefined

const nobody = Effect.tryPromise({
  try: async () => {
    const ask = async (flag: string) => Number((await promisify(execFile)("id", [flag, "nobody"])).stdout)
    return { uid: await ask("-u"), gid: await ask("-g") }
  },
  catch: (cause) => programFailure("id", String(cause))
})

/** A directory that exists already keeps its owner. */
export const choose = Effect.fn("Account.choose")(function* (data: string | undefined) {
  if (process.getuid?.() !== 0) return undefined
  const owner = data === undefined ? undefined : yield* Effect.promise(() => fs.stat(data).catch(() => undefined))
  return owner === undefined || owner.uid === 0 ? yield* nobody : { uid: owner.uid, gid: owner.gid }
})

/** Whether another account may enter `directory`: a home folder of mode 0700 on the way forbids it. */
export const reachable = async (account: Account, directory: string): Promise<boolean> => {
  if (account === undefined) return true
  for (let at = await fs.realpath(directory); ; at = path.dirname(at)) {
    const { mode, uid } = await fs.stat(at)
    if ((mode & 0o001) === 0 && !(uid === account.uid && (mode & 0o100) !== 0)) return false
    if (at === path.dirname(at)) return true
  }
}

export const give = async (account: Account, file: string): Promise<void> => {
  if (account !== undefined) await fs.chown(file, account.uid, account.gid)
}
