// @effect-diagnostics globalFetch:off
/** A reader of server-sent events that can break off wherever a test wants, and go on as browsers do. */
import { assert } from "@effect/vitest"
import * as Sse from "effect/encoding/Sse"

export interface ReceivedEvent {
  readonly id: string
  readonly event: string
  readonly data: Readonly<Record<string, unknown>>
}

export interface EventReader {
  readonly told: ReadonlyArray<ReceivedEvent>
  /** Whether the server was done, and not the reader. */
  readonly ended: boolean
}

const parse = (event: Sse.Event): ReceivedEvent => {
  assert.isDefined(event.id)
  return { id: event.id ?? "", event: event.event, data: JSON.parse(event.data) }
}

/** Reads until the end, or until `enough`, and then disconnects. */
export const readBody = async (
  response: Response,
  enough: (told: ReadonlyArray<ReceivedEvent>) => boolean = () => false
): Promise<EventReader> => {
  assert.strictEqual(response.status, 200)
  assert.strictEqual(response.headers.get("content-type"), "text/event-stream")
  const told: Array<ReceivedEvent> = []
  const parser = Sse.makeParser((event) => {
    if (event._tag === "Event") told.push(parse(event))
  })
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
  while (!enough(told)) {
    const { done, value } = await reader.read()
    if (done) return { told, ended: true }
    assert.isUndefined(parser.feed(value))
  }
  await reader.cancel()
  return { told, ended: false }
}

export type Open = (headers: Readonly<Record<string, string>>) => Promise<Response>

/** Over the network, with a token. */
export const over =
  (origin: string, token: string, run: string): Open =>
  (headers) =>
    fetch(`${origin}/v1/distill/runs/${run}/stream`, {
      headers: { accept: "text/event-stream", authorization: `Bearer ${token}`, ...headers }
    })

/** From after an event on, or from the beginning. */
export const readFrom = async (
  open: Open,
  after: string | null,
  enough?: (told: ReadonlyArray<ReceivedEvent>) => boolean
): Promise<EventReader> => readBody(await open(after === null ? {} : { "last-event-id": after }), enough)

/** Disconnects repeatedly after `cut` events, until the stream's end. */
export const readInPieces = async (open: Open, cut: () => number): Promise<ReadonlyArray<ReceivedEvent>> => {
  const all: Array<ReceivedEvent> = []
  while (true) {
    const most = cut()
    const { ended, told } = await readFrom(open, all.at(-1)?.id ?? null, (heard) => heard.length >= most)
    // What came after the cut in the same portion is lost on a real network, too.
    all.push(...(ended ? told : told.slice(0, most)))
    if (ended) return all
  }
}
