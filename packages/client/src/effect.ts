/** The client for programs with Effect, a peer dependency of this entry alone. */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { Answers } from "./api/Calls.ts"
import { ApiError, ConnectionError, WaitTimeoutError } from "./api/Errors.ts"
import * as Limbeck from "./api/Limbeck.ts"

/** What a request may fail with; whatever else goes wrong is a defect. */
export type ClientError = ApiError | ConnectionError | WaitTimeoutError<unknown>

/** Nothing is asked until it is run. */
export interface EffectList<A> {
  /** The first page, or the one that the query's `cursor` names. */
  readonly page: Effect.Effect<Limbeck.Page<A>, ClientError>
  /** Each page, from the first to the last. */
  readonly pages: Stream.Stream<Limbeck.Page<A>, ClientError>
  readonly items: Stream.Stream<A, ClientError>
}

type Answer<A> =
  A extends Promise<infer Value>
    ? Effect.Effect<Value, ClientError>
    : A extends Limbeck.List<infer Item>
      ? EffectList<Item>
      : A extends AsyncIterable<infer Item>
        ? Stream.Stream<Item, ClientError>
        : never

type AsEffect<A> = A extends (...given: infer Given) => infer Result
  ? (...given: Given) => Answer<Result>
  : { readonly [Name in keyof A]: AsEffect<A[Name]> }

export type Client = AsEffect<Limbeck.Client>

type Ask<A> = (client: Limbeck.Client) => A

/** A method of the promise client, with the kind of its result. */
type Method = ((...given: ReadonlyArray<unknown>) => unknown) & Partial<Answers>

const isClientError = (cause: unknown): cause is ClientError =>
  cause instanceof ApiError || cause instanceof ConnectionError || cause instanceof WaitTimeoutError

const refused = (cause: unknown): Effect.Effect<never, ClientError> =>
  isClientError(cause) ? Effect.fail(cause) : Effect.die(cause)

/** Each run has a client of its own, whose requests end when the run is interrupted. */
const makeLift = (options: Limbeck.ClientOptions) => {
  const clientUntil = (signal: AbortSignal) =>
    Limbeck.makeClient({ ...options, signal: AbortSignal.any([signal, ...(options.signal ? [options.signal] : [])]) })

  const once = <A>(ask: Ask<Promise<A>>) =>
    Effect.catch(
      Effect.tryPromise((signal) => ask(clientUntil(signal))),
      ({ cause }) => refused(cause)
    )

  const clientOfScope = Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => new AbortController()),
      (controller) => Effect.sync(() => controller.abort())
    ),
    ({ signal }) => clientUntil(signal)
  )

  const each = <A>(ask: Ask<AsyncIterable<A>>): Stream.Stream<A, ClientError> =>
    Stream.unwrap(Effect.map(clientOfScope, (client) => Stream.fromAsyncIterable(ask(client), (cause) => cause))).pipe(
      Stream.catch((cause) => Stream.fromEffect(refused(cause)))
    )

  const list = <A>(ask: Ask<Limbeck.List<A>>): EffectList<A> => ({
    page: once((client) => ask(client).page()),
    pages: each((client) => ask(client).pages()),
    items: each(ask)
  })

  return { resource: once, lines: each, events: each, list }
}

/** What stands in the client at a path of names. */
const at = (client: unknown, path: ReadonlyArray<string>): unknown =>
  path.reduce((from, name) => (from as Readonly<Record<string, unknown>>)[name], client)

const isMethod = (part: unknown): part is Method => typeof part === "function"

/**
 * The client of the server at `baseUrl`, with the methods and arguments of `@limbeck/client`. A resource is an `Effect`;
 * lines and events are a `Stream`; a list has `page`, `pages` and `items`. Interrupting an effect aborts its requests.
 *
 * @example
 * const limbeck = makeClient({ baseUrl: "http://127.0.0.1:8080", token })
 * const failed = Stream.runCollect(limbeck.runs.list({ status: "failed" }).items)
 * const run = limbeck.runs.get(id).pipe(Effect.catchIf((error) => error instanceof NotFoundError, () => Effect.succeed(null)))
 */
export const makeClient = (options: Limbeck.ClientOptions): Client => {
  const lift = makeLift(options)
  const lifted = (part: unknown, path: ReadonlyArray<string>): unknown => {
    if (!isMethod(part)) {
      const parts = Object.entries(part as object).map(([name, inner]) => [name, lifted(inner, [...path, name])])
      return Object.fromEntries(parts)
    }
    const { answers = "resource" } = part
    // The type of the client says what stands at its own paths.
    const ask = (given: ReadonlyArray<unknown>) => (client: Limbeck.Client) => (at(client, path) as Method)(...given)
    return (...given: ReadonlyArray<unknown>) => (lift[answers] as (ask: Ask<unknown>) => unknown)(ask(given))
  }
  return lifted(Limbeck.makeClient(options), []) as Client
}

export * from "./api/Errors.ts"
export type * from "./api/generated/types.ts"
export type { ClientOptions, Page, RequestOptions, SendOptions, ServerEvent, WaitOptions } from "./api/Limbeck.ts"
