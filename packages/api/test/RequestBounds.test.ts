/** Nothing in a request body is without a bound, and the document says which (contract 15.9). */
import { assert, describe, it } from "@effect/vitest"
import { contract } from "../src/contract/Api.ts"
import * as OpenApiDocument from "../src/contract/OpenApiDocument.ts"

interface Node {
  readonly $ref?: string
  readonly type?: string
  readonly enum?: ReadonlyArray<unknown>
  readonly const?: unknown
  readonly format?: string
  readonly not?: unknown
  readonly maxLength?: number
  readonly maxItems?: number
  readonly maxProperties?: number
  readonly items?: Node | false
  readonly prefixItems?: ReadonlyArray<Node>
  readonly properties?: Readonly<Record<string, Node>>
  readonly additionalProperties?: Node | boolean
  readonly allOf?: ReadonlyArray<Node>
  readonly anyOf?: ReadonlyArray<Node>
  readonly oneOf?: ReadonlyArray<Node>
}

interface Operation {
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Node }>> }
}

/** Raw bytes, bounded by size. */
const passed = (path: string): boolean => path.startsWith("/v1/proxy/") || path.endsWith("/content")

/** A row and its completion are held to the rules of rows of an upload, which count members and depth in all. */
const freeJson = new Set([
  "post /v1/distill/rewards/{reward_id}/score row",
  "post /v1/distill/rewards/{reward_id}/score completion"
])

const isBounded = (node: Node, bound: "maxLength" | "maxItems" | "maxProperties"): boolean =>
  node[bound] !== undefined || (node.allOf ?? []).some((part) => part[bound] !== undefined)

/** What a date is written as. */
const boundedFormats = ["date-time"]

class Walk {
  readonly unbounded: Array<string> = []
  private readonly schemas: Readonly<Record<string, Node>>

  constructor(schemas: Readonly<Record<string, Node>>) {
    this.schemas = schemas
  }

  visit(node: Node, at: string, seen: ReadonlyArray<string> = []): void {
    if (freeJson.has(at)) return
    const { $ref } = node
    if ($ref !== undefined) {
      const next = this.schemas[$ref.slice($ref.lastIndexOf("/") + 1)]
      assert.isDefined(next, $ref)
      if (!seen.includes($ref)) this.visit(next!, at, [...seen, $ref])
      return
    }
    for (const part of [...(node.anyOf ?? []), ...(node.oneOf ?? []), ...(node.allOf ?? [])])
      this.visitPart(part, at, seen)
    if (node.enum === undefined && node.const === undefined) this.visitType(node, at, seen)
  }

  /** A part of `allOf` that has no type only adds a bound. */
  private visitPart(node: Node, at: string, seen: ReadonlyArray<string>): void {
    const isShape = ["$ref", "type", "anyOf", "oneOf", "allOf", "enum", "const"].some((member) => member in node)
    if (isShape) this.visit(node, at, seen)
  }

  private visitType(node: Node, at: string, seen: ReadonlyArray<string>): void {
    const { format = "", items, prefixItems = [], type } = node
    switch (type) {
      case "string":
        if (!isBounded(node, "maxLength") && !boundedFormats.includes(format)) this.unbounded.push(`${at}: string`)
        return
      case "array":
        if (!isBounded(node, "maxItems")) this.unbounded.push(`${at}: array`)
        for (const item of items ? [items, ...prefixItems] : prefixItems) this.visit(item, `${at}[]`, seen)
        return
      case "object":
        this.visitMembers(node, at, seen)
        return
      case undefined:
        if (!node.anyOf && !node.oneOf && !node.allOf) this.unbounded.push(`${at}: anything`)
    }
  }

  private visitMembers(node: Node, at: string, seen: ReadonlyArray<string>): void {
    const { additionalProperties: rest = true, properties = {} } = node
    for (const [name, member] of Object.entries(properties)) this.visit(member, `${at} ${name}`, seen)
    const takesNoMore = rest === false || (typeof rest === "object" && rest.not !== undefined)
    if (!takesNoMore && !isBounded(node, "maxProperties")) this.unbounded.push(`${at}: members`)
    if (typeof rest === "object" && !takesNoMore) this.visit(rest, `${at} *`, seen)
  }
}

const unboundedIn = (document: unknown): ReadonlyArray<string> => {
  // Other tests check that it is an OpenAPI document.
  const { components, paths } = document as {
    readonly components: { readonly schemas: Readonly<Record<string, Node>> }
    readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  }
  const walk = new Walk(components.schemas)
  for (const [path, operations] of Object.entries(paths)) {
    for (const [method, { requestBody }] of Object.entries(operations)) {
      if (passed(path)) continue
      for (const { schema } of Object.values(requestBody?.content ?? {})) walk.visit(schema, `${method} ${path}`)
    }
  }
  return walk.unbounded
}

const documentOf = (schema: Node) => ({
  components: { schemas: { Named: { type: "string" } } },
  paths: { "/a": { post: { requestBody: { content: { "application/json": { schema } } } } } }
})

describe("request bodies", () => {
  it("have a bound for every text, list and map, which the document says (P120)", () => {
    assert.deepStrictEqual(unboundedIn(OpenApiDocument.make("https://service.example", contract)), [])
  })

  it.each<readonly [string, Node, ReadonlyArray<string>]>([
    ["a text", { type: "string" }, ["post /a: string"]],
    ["a text by name", { $ref: "#/components/schemas/Named" }, ["post /a: string"]],
    ["a list", { type: "array", items: { type: "string", maxLength: 1 } }, ["post /a: array"]],
    ["a list's item", { type: "array", maxItems: 1, items: { type: "string" } }, ["post /a[]: string"]],
    ["a map", { type: "object", additionalProperties: { type: "integer" } }, ["post /a: members"]],
    [
      "a member",
      { type: "object", additionalProperties: false, properties: { b: { anyOf: [{ type: "string" }] } } },
      ["post /a b: string"]
    ],
    ["anything", {}, ["post /a: anything"]]
  ])("would be found out: %s", (_, schema, expected) => {
    assert.deepStrictEqual(unboundedIn(documentOf(schema)), expected)
  })
})
