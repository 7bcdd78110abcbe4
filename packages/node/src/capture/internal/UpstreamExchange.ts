// @effect-diagnostics globalTimers:off
/**
 * One request to an upstream and its response, as undici's handler. The head settles once; body chunks are handed out on
 * arrival, with back-pressure on the connection.
 */

import { clearTimeout, setTimeout } from "node:timers"
import { loopReason, UpstreamFailure } from "@limbeck/capture/upstream/Upstream"
import { joinPieces } from "@limbeck/core/bytes/Bytes"
import type * as Flow from "@limbeck/core/bytes/Flow"
import type { Dispatcher } from "undici"
import { interimMax } from "../../egress/internal/Dispatch.ts"
import { failureName, isOwnServer } from "../../egress/internal/FailureName.ts"

const statusMax = 599

/** Bytes that wait for a slow reader before the connection is paused. */
const heldMax = 65_536

export interface Head {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
}

type State =
  | { readonly _tag: "Open" }
  | { readonly _tag: "Ended" }
  | { readonly _tag: "Broken"; readonly reason: string }

const isSome = (chunks: ReadonlyArray<Uint8Array>): chunks is Flow.Chunks => chunks.length > 0

const oneText = (value: string | ReadonlyArray<string>) => (typeof value === "string" ? value : value.join(", "))

export class UpstreamExchange implements Dispatcher.DispatchHandler, Flow.Flow<UpstreamFailure> {
  #controller: Dispatcher.DispatchController | undefined
  #held: Array<Uint8Array> = []
  #heldBytes = 0
  #state: State = { _tag: "Open" }
  #head: Head | undefined
  #interims = 0
  #onHead: (() => void) | undefined
  #headTimer: ReturnType<typeof setTimeout> | undefined
  #onPortion: (() => void) | undefined
  /** Whether a notification of the reader is scheduled. */
  #isTelling = false

  get head(): Head | undefined {
    return this.#head
  }

  /** Why nothing came, or no more; null while all is well. */
  get failure(): string | null {
    return this.#state._tag === "Broken" ? this.#state.reason : null
  }

  /** The complete body, if it has ended and no chunk was taken; otherwise undefined. */
  takeWhole(): Uint8Array | undefined {
    if (this.#state._tag !== "Ended") return undefined
    const chunks = this.#held
    this.#held = []
    return chunks.length === 1 ? chunks[0] : joinPieces(chunks)
  }

  /**
   * Calls back at the head or a failure: `timeout` after the limit. A body that arrived with the head is complete by then.
   */
  awaitHead(limitMillis: number, settled: () => void): void {
    if (this.#head !== undefined || this.failure !== null) {
      settled()
      return
    }
    this.#onHead = settled
    // A bare timer: a race of fibers would cost more than the rest of the call's work here.
    this.#headTimer = setTimeout(() => this.#break("timeout"), limitMillis)
  }

  /** See `Flow`. */
  readonly take = (): Flow.Portion<UpstreamFailure> | undefined => {
    const chunks = this.#held
    if (isSome(chunks)) {
      this.#held = []
      const wasFull = this.#heldBytes > heldMax
      this.#heldBytes = 0
      if (wasFull) this.#controller?.resume()
      return { _tag: "Chunks", chunks, first: null }
    }
    if (this.#state._tag === "Open") return undefined
    if (this.#state._tag === "Ended") return { _tag: "Ended", first: null }
    return { _tag: "Broken", error: new UpstreamFailure({ reason: this.#state.reason }), first: null }
  }

  /** See `Flow`. */
  readonly onAvailable = (call: () => void): void => {
    this.#onPortion = call
  }

  /** Breaks the connection off, unless the answer is whole; sends nothing when nothing was sent yet. */
  abort(): void {
    this.#onHead = undefined
    this.#onPortion = undefined
    this.#break("aborted")
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    // Given up while waiting for a connection.
    if (this.failure !== null) controller.abort(new Error("The exchange is over"))
  }

  onResponseStart(
    _: Dispatcher.DispatchController,
    status: number,
    headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
  ): void {
    if (status < 200) {
      if (++this.#interims > interimMax) this.#break("invalid_response")
      return
    }
    // What HTTP has no meaning for (RFC 9110, 15) cannot be passed on.
    if (status > statusMax) {
      this.#break("invalid_response")
      return
    }
    const named: Record<string, string> = {}
    for (const name in headers) {
      const value = headers[name]
      if (value !== undefined) named[name.toLowerCase()] = oneText(value)
    }
    this.#head = { status, headers: named }
    // Waits until the bytes already read are parsed: most responses arrive whole.
    queueMicrotask(() => this.#notifyHead())
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#held.push(chunk)
    this.#heldBytes += chunk.length
    if (this.#heldBytes > heldMax) controller.pause()
    this.#tellPortion()
  }

  onResponseEnd(): void {
    // Nothing is left to break off, and the connection may serve others.
    this.#controller = undefined
    if (this.#state._tag === "Open") this.#state = { _tag: "Ended" }
    this.#tellPortion()
  }

  onResponseError(_: unknown, error: unknown): void {
    this.#break(isOwnServer(error) ? loopReason : failureName(error, this.#head !== undefined))
  }

  #break(reason: string): void {
    if (this.#state._tag !== "Open") return
    this.#state = { _tag: "Broken", reason }
    this.#controller?.abort(new Error("The exchange is over"))
    this.#notifyHead()
    this.#notifyPortion()
  }

  #notifyHead(): void {
    clearTimeout(this.#headTimer)
    const notify = this.#onHead
    this.#onHead = undefined
    notify?.()
  }

  /** Waits until the bytes already read are parsed: chunks that arrived together stay together. */
  #tellPortion(): void {
    if (this.#isTelling || this.#onPortion === undefined) return
    this.#isTelling = true
    queueMicrotask(() => {
      this.#isTelling = false
      this.#notifyPortion()
    })
  }

  #notifyPortion(): void {
    const notify = this.#onPortion
    this.#onPortion = undefined
    notify?.()
  }
}
