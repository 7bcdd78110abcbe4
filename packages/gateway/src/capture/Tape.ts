/** What is known of one call while it passes, and the record that comes of it in the end. */
import type { Partition } from "@limbeck/core/partition/Partition"
import { Limits } from "../Limits.ts"
import { modelIdOf, type Source, type SourceModel } from "../source/Source.ts"
import { isSuccess, type UpstreamAnswer } from "../upstream/Upstream.ts"
import type { CallRecord } from "./CallRecord.ts"
import type { CallEndpoint, Outcome, ServedBy } from "./CapturedCall.ts"

/** What is known before anybody is asked. */
export interface CallFacts {
  readonly partition: Partition
  readonly id: string
  readonly endpoint: CallEndpoint
  /** As the client named it. */
  readonly model: string | null
  readonly tags: ReadonlyArray<string>
  readonly externalId: string | null
  readonly request: Uint8Array
}

/** Who answered. */
export interface Served {
  readonly servedBy: ServedBy
  readonly deployment: string | null
  readonly source: Source | null
  /** As the source knows it. */
  readonly sourceModel: string | null
  readonly fallbackReason: string | null
  readonly confidence: number | null
}

export interface Answered extends UpstreamAnswer {
  readonly served: Served
}

const newline = 0x0a
const carriageReturn = 0x0d
const done = [..."data:[DONE]"].map((character) => character.charCodeAt(0))
const space = 0x20

const isBreak = (byte: number | undefined): boolean => byte === newline || byte === carriageReturn

/** Whether the last line is `data: [DONE]`, wherever the chunks end; reads no more than that line. */
export const endsWithDone = (chunks: ReadonlyArray<Uint8Array>): boolean => {
  let chunk = chunks.length - 1
  let at = (chunks[chunk]?.length ?? 0) - 1
  const previous = (): number | undefined => {
    while (at < 0) {
      if (--chunk < 0) return undefined
      at = (chunks[chunk]?.length ?? 0) - 1
    }
    return chunks[chunk]?.[at--]
  }
  let byte = previous()
  while (isBreak(byte)) byte = previous()
  for (let index = done.length - 1; index >= 0; index--) {
    if (byte === space && index === 4) byte = previous()
    if (byte !== done[index]) return false
    byte = previous()
  }
  return byte === undefined || isBreak(byte)
}

const priceOf = (source: Source | null, model: string | null): Exclude<SourceModel, string> | undefined => {
  const found = source?.models.find((entry) => modelIdOf(entry) === model)
  return typeof found === "string" ? undefined : found
}

/** What an answer without a body is. */
const isBodyless = ({ headers, status }: UpstreamAnswer): boolean =>
  status === 204 || status === 205 || status === 304 || headers["content-length"] === "0"

export class Tape {
  readonly #facts: CallFacts
  readonly #createdAt: number
  readonly #chunks: Array<Uint8Array> = []
  #served: Served
  #answer: UpstreamAnswer | undefined
  #bytes = 0
  #length = Number.POSITIVE_INFINITY
  #isStream = false
  #firstAt: number | null = null

  /** `served`: who is believed to answer. */
  constructor(facts: CallFacts, served: Served, createdAt: number) {
    this.#facts = facts
    this.#served = served
    this.#createdAt = createdAt
  }

  get served(): Served {
    return this.#served
  }

  /** As `served` of the constructor, when more is known. */
  believe(served: Served): void {
    this.#served = served
  }

  /** The head is there; answers whether it is the whole answer. */
  begin(answer: Answered): boolean {
    const { headers, served } = answer
    this.#answer = answer
    this.#served = served
    const length = headers["content-length"]
    if (length !== undefined) this.#length = Number(length)
    this.#isStream =
      headers["content-type"]?.startsWith("text/event-stream") === true && !("content-encoding" in headers)
    return isBodyless(answer)
  }

  /** Answers whether the answer is whole with these. */
  add(chunks: ReadonlyArray<Uint8Array>, now: number): boolean {
    this.#firstAt ??= now
    for (const chunk of chunks) {
      const room = Limits.capturedBytesMax - this.#bytes
      this.#bytes += chunk.length
      if (room > 0) this.#chunks.push(chunk.length > room ? chunk.subarray(0, room) : chunk)
    }
    if (this.#bytes >= this.#length) return true
    return this.#isStream && this.#bytes <= Limits.capturedBytesMax && endsWithDone(this.#chunks)
  }

  /** `outcome`: of what passed; `status`: what the client is told where nobody answered. */
  record(outcome: Outcome, now: number, status: number | null = null): CallRecord {
    const { externalId, id, model, partition, request, tags, endpoint } = this.#facts
    const { confidence, deployment, fallbackReason, servedBy, source, sourceModel } = this.#served
    const price = priceOf(source, sourceModel)
    const headers = this.#answer?.headers ?? {}
    const statusCode = this.#answer?.status ?? status
    const isRefusal = outcome === "succeeded" && (statusCode === null || !isSuccess(statusCode))
    return {
      kind: "call",
      partition: partition.key,
      id,
      endpoint,
      source: source?.id ?? null,
      sourceName: source?.name ?? null,
      inputPerMillion: price?.input_per_million ?? null,
      outputPerMillion: price?.output_per_million ?? null,
      managed: source?.kind === "managed",
      model,
      servedBy,
      deployment,
      fallbackReason,
      confidence,
      tags,
      externalId,
      outcome: isRefusal ? "failed" : outcome,
      statusCode,
      contentType: headers["content-type"] ?? null,
      contentEncoding: headers["content-encoding"] ?? null,
      createdAt: this.#createdAt,
      latencyMillis: Math.max(0, now - this.#createdAt),
      firstTokenMillis: this.#firstAt === null ? null : Math.max(0, this.#firstAt - this.#createdAt),
      request,
      response: this.#chunks
    }
  }
}
