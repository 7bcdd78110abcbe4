/** The doc text that editors show on hover, as the declarations have it, and what a broken connection says. */
import { readFileSync } from "node:fs"
import { assert, describe, it } from "vitest"
import { ConnectionError, makeClient, TimeoutError } from "../../src/api/Limbeck.ts"

const linesOf = (file: string) => readFileSync(new URL(`../../src/api/${file}`, import.meta.url), "utf8").split("\n")

/** Declarations without a comment that ends on the line above. */
const bare = (lines: ReadonlyArray<string>, declaration: RegExp) =>
  lines.filter((line, place) => declaration.test(line) && !/\*\/$/.test(lines[place - 1] ?? ""))

/** Comments of a generator alone: they say nothing to a person. */
const isEmpty = (comment: string) => /^\s*\/\*\* (?:@enum|Format:)[^*]*\*\/$/.test(comment)

describe("on hover", () => {
  it("each method of the client has the text of its operation (P1665)", () => {
    const lines = linesOf("Resources.ts")
    const method = /^\s+\w+: call\("\w+"\)/
    assert.isAbove(lines.filter((line) => method.test(line)).length, 80)
    assert.deepStrictEqual(bare(lines, method), [])
  })

  it("each field of bodies and answers has a text (P1665)", () => {
    const lines = linesOf("generated/types.ts")
    const schemas = lines.slice(lines.indexOf("    schemas: {"), lines.indexOf("    responses: never;"))
    // Deeper than a schema's own name.
    const field = /^ {12,}"?[\w-]+"?\??: /
    assert.isAbove(schemas.filter((line) => field.test(line)).length, 1_500)
    assert.deepStrictEqual(bare(schemas, field), [])
    assert.deepStrictEqual(schemas.filter((line) => isEmpty(line)).slice(0, 5), [])
  })
})

describe("a connection that breaks", () => {
  it("is named with its URL and cause, without the query (P1667)", async () => {
    const client = makeClient({ baseUrl: "http://127.0.0.1:2/limbeck/", token: "t", retriesMax: 0 })
    const error = await client.calls
      .list({ text: "private" })
      .page()
      .catch((cause: unknown) => cause)
    assert.instanceOf(error, ConnectionError)
    assert.match(
      String(error),
      /^ConnectionError: No answer from http:\/\/127\.0\.0\.1:2\/limbeck\/v1\/distill\/calls: connect ECONNREFUSED/
    )
    assert.notInclude(String(error), "private")
  })

  it("by its time limit is named with its URL (P1667)", async () => {
    const never = (request: Request) =>
      new Promise<Response>((_, reject) =>
        request.signal.addEventListener("abort", () => reject(request.signal.reason))
      )
    const client = makeClient({
      baseUrl: "http://a.example",
      token: "t",
      retriesMax: 0,
      timeoutMillis: 1,
      fetch: never
    })
    const error = await client.whoami().catch((cause: unknown) => cause)
    assert.instanceOf(error, TimeoutError)
    assert.strictEqual(error.message, "No answer from http://a.example/v1/whoami within 1 ms")
  })
})
