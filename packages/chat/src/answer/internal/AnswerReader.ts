/** Reads a model's response: keeps all bytes, and extracts the text of a stream on arrival. */
import { isObject } from "@limbeck/core/json/Json"
import * as Sse from "effect/encoding/Sse"

/** The text that a chunk of a chat completion adds; empty where it adds none. */
const deltaOf = (data: string): string => {
  try {
    const chunk: unknown = JSON.parse(data)
    const choices = isObject(chunk) ? chunk["choices"] : undefined
    const first: unknown = Array.isArray(choices) ? choices[0] : undefined
    const delta = isObject(first) ? first["delta"] : undefined
    const content = isObject(delta) ? delta["content"] : undefined
    return typeof content === "string" ? content : ""
  } catch {
    // `[DONE]`, or no JSON: the whole is judged at its end.
    return ""
  }
}

export class AnswerReader {
  readonly chunks: Array<Uint8Array> = []
  /** Of all chunks. */
  bytes = 0
  private readonly decoder = new TextDecoder()
  private added = ""
  private readonly parser: Sse.Parser | null

  /** `contentType`: of the answer. */
  constructor(contentType: string | undefined) {
    const isStream = contentType?.toLowerCase().startsWith("text/event-stream") === true
    this.parser = isStream
      ? Sse.makeParser((event) => {
          if (event._tag === "Event") this.added += deltaOf(event.data)
        })
      : null
  }

  /** Returns the text that these bytes add. */
  add(chunk: Uint8Array): string {
    this.chunks.push(chunk)
    this.bytes += chunk.length
    if (this.parser === null) return ""
    this.added = ""
    this.parser.feed(this.decoder.decode(chunk, { stream: true }))
    return this.added
  }
}
