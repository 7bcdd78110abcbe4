/**
 * The host's own transaction on the host's own connection: the statements of this library, and its reasons to refuse.
 */
import * as Schema from "effect/Schema"

/** A statement with its parameters as text, and how the columns of its answer are read. */
export interface HostStatement {
  readonly text: string
  readonly values: Array<string | null>
  readonly rowMode?: "array"
  readonly types: {
    readonly getTypeParser: (typeId: number, format?: string) => (value: string & Uint8Array) => unknown
  }
}

/** A connection with a transaction begun by the host. A client of node-postgres qualifies, pooled or not. */
export interface HostClient {
  query(statement: HostStatement): Promise<{ readonly rows: ReadonlyArray<unknown> }>
}

/** The host's transaction could not take our writes, and holds none. `code`: an SQLSTATE, or the connection's word; or null. */
export class HostTransactionError extends Schema.TaggedError<HostTransactionError>()("HostTransactionError", {
  message: Schema.String,
  code: Schema.NullOr(Schema.String),
  cause: Schema.Defect()
}) {}
