/** Reasons why a private Postgres cannot start: one class per fact, each with a message that gives a remedy. */
import * as Data from "effect/Data"

/** The binary package, an optional dependency, does not exist for this platform or was not installed. */
export class BinariesMissing extends Data.TaggedError("BinariesMissing")<{
  readonly package: string
  readonly message: string
}> {}

/** A folder can't be made, read or written by the account that the server runs under. */
export class DirectoryUnusable extends Data.TaggedError("DirectoryUnusable")<{
  readonly path: string
  readonly message: string
}> {}

/** Another live server works on this data directory. `pid` is its owner. */
export class DirectoryInUse extends Data.TaggedError("DirectoryInUse")<{
  readonly path: string
  readonly pid: number
  readonly message: string
}> {}

/** The data directory was made by another major version. */
export class VersionMismatch extends Data.TaggedError("VersionMismatch")<{
  readonly path: string
  readonly directoryVersion: string
  readonly serverVersion: string
  readonly message: string
}> {}

/** A program of the server ended unexpectedly. `log` holds the end of its output. */
export class ProgramFailed extends Data.TaggedError("ProgramFailed")<{
  readonly program: string
  readonly log: string
  readonly message: string
}> {}

/** All that `launch` may fail with. */
export type EmbeddedPostgresError =
  | BinariesMissing
  | DirectoryUnusable
  | DirectoryInUse
  | VersionMismatch
  | ProgramFailed

const reason = (cause: unknown) => (cause instanceof Error ? cause.message : String(cause))

export const unusable = (path: string, doing: string) => (cause: unknown) =>
  new DirectoryUnusable({ path, message: `Cannot ${doing} ${path}: ${reason(cause)}` })

export const programFailure = (program: string, log: string) =>
  new ProgramFailed({ program, log, message: `${program} failed: ${log.trim() || "it said nothing"}` })

export const inUse = (root: string, pid: number) =>
  new DirectoryInUse({ path: root, pid, message: `${root} is in use by the server of process ${pid}` })
