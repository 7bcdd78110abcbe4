/** One webhook and the receiver's response, as undici's handler. Settles exactly once, with the facts known by then. */
import { WebhookLimits } from "@limbeck/webhooks/Limits"
import type { Dispatcher } from "undici"
import { interimMax } from "../../egress/internal/Dispatch.ts"
import { failureName } from "../../egress/internal/FailureName.ts"
import { ResponseBody } from "./ResponseBody.ts"

export class WebhookExchange implements Dispatcher.DispatchHandler {
  statusCode: number | null = null
  error: string | null = null
  #body: ResponseBody | undefined
  #controller: Dispatcher.DispatchController | undefined
  #interims = 0
  #settled = false
  readonly #keepMax: number
  readonly #onSettled: () => void

  /** `keepMax`: bytes of the body to keep. `onSettled` is called once, unless aborted first. */
  constructor(keepMax: number, onSettled: () => void) {
    this.#keepMax = keepMax
    this.#onSettled = onSettled
  }

  get bodySnippet(): string {
    return this.#body?.text() ?? ""
  }

  /** Breaks the connection off, and sends nothing when nothing was sent yet. */
  abort(): void {
    this.#settled = true
    this.#body?.stop()
    this.#controller?.abort(new Error("The exchange is over"))
  }

  /** Its time is over. */
  expire(): void {
    this.#settle("timeout")
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    // Given up while waiting for a connection.
    if (this.#settled) this.abort()
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    statusCode: number,
    headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
  ): void {
    if (statusCode < 200) {
      if (++this.#interims > interimMax) this.#settle("invalid_response")
      return
    }
    this.statusCode = statusCode
    this.#body = new ResponseBody({
      encoding: String(headers["content-encoding"] ?? "")
        .trim()
        .toLowerCase(),
      readMax: WebhookLimits.responseBytes,
      keepMax: this.#keepMax,
      onDone: (broken) => this.#settle(broken ? "invalid_response" : null),
      pause: () => controller.pause(),
      resume: () => controller.resume()
    })
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#body?.write(chunk)
  }

  onResponseEnd(): void {
    // Nothing is left to break off, and the connection may serve others.
    this.#controller = undefined
    this.#body?.end()
  }

  onResponseError(_: unknown, error: unknown): void {
    this.#settle(failureName(error, this.statusCode !== null))
  }

  #settle(error: string | null): void {
    if (this.#settled) return
    this.error = error
    this.abort()
    this.#onSettled()
  }
}
