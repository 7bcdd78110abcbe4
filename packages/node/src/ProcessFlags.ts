/**
 * The flags of a server process, in one place: with them Node collects garbage early, and the C library gives memory back. A host
 * starts its own process with them; `limbeck serve` does it by `relaunch`, however it was started.
 */

/** Flags of Node. */
export const nodeFlags: ReadonlyArray<string> = ["--max-semi-space-size=8"]

/** Variables of glibc, which reads them before the program runs. Other C libraries ignore them. */
export const allocatorVariables: Readonly<Record<string, string>> = {
  MALLOC_ARENA_MAX: "1",
  MALLOC_MMAP_THRESHOLD_: "60000"
}

/** V8 reads `_` as `-` in the name of a flag. */
const nameOf = (flag: string): string => flag.split("=")[0]?.replaceAll("_", "-") ?? ""

interface Process {
  readonly arguments: ReadonlyArray<string>
  readonly variables: Readonly<Record<string, string | undefined>>
}

/** What a process lacks. A flag or a variable that the operator set to another value is not missing. */
export const missing = ({ arguments: given, variables }: Process) => {
  const names = [...given, ...(variables["NODE_OPTIONS"] ?? "").split(/\s+/)].map(nameOf)
  return {
    flags: nodeFlags.filter((flag) => !names.includes(nameOf(flag))),
    variables: Object.fromEntries(Object.entries(allocatorVariables).filter(([name]) => variables[name] === undefined))
  }
}

/**
 * Replaces this process by one with the flags, under the same process id; returns where it has them. To be called before anything
 * else: what is open is closed. Returns too on Windows, which cannot replace a process, and in a child with a channel to its parent,
 * which would lose the channel: the parent's flags are inherited.
 */
export const relaunch = (): void => {
  if (process.platform === "win32" || process.send !== undefined) return
  const { flags, variables } = missing({ arguments: process.execArgv, variables: process.env })
  if (flags.length === 0 && Object.keys(variables).length === 0) return
  const words = [process.execPath, ...flags, ...process.execArgv, ...process.argv.slice(1)]
  process.execve?.(process.execPath, words, { ...process.env, ...variables })
}
