/**
 * The connections to one origin. Each request has a connection to itself: the one freed last, or a new one. (undici's own
 * pool searches all busy connections, twice per request.)
 *
 *     new ──▶ busy ──▶ free ──▶ busy …
 *              │        └── too old when its turn comes ──┐
 *              └── its socket is gone, or never came ─────┴──▶ leaving: closed when what it has is done
 *
 * Invariants: 1. a free connection has no request, and is once in #free; 2. a leaving connection gets no request; 3. #all
 * holds every connection not yet closed, and the opener is notified when #all is empty.
 */
import { performance } from "node:perf_hooks"
import { Client, Dispatcher, errors } from "undici"

interface Line {
  readonly client: Client
  /** By the monotonic clock, in milliseconds; infinite before. */
  connectedAt: number
  isFree: boolean
}

export interface ConnectionsOptions {
  readonly client: Client.Options
  /** No request is sent on an older connection. */
  readonly ageMillisMax: number
  /** Called when the last connection is gone. */
  readonly onEmpty: () => void
}

export class Connections extends Dispatcher {
  readonly #origin: string
  readonly #options: ConnectionsOptions
  readonly #all = new Set<Line>()
  readonly #free: Array<Line> = []
  #isClosed = false

  constructor(origin: string, options: ConnectionsOptions) {
    super()
    this.#origin = origin
    this.#options = options
  }

  get isClosed(): boolean {
    return this.#isClosed
  }

  override dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    const line = this.#taken() ?? this.#opened()
    line.client.dispatch(options, handler)
    // The request could not be sent at all.
    this.#release(line)
    return true
  }

  /** Accepts no further requests, and closes after the last one. */
  end(): void {
    this.#isClosed = true
    for (const line of this.#all) this.#leave(line)
  }

  /** Breaks off what is under way. */
  async breakOff(): Promise<void> {
    this.#isClosed = true
    await Promise.all([...this.#all].map(({ client }) => client.destroy()))
  }

  #taken(): Line | undefined {
    if (this.#isClosed) throw new errors.ClientClosedError()
    const bornAfter = performance.now() - this.#options.ageMillisMax
    for (let line = this.#free.pop(); line !== undefined; line = this.#free.pop()) {
      line.isFree = false
      if (line.connectedAt >= bornAfter) return line
      this.#leave(line)
    }
    return undefined
  }

  #opened(): Line {
    const client = new Client(this.#origin, this.#options.client)
    const line: Line = { client, connectedAt: Number.POSITIVE_INFINITY, isFree: false }
    this.#all.add(line)
    client
      .on("connect", () => {
        line.connectedAt = performance.now()
      })
      .on("drain", () => this.#release(line))
      .on("disconnect", () => this.#leave(line))
      .on("connectionError", () => this.#leave(line))
    return line
  }

  #release(line: Line): void {
    const { client } = line
    if (line.isFree || client.closed || client.stats.size > 0) return
    line.isFree = true
    this.#free.push(line)
  }

  #leave(line: Line): void {
    if (line.isFree) this.#free.splice(this.#free.indexOf(line), 1)
    line.isFree = false
    if (line.client.closed) return
    line.client.close(() => {
      this.#all.delete(line)
      if (this.#all.size === 0) this.#options.onEmpty()
    })
  }
}
