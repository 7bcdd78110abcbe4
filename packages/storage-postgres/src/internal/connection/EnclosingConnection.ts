/** The connection of the transaction that encloses the running fiber: one of ours, or the host's. */
import * as Context from "effect/Context"
import type { SqlClient } from "effect/sql/SqlClient"
import type { Connection } from "effect/sql/SqlConnection"

/** Undefined: it is in none. */
export const connectionIn = (
  { transactionService }: Pick<SqlClient, "transactionService">,
  context: Context.Context<never>
): Connection | undefined => Context.getOrUndefined(context, transactionService)?.[0]
