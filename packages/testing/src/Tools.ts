/** Tests that need a tool which not every machine has. */

/**
 * Whether the tool is installed. If not, prints the skipped subject; under `CI=true`, where the pipeline installs the tool,
 * throws instead.
 *
 * @example
 * it.skipIf(!Tools.has("python3", "the receiver in Python", isInstalled))("verifies what was signed", () => {})
 */
export const has = (tool: string, subject: string, isHere: boolean): boolean => {
  if (isHere) return true
  if (process.env["CI"] === "true") throw new Error(`${subject} needs ${tool}: install it on this machine`)
  process.stderr.write(`SKIPPED: ${subject}, because ${tool} is not on this machine\n`)
  return false
}

/**
 * Whether this machine runs Linux. If not, prints the skipped subject: no pipeline can install it.
 *
 * @example
 * it.skipIf(!Tools.isLinux("a server that outlived its owner"))("stops it", () => {})
 */
export const isLinux = (subject: string): boolean => {
  if (process.platform === "linux") return true
  process.stderr.write(`SKIPPED: ${subject}, because this is ${process.platform} and not linux\n`)
  return false
}
