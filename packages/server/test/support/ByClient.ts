// @effect-diagnostics globalFetch:off
/**
 * Sends the tests' requests through the published client: each request expressible as an operation is sent by it, and the
 * client's result is compared with the response. Other requests, such as with a non-JSON body, are sent directly.
 */
import { assert } from "@effect/vitest"
import type { ErrorEnvelope } from "@limbeck/api/ErrorTable"
import { ApiError, makeClient } from "@limbeck/client"
import { makeOperations, type OperationId, routes } from "@limbeck/client/operations"
import type { Send } from "@limbeck/testing/http/Client"
import * as Sse from "effect/encoding/Sse"
import { operationOf } from "./Document.ts"

interface ClientRequest {
  readonly id: OperationId
  readonly answers: Answers
  readonly arguments: ReadonlyArray<unknown>
  readonly token: string
  readonly version: string | undefined
}

type Answers = (typeof routes)[OperationId]["answers"]

const isOperation = (id: string | undefined): id is OperationId => id !== undefined && id in routes

/** Undefined if the client would change them. */
const idsOf = (template: string, path: string): ReadonlyArray<string> | undefined => {
  const names = template.split("/")
  const sent = path.split("/").filter((_, index) => names[index]?.startsWith("{"))
  try {
    const ids = sent.map(decodeURIComponent)
    return ids.every((id, index) => id !== "" && encodeURIComponent(id) === sent[index]) ? ids : undefined
  } catch {
    return undefined
  }
}

/** Undefined if the client would change it. */
const queryOf = (search: string): object | undefined => {
  const query = new URLSearchParams(search)
  return `${new URLSearchParams(Object.fromEntries(query))}` === search.slice(1) ? Object.fromEntries(query) : undefined
}

/** Undefined if the client would change it. */
const bodyOf = (text: string): object | undefined => {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === "object" && value !== null && JSON.stringify(value) === text ? value : undefined
  } catch {
    return undefined
  }
}

const expressible = new Set(["authorization", "content-type", "idempotency-key", "service-version"])

/** The client differs from tests about absent or invalid keys. */
const takesKey = (id: OperationId, method: string, path: string, key: string | undefined): boolean => {
  if (key !== undefined) return routes[id].isKeyed && /^[\x21-\x7e]{1,255}$/.test(key)
  const parameters = operationOf(method, path)?.operation.parameters ?? []
  return !parameters.some(({ name, required = false }) => required && name === "Idempotency-Key")
}

/** As its route says; of a question in a chat, as the question says. */
const answersOf = (id: OperationId, taken: object | undefined): Answers =>
  id === "sendMessage" && taken !== undefined && "stream" in taken && taken.stream === true
    ? "events"
    : routes[id].answers

/** How the client is asked for the same; undefined where it cannot be. */
const askedOf = (url: string, { body, headers, method }: Parameters<Send>[1]): ClientRequest | undefined => {
  const { pathname, search } = new URL(url)
  const id = operationOf(method, pathname)?.operation.operationId
  if (!isOperation(id) || routes[id].method !== method || Object.keys(headers).some((name) => !expressible.has(name))) {
    return undefined
  }
  const { path, takes } = routes[id]
  const token = /^Bearer (\S+)$/.exec(headers["authorization"] ?? "")?.[1]
  const key = headers["idempotency-key"]
  if (token === undefined || !takesKey(id, method, pathname, key)) return undefined
  if (headers["content-type"] !== undefined && headers["content-type"] !== "application/json") return undefined
  if (body !== undefined && (typeof body !== "string" || takes !== "body")) return undefined
  if (search !== "" && takes !== "query") return undefined
  const taken = takes === "query" ? queryOf(search) : typeof body === "string" ? bodyOf(body) : undefined
  if ((takes === "query" || body !== undefined) && taken === undefined) return undefined
  const ids = idsOf(path, pathname)
  if (ids === undefined) return undefined
  const options = { retriesMax: 0, ...(key === undefined ? {} : { idempotencyKey: key }) }
  const given = takes === "nothing" ? [options] : [taken, options]
  return {
    id,
    answers: answersOf(id, taken),
    arguments: [...ids, ...given],
    token,
    version: headers["service-version"]
  }
}

const collected = async (items: AsyncIterable<unknown>): Promise<ReadonlyArray<unknown>> => {
  const all: Array<unknown> = []
  for await (const item of items) all.push(item)
  return all
}

/** What the client read of an answer; a list is read by its page, and a stream to its end. */
const readOf = async (asked: ClientRequest, baseUrl: string, fetch: (request: Request) => Promise<Response>) => {
  const version = asked.version === undefined ? {} : { version: asked.version }
  const options = { baseUrl, token: asked.token, fetch, ...version }
  const isChatStream = asked.id === "sendMessage" && asked.answers === "events"
  // The arguments were made for this operation.
  const method = (isChatStream ? makeClient(options).chat.stream : makeOperations(options)(asked.id)) as (
    ...given: ReadonlyArray<unknown>
  ) => unknown
  const answer = method(...asked.arguments)
  if (asked.answers === "resource") return answer
  if (asked.answers === "list") return (answer as { page: () => Promise<unknown> }).page()
  return collected(answer as AsyncIterable<unknown>)
}

const eventsIn = (text: string): ReadonlyArray<unknown> => {
  const events: Array<unknown> = []
  const parser = Sse.makeParser((told) => {
    if (told._tag !== "Event") return
    events.push({ id: told.id ?? null, event: told.event, data: JSON.parse(told.data) })
  })
  assert.isUndefined(parser.feed(text))
  return events
}

/** What the text of an answer says, read otherwise than by the client. */
const said: Readonly<Record<Answers, (text: string) => unknown>> = {
  resource: JSON.parse,
  list: JSON.parse,
  lines: (text) => text.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line)])),
  events: eventsIn
}

const assertSame = (error: unknown, status: number, text: string) => {
  assert.instanceOf(error, ApiError)
  const { error: sent } = JSON.parse(text) as ErrorEnvelope // The judge looks at its shape.
  const { code, message, param, requestId, type } = error as ApiError // It was just asserted.
  assert.deepStrictEqual(
    { status: (error as ApiError).status, code, message, param, requestId, type },
    { status, code: sent.code, message: sent.message, param: sent.param, requestId: sent.request_id, type: sent.type }
  )
}

const counts = { byClient: 0, asIs: 0, operations: new Set<string>(), others: new Set<string>() }

process.once("exit", () => {
  const { asIs, byClient, operations, others } = counts
  if (byClient + asIs === 0) return
  process.stdout.write(`By the client: ${byClient} of ${byClient + asIs} requests, ${operations.size} operations\n`)
  const never = [...others.difference(operations)].sort()
  if (never.length > 0) process.stdout.write(`Only as they are: ${never.join(", ")}\n`)
})

export const send: Send = async (url, init) => {
  const asked = askedOf(url, init)
  if (asked === undefined) {
    counts.asIs++
    const { pathname } = new URL(url)
    counts.others.add(operationOf(init.method, pathname)?.operation.operationId ?? `${init.method} ${pathname}`)
    return fetch(url, init)
  }
  counts.byClient++
  counts.operations.add(asked.id)
  let came: Response | undefined
  const noted = async (request: Request) => {
    const response = await fetch(request)
    came = response.clone()
    return response
  }
  const read = await readOf(asked, new URL(url).origin, noted).then(
    (value) => ({ value }),
    (error: unknown) => ({ error })
  )
  if (came === undefined) throw "error" in read ? read.error : new Error("The client has asked nobody")
  const text = await came.clone().text()
  if ("error" in read) assertSame(read.error, came.status, text)
  else assert.deepStrictEqual(read.value, said[asked.answers](text))
  return came
}
