/** Every tenant URL follows one rule, for any purpose. */
import { it } from "@effect/vitest"
import { post } from "@limbeck/testing/http/DeploymentSteps"
import { body as source } from "@limbeck/testing/http/SourceSteps"
import { key } from "@limbeck/testing/upstream/Models"
import { assertRefused, type Client, expectStatus } from "./support/Client.ts"
import { onMemory } from "./support/House.ts"

const odd = [
  "https://@example.com",
  "https:example.com",
  " https://x.example",
  "https://exa\tmple.com",
  "https://user:password@example.com",
  "https://example.com\\@other.example",
  `https://x.example/${"a".repeat(2_048)}`
]

const credentials = { access_key_id: "id", secret_access_key: "secret" }

/** Where a URL is set, and the name of its field. */
const places: ReadonlyArray<readonly [path: string, param: string, body: (url: string) => object]> = [
  ["/v1/webhook_endpoints", "url", (url) => ({ url, enabled_events: ["*"] })],
  ["/v1/sources", "base_url", (base_url) => source({ base_url })],
  ["/v1/distill/connectors", "config.url", (url) => ({ name: "a", kind: "http_jsonl", config: { url } })],
  [
    "/v1/distill/connectors",
    "config.base_url",
    (base_url) => ({ name: "a", kind: "openai_stored_completions", config: { base_url, api_key: key } })
  ],
  [
    "/v1/distill/connectors",
    "config.endpoint",
    (endpoint) => ({
      name: "a",
      kind: "s3",
      config: { bucket: "bucket", region: "eu-west-1", prefix: "a", endpoint, ...credentials }
    })
  ],
  ["/v1/distill/rewards", "config.url", (url) => ({ name: "a", kind: "http", config: { url } })]
]

onMemory("a URL of a tenant", (house) => {
  const assertAll = async (caller: Client, path: string, param: string, body: (url: string) => object) => {
    for (const url of odd) assertRefused(await caller.post(path, body(url)), 400, "invalid_request_error", param)
    expectStatus(await caller.post(path, body("https://example.com")), 201)
  }

  it.each(places)(
    "given to %s as %s is taken as everybody reads it, or not at all (P120)",
    async (path, param, body) => {
      await assertAll((await house.workspace()).live, path, param, body)
    }
  )

  it.each(places)("given to %s as %s is https, but for this machine in test mode (P843)", async (path, param, body) => {
    const { live, test } = await house.workspace()
    const refused = (caller: Client, url: string) =>
      caller.post(path, body(url)).then((answer) => assertRefused(answer, 400, "invalid_request_error", param))
    for (const host of ["files.example", "localhost", "127.0.0.1", "[::1]", "10.0.0.1", "8.8.8.8"]) {
      await refused(live, `http://${host}`)
    }
    for (const host of ["files.example", "10.0.0.1", "8.8.8.8", "localhost.example"])
      await refused(test, `http://${host}`)
    for (const host of ["localhost:4711", "127.0.0.1:4711"])
      expectStatus(await test.post(path, body(`http://${host}`)), 201)
  })

  it("given to a deployment is held to the same", async () => {
    const { live } = await house.workspace()
    const bodyOf = (base_url: string) => ({
      alias: "desk",
      student_model: "mdl_00000000000000000000000000",
      mode: "active",
      endpoint: { base_url, model: "student" }
    })
    for (const url of odd) {
      const answer = await post(live, bodyOf(url))
      assertRefused(answer, 400, "invalid_request_error", "endpoint.base_url")
    }
  })
})

onMemory(
  "a URL of a tenant at an address that the operator lets through",
  (house) => {
    it.each(places.filter(([, param]) => param !== "url"))(
      "given to %s as %s may be plain http in live mode (P843)",
      async (path, _, body) => {
        const { live } = await house.workspace()
        expectStatus(await live.post(path, body("http://10.1.2.3:4711")), 201)
      }
    )
  },
  { egressAllow: ["10.0.0.0/8"] }
)
