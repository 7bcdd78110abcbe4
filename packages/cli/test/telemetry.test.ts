/** The server as a process, and a collector beside it. */
import { assert, describe, it } from "@effect/vitest"
import { eventually } from "@limbeck/testing/Eventually"
import { client, expectStatus } from "@limbeck/testing/http/Client"
import { Collector } from "@limbeck/testing/telemetry/Collector"
import { quiet, Server, testToken } from "./Server.ts"

const trace = "4bf92f3577b34da6a3ce929d0e0e4736"

describe("OTEL_EXPORTER_OTLP_ENDPOINT", () => {
  it("has traces and metrics sent there, under the name and with the headers that are set, the last ones at the stop (P339)", async ({
    onTestFinished: atEnd
  }) => {
    const collector = await Collector.open()
    const server = new Server(atEnd, {
      ...quiet,
      STORAGE: "memory",
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
      OTEL_EXPORTER_OTLP_HEADERS: "api-key=for%20telemetry",
      OTEL_SERVICE_NAME: "loop",
      OTEL_TRACES_SAMPLER: "parentbased_always_off"
    })
    atEnd(() => collector.close())
    await server.start()
    const api = client(server.origin, testToken)
    expectStatus(await api.get("/v1/whoami"), 200)
    expectStatus(await api.get("/v1/whoami", { traceparent: `00-${trace}-00f067aa0ba902b7-01` }), 200)
    await server.stop()
    await eventually("metrics", () => collector.metricNames.has("http_requests_total"))
    assert.isTrue(collector.metricNames.has("limbeck_storage_writable"))
    const whole = collector.spans.filter(({ name }) => name === "GET")
    assert.deepStrictEqual(
      whole.map(({ attributes, parentSpanId, traceId }) => [traceId, parentSpanId, attributes["http.route"]]),
      [[trace, "00f067aa0ba902b7", "/v1/whoami"]]
    )
    assert.isTrue(collector.spans.every(({ traceId }) => traceId === trace))
    assert.isTrue(collector.headers.every((headers) => headers["api-key"] === "for telemetry"))
    assert.isTrue(collector.bodies.every((body) => body.includes('"loop"')))
  })
})
