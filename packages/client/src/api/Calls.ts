/** Methods derived from the API's document: arguments and results have the types of the operation. */
import { routes } from "./generated/routes.ts"
import type { operations } from "./generated/types.ts"
import * as Lines from "./Lines.ts"
import { List, type Page } from "./List.ts"
import type { ClientRequest, RequestOptions, Transport } from "./Transport.ts"

export type OperationId = keyof typeof routes

/** An id for each `{…}` of the path. */
type PathArguments<Path extends string> = Path extends `${string}{${string}}${infer Rest}`
  ? [id: string, ...PathArguments<Rest>]
  : []

type JsonOf<Response> = Response extends { readonly content: { readonly "application/json": infer Json } }
  ? Json
  : never

type BodyOf<Id extends OperationId> = operations[Id] extends { requestBody: infer Body }
  ? [body: JsonOf<Body>]
  : operations[Id] extends { requestBody?: infer Body }
    ? [body?: JsonOf<NonNullable<Body>>]
    : never

type QueryOf<Id extends OperationId> = [query?: NonNullable<operations[Id]["parameters"]["query"]>]

interface OperationInput<Id extends OperationId> {
  readonly body: BodyOf<Id>
  readonly query: QueryOf<Id>
  readonly nothing: []
}

/** The JSON that the operation answers. */
type AnswerOf<Id extends OperationId> = JsonOf<operations[Id]["responses"][keyof operations[Id]["responses"]]>

interface OperationOutput<Id extends OperationId> {
  readonly resource: Promise<AnswerOf<Id>>
  readonly list: List<AnswerOf<Id> extends { data: Array<infer Item> } ? Item : never>
  /** Each line of JSON Lines. */
  readonly lines: AsyncIterable<unknown>
  readonly events: AsyncIterable<Lines.ServerEvent>
}

export type Method<Id extends OperationId> = (
  ...given: [
    ...PathArguments<(typeof routes)[Id]["path"]>,
    ...OperationInput<Id>[(typeof routes)[Id]["takes"]],
    options?: RequestOptions
  ]
) => OperationOutput<Id>[(typeof routes)[Id]["answers"]]

/** A method's self-description, for wrappers. */
export interface Answers {
  readonly answers: keyof OperationOutput<OperationId>
}

/** What a method was given, told apart. */
interface CallArguments {
  readonly path: string
  readonly taken: object | undefined
  readonly options: RequestOptions
}

const queryOf = (query: object): string => {
  const values = Object.entries(query).filter(([, value]) => value !== undefined)
  return values.length === 0 ? "" : `?${new URLSearchParams(values.map(([name, value]) => [name, String(value)]))}`
}

const givenOf = (id: OperationId, given: ReadonlyArray<unknown>): CallArguments => {
  const { path, takes } = routes[id]
  let at = 0
  const filled = path.replace(/\{(\w+)\}/g, (_, name) => {
    const value = given[at++]
    if (typeof value !== "string" || value === "") throw new TypeError(`${id} needs ${name}`)
    return encodeURIComponent(value)
  })
  // The types of `Method` guarantee this argument.
  const taken = takes === "nothing" ? undefined : (given[at++] as object | undefined)
  return { path: filled, taken, options: (given[at] as RequestOptions | undefined) ?? {} }
}

/** Makes methods that send by `transport`. */
export const makeCalls = (transport: Transport) => {
  const sendingOf = (id: OperationId, { path, taken }: CallArguments): ClientRequest => {
    const { isKeyed, method, takes } = routes[id]
    if (takes === "query") return { method, path: path + queryOf(taken ?? {}) }
    return { method, path, isKeyed, ...(taken === undefined ? {} : { body: JSON.stringify(taken) }) }
  }

  const answerOf = (id: OperationId, given: CallArguments) => {
    const sending = sendingOf(id, given)
    const { answers } = routes[id]
    if (answers === "resource") return transport.json(sending, given.options)
    if (answers === "lines") return Lines.json(transport, sending, given.options)
    if (answers === "events") return Lines.events(transport, sending, given.options)
    const page = (cursor: string | undefined) => {
      const query = queryOf({ ...given.taken, ...(cursor === undefined ? {} : { cursor }) })
      return transport.json<Page<unknown>>({ ...sending, path: given.path + query }, given.options)
    }
    return new List(page)
  }

  return <Id extends OperationId>(id: Id): Method<Id> => {
    const method = (...given: ReadonlyArray<unknown>) => answerOf(id, givenOf(id, given))
    // The route and the types agree on the result.
    return Object.assign(method, { answers: routes[id].answers }) as unknown as Method<Id>
  }
}

export type Calls = ReturnType<typeof makeCalls>
