/** An OpenTelemetry collector that keeps received data: OTLP over HTTP as JSON. */
import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { Signal } from "../Signal.ts"

interface Attribute {
  readonly key: string
  readonly value: { readonly stringValue?: string; readonly intValue?: string | number; readonly boolValue?: boolean }
}

interface SentSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly attributes: ReadonlyArray<Attribute>
}

interface SentTraces {
  readonly resourceSpans: ReadonlyArray<{
    readonly scopeSpans: ReadonlyArray<{ readonly spans: ReadonlyArray<SentSpan> }>
  }>
}

interface SentMetrics {
  readonly resourceMetrics: ReadonlyArray<{
    readonly scopeMetrics: ReadonlyArray<{ readonly metrics: ReadonlyArray<{ readonly name: string }> }>
  }>
}

export interface CollectedSpan extends Omit<SentSpan, "attributes"> {
  readonly attributes: Readonly<Record<string, string | number | boolean | undefined>>
}

const shown = ({ attributes, ...span }: SentSpan): CollectedSpan => ({
  ...span,
  attributes: Object.fromEntries(
    attributes.map(({ key, value }) => [key, value.stringValue ?? value.intValue ?? value.boolValue])
  )
})

export class Collector {
  /** Rings when a body is received. */
  readonly changes = new Signal()
  readonly spans: Array<CollectedSpan> = []
  readonly metricNames = new Set<string>()
  /** Everything, as it came. */
  readonly bodies: Array<string> = []
  readonly headers: Array<Readonly<Record<string, string | ReadonlyArray<string> | undefined>>> = []
  private readonly server = createServer(async (request, response) => {
    const body = (await request.toArray()).join("")
    this.bodies.push(body)
    this.headers.push(request.headers)
    if (request.url === "/v1/traces") this.takeTraces(JSON.parse(body))
    else if (request.url === "/v1/metrics") this.takeMetrics(JSON.parse(body))
    response.writeHead(200, { "content-type": "application/json" }).end("{}")
    this.changes.ring()
  })

  /** Listens; `close` it at the end. */
  static async open(): Promise<Collector> {
    const collector = new Collector()
    await once(collector.server.listen(0, "127.0.0.1"), "listening")
    return collector
  }

  get endpoint(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}` // It listens on a port.
  }

  close(): void {
    this.server.close()
    this.server.closeAllConnections()
  }

  private takeTraces({ resourceSpans }: SentTraces) {
    for (const { scopeSpans } of resourceSpans) {
      for (const { spans } of scopeSpans) this.spans.push(...spans.map(shown))
    }
  }

  private takeMetrics({ resourceMetrics }: SentMetrics) {
    for (const { scopeMetrics } of resourceMetrics) {
      for (const { metrics } of scopeMetrics) for (const { name } of metrics) this.metricNames.add(name)
    }
  }
}
