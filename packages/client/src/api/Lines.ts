/** Answers that are read while they come: JSON Lines, and server-sent events. */
import { ConnectionError } from "./Errors.ts"
import { type ClientRequest, type RequestOptions, sleep, type Transport } from "./Transport.ts"

/** One of a stream: `run.state`, `metric`, `log`, `message.delta`. */
export interface ServerEvent {
  readonly id: string | null
  readonly event: string
  /** Its JSON. */
  readonly data: unknown
}

/** Texts that end with a newline each, whatever the chunks; the last one may lack it. */
async function* linesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<string, void, void> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let rest = ""
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) break
      const lines = (rest + decoder.decode(value, { stream: true })).split("\n")
      rest = lines.pop() ?? ""
      for (const line of lines) yield line.endsWith("\r") ? line.slice(0, -1) : line
    }
    if (rest !== "") yield rest
  } catch (error) {
    throw new ConnectionError("The answer broke off", { cause: error })
  } finally {
    // Also when nobody reads on.
    await reader.cancel().catch(() => {})
  }
}

const opened = async (transport: Transport, sending: ClientRequest, options: RequestOptions) => {
  const body = await transport.send(sending, options, async (response) => response.body)
  return linesOf(body ?? new ReadableStream({ start: (controller) => controller.close() }))
}

/** Each line as what it says. */
export async function* json(
  transport: Transport,
  sending: ClientRequest,
  options: RequestOptions
): AsyncGenerator<unknown, void, void> {
  for await (const line of await opened(transport, sending, options)) if (line !== "") yield JSON.parse(line)
}

/** The fields of one event, by name. */
const eventOf = (fields: ReadonlyMap<string, string>): ServerEvent | undefined => {
  const data = fields.get("data")
  if (data === undefined) return undefined
  return { id: fields.get("id") ?? null, event: fields.get("event") ?? "message", data: JSON.parse(data) }
}

/** Parses one connection's server-sent events by the HTML standard, with JSON data. */
async function* eventsOf(lines: AsyncIterable<string>): AsyncGenerator<ServerEvent, void, void> {
  const fields = new Map<string, string>()
  for await (const line of lines) {
    if (line === "") {
      const event = eventOf(fields)
      fields.clear()
      if (event !== undefined) yield event
      continue
    }
    const colon = line.indexOf(":")
    // A leading colon marks a comment, which keeps the connection open.
    if (colon === 0) continue
    const name = colon < 0 ? line : line.slice(0, colon)
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "")
    fields.set(name, name === "data" && fields.has(name) ? `${fields.get(name)}\n${value}` : value)
  }
}

/** Events of a single connection, for streams that cannot be resumed. */
export async function* eventsOnce(
  transport: Transport,
  sending: ClientRequest,
  options: RequestOptions
): AsyncGenerator<ServerEvent, void, void> {
  yield* eventsOf(await opened(transport, sending, options))
}

const reconnectMillis = 1_000
/** So often in a row a new connection brings nothing before it is given up. */
const brokenMax = 5

/** Events to the stream's end. After a broken connection, resumes behind the last event. */
export async function* events(
  transport: Transport,
  sending: ClientRequest,
  options: RequestOptions
): AsyncGenerator<ServerEvent, void, void> {
  let last: string | null = null
  for (let broken = 0; ; ) {
    const headers: Readonly<Record<string, string>> = last === null ? {} : { "last-event-id": last }
    try {
      for await (const event of eventsOf(await opened(transport, { ...sending, headers }, options))) {
        last = event.id ?? last
        broken = 0
        yield event
      }
      return
    } catch (error) {
      if (!(error instanceof ConnectionError) || last === null || options.signal?.aborted) throw error
      if (++broken >= brokenMax) throw error
      await sleep(reconnectMillis, options.signal)
    }
  }
}
