/** Which Node the program needs. Imports nothing: an older Node has to read it. */

/** As `engines` of package.json has it. */
const needed = [22, 19, 0] as const

/** One sentence for a Node version too old for the program; otherwise undefined. */
export const refusalOf = (version: string): string | undefined => {
  const parts = version.split(".").map(Number)
  const index = needed.findIndex((part, place) => part !== parts[place])
  const isOld = index !== -1 && !((parts[index] ?? 0) > (needed[index] ?? 0))
  return isOld ? `limbeck needs Node ${needed.join(".")} or later; this is Node ${version}` : undefined
}
