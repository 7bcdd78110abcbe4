/** A whole server with binding balances, in a process that may be killed at any moment. Tops balances up on command. */
import { createServer } from "node:http"
import { flushCompileCache } from "node:module"
import type { AddressInfo } from "node:net"
import { stubName } from "@limbeck/distill/run/Executor"
import * as Executors from "@limbeck/executors/Executors"
import * as Limbeck from "@limbeck/limbeck/Limbeck"
import * as StoragePostgres from "@limbeck/storage-postgres/StoragePostgres"
import * as SpendingExecutor from "@limbeck/testing/fixtures/SpendingExecutor"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Redacted from "effect/Redacted"

export interface LedgerServerOptions {
  readonly url: string
  readonly schema: string
  /** Of the journal. */
  readonly directory: string
  readonly token: string
}

/** What it is told; `id` names the command in its answer. */
export interface TopUpCommand {
  readonly id: number
  readonly amountUsd: number
  readonly reference: string
}

/** Where it listens, once; then the commands that it has done. */
export type ServerMessage = { readonly origin: string } | { readonly done: number }

// Only `LedgerServers` starts this, and it gives these options.
const { directory, schema, token, url } = JSON.parse(process.argv[2] ?? "") as LedgerServerOptions

// Also while it starts.
process.once("disconnect", () => process.exit())
const say = (said: ServerMessage) => void process.send?.(said)

const { execute } = SpendingExecutor.make({ pace: "2 millis" })
const limbeck = await Limbeck.make({
  storage: Layer.provideMerge(
    StoragePostgres.layer({ url, schema, maxConnections: 8 }),
    Logger.layer([Logger.consoleJson])
  ),
  encryptionKeys: [Redacted.make(new Uint8Array(32))],
  bootstrap: { liveToken: token },
  settings: { rateLimit: null, billingEnforced: true },
  journal: { directory },
  egressAllow: ["127.0.0.0/8"],
  executors: Executors.layer({ stub: { name: stubName, execute }, builtin: { name: "spending", execute } })
})
process.on("message", ({ amountUsd, id, reference }: TopUpCommand) => {
  void limbeck.billing.topUp(limbeck.workspace, { amountUsd, reference }).then(
    () => say({ done: id }),
    () => {} // Storage did not answer in time: who asked asks again.
  )
})
const server = createServer(limbeck.node).listen(0, "127.0.0.1", () => {
  const { port } = server.address() as AddressInfo // It listens on a port.
  say({ origin: `http://127.0.0.1:${port}` })
  // At its end it may have no time for it.
  flushCompileCache()
})
process.once("SIGTERM", () => {
  server.close()
  server.closeAllConnections()
  void limbeck.close().then(() => process.exit())
})
