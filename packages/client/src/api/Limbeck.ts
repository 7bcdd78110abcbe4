/** A client of the API: a method for each operation, named as its resource and action. */
import { makeCalls } from "./Calls.ts"
import * as Resources from "./Resources.ts"
import { type ClientOptions, Transport } from "./Transport.ts"

/**
 * The client of the server at `baseUrl`. Results are the JSON of the API; refusals are thrown as typed errors. Reads, and
 * writes with an idempotency key, are retried when the connection breaks or the server is busy.
 *
 * @example
 * const limbeck = makeClient({ baseUrl: "http://127.0.0.1:8080", token })
 * const upload = await limbeck.uploads.send(await openAsBlob("rows.jsonl"))
 * const run = await limbeck.runs.wait((await limbeck.runs.create(plan)).id)
 */
export const makeClient = (options: ClientOptions) => {
  const transport = new Transport(options)
  const call = makeCalls(transport)
  return {
    ...Resources.access(call),
    ...Resources.captureMethods(call),
    ...Resources.data(transport, call),
    ...Resources.trainingMethods(call),
    ...Resources.servingMethods(transport, call),
    ...Resources.notificationMethods(call)
  }
}

export type Client = ReturnType<typeof makeClient>

export * from "./Errors.ts"
export type * from "./generated/types.ts"
export type { ServerEvent } from "./Lines.ts"
export type { List, Page } from "./List.ts"
export type { ClientOptions, RequestOptions } from "./Transport.ts"
export type { Content, SendOptions } from "./Uploading.ts"
export type { WaitOptions } from "./Waiting.ts"
