/**
 * What a host needs, by one import: the library whole or the webhook engine alone, and a storage for either. The program
 * `limbeck`, its dashboard and its private Postgres are not loaded by it.
 *
 * @example
 * import { createServer } from "node:http"
 * import { Limbeck, postgres } from "limbeck"
 *
 * const limbeck = await Limbeck.make({ storage: postgres({ url: process.env.DATABASE_URL }) })
 * createServer(limbeck.node).listen(8080)
 */
export * as Decisions from "@limbeck/limbeck/Decisions"
export * as Limbeck from "@limbeck/limbeck/Limbeck"
export { layer as memory } from "@limbeck/storage-memory/StorageMemory"
export { layer as postgres } from "@limbeck/storage-postgres/StoragePostgres"
export * as Webhooks from "@limbeck/webhooks-host/Webhooks"
