/** What Node refuses, by its codes. */

export const codeOf = (error: unknown): string | undefined =>
  typeof error === "object" && error !== null && "code" in error ? String(error.code) : undefined

export const hasCode = (error: unknown, ...codes: ReadonlyArray<string>): boolean => {
  const code = codeOf(error)
  return code !== undefined && codes.includes(code)
}

/** The result of `call`; undefined for a missing file or folder. */
export const orMissing = async <A>(call: Promise<A>): Promise<A | undefined> => {
  try {
    return await call
  } catch (error) {
    if (hasCode(error, "ENOENT")) return undefined
    throw error
  }
}
