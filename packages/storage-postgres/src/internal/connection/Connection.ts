/** How we connect: the address, and the settings of every session. */
import type * as PgClient from "@effect/sql-pg/PgClient"
import { Limits } from "@limbeck/core/Limits"
import * as Redacted from "effect/Redacted"
import * as PostgresTypes from "./PostgresTypes.ts"

/** The database's address. Single fields override the parts of `url`. */
export interface Options {
  /** `postgres://user:password@host:port/database` */
  readonly url?: string
  /** A host name, or the directory of a unix socket. */
  readonly host?: string
  readonly port?: number
  readonly user?: string
  readonly password?: string
  readonly database?: string
  /** Holds all our tables; made if it is missing. Lower-case letters, digits and `_`. Default: `limbeck`. */
  readonly schema?: string
  /** Connections for statements and transactions; one more listens. Default: 10. */
  readonly maxConnections?: number
}

/** A schema that we make; it needs no quotes anywhere, and leaves room for the names derived from it. */
export const schemaName = /^[a-z_][a-z0-9_]{0,54}$/

const defaultConnections = 10
/** A dataset row may have 16 MiB, and comes in one message. */
const messageBytesMax = 64 * 1024 ** 2

/** Settings of Postgres, by name. */
export type Settings = Readonly<Record<string, string>>

/** What a pool connects with. `Session` makes its connections begin with the settings. */
export interface SessionConfig extends PgClient.PgPoolConfig {
  readonly settings: Settings
}

/** Sessions find our tables without naming the schema, and run at the isolation that idempotency is made for. */
const session = (schema: string): Settings => ({
  search_path: schema,
  default_transaction_isolation: "read committed",
  // Our transactions take milliseconds. A process that freezes inside one must not block its rows for others.
  idle_in_transaction_session_timeout: "60s",
  // A process that is gone, or gave a statement up, keeps nothing busy for longer. Bulk statements set their own.
  statement_timeout: `${Limits.workPatienceMillis}ms`,
  // We look up few rows of large tables with plans cached while the tables were small: prefer indexes.
  random_page_cost: "1.1",
  // Nor is a statement compiled because many rows could be in its way: that takes longer than all it does.
  jit: "off"
})

export const clientConfig = (options: Options, schema: string): SessionConfig => ({
  ...(options.url !== undefined && { url: Redacted.make(options.url) }),
  ...(options.host !== undefined && { host: options.host }),
  ...(options.port !== undefined && { port: options.port }),
  ...(options.user !== undefined && { username: options.user }),
  ...(options.password !== undefined && { password: Redacted.make(options.password) }),
  ...(options.database !== undefined && { database: options.database }),
  // Lets the idle listening connection notice a vanished peer.
  keepAlive: "30 seconds",
  applicationName: "limbeck",
  settings: session(schema),
  types: PostgresTypes.registry,
  maxConnections: (options.maxConnections ?? defaultConnections) + 1,
  maxMessageSize: messageBytesMax
})
