/** Operations by their ids in the OpenAPI document, for programs that are told only at run time which ones to ask. */
import { makeCalls } from "./api/Calls.ts"
import { type ClientOptions, Transport } from "./api/Transport.ts"

/**
 * Returns a method by operation id, with the arguments and results of the same operation of `makeClient`.
 *
 * @example
 * const operation = makeOperations({ baseUrl: "http://127.0.0.1:8080", token })
 * const run = await operation("getRun")("run_…")
 */
export const makeOperations = (options: ClientOptions) => makeCalls(new Transport(options))

export type { Calls, Method, OperationId } from "./api/Calls.ts"
export { filters } from "./api/generated/filters.ts"
export { routes } from "./api/generated/routes.ts"
