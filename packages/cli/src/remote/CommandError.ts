/** An invalid argument of a command; `lines` explain the fault and the usage. */
export class CommandError extends Error {
  readonly lines: ReadonlyArray<string>
  readonly code: string | null

  constructor(lines: string | ReadonlyArray<string>, code: string | null = null) {
    const all = typeof lines === "string" ? [lines] : lines
    super(all.join("\n"))
    this.lines = all
    this.code = code
  }
}
