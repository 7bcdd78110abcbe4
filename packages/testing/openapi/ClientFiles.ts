/** The generated files of `@limbeck/client`: the types of bodies and answers, and a table of routes. */
import * as fs from "node:fs"
import * as path from "node:path"
import openapiTS, { astToString } from "openapi-typescript"

const folder = path.resolve(import.meta.dirname, "../../client/src/api/generated")
const head = "/** Made of the OpenAPI document by `npm run docs:client`. Do not edit. */\n"

interface Operation {
  readonly operationId: string
  readonly summary: string
  readonly "x-service-scopes": ReadonlyArray<string>
  readonly tags: ReadonlyArray<string>
  readonly parameters?: ReadonlyArray<{ readonly in: string; readonly name: string }>
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Node }>> }
  readonly responses: Readonly<
    Record<string, { readonly content?: Readonly<Record<string, { readonly schema: Node }>> }>
  >
  readonly "x-service-idempotency-supported"?: boolean
}

interface Node {
  readonly $ref?: string
  readonly properties?: Readonly<Record<string, unknown>>
}

/** The proxy has stock clients, and contents and streams are sent and read in ways of their own. */
const left = new Set(["proxy", "upload_content", "shared_reports"])

const answerOf = ({ responses }: Operation) => (responses["200"] ?? responses["201"] ?? responses["202"])?.content ?? {}

const answersOf = (operation: Operation): string => {
  const content = answerOf(operation)
  const schema = content["application/json"]?.schema
  if (schema === undefined) return Object.keys(content)[0] === "text/event-stream" ? "events" : "lines"
  return schema.properties?.["next_cursor"] === undefined ? "resource" : "list"
}

const takesOf = ({ parameters = [], requestBody }: Operation): string => {
  // Actions such as a cancel take an object without members.
  if (requestBody?.content["application/json"]?.schema.$ref !== undefined) return "body"
  return parameters.some((parameter) => parameter.in === "query") ? "query" : "nothing"
}

interface Paths {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
}

const routesOf = (text: string): string => {
  const { paths }: Paths = JSON.parse(text)
  const lines = Object.entries(paths).flatMap(([url, methods]) =>
    Object.entries(methods)
      .filter(([, { tags }]) => !tags.some((tag) => left.has(tag)))
      .map(([method, operation]) => {
        const isKeyed = operation["x-service-idempotency-supported"] === true
        const facts = [`method: "${method.toUpperCase()}"`, `path: "${url}"`, `takes: "${takesOf(operation)}"`]
        return `  ${operation.operationId}: { ${facts.join(", ")}, answers: "${answersOf(operation)}", isKeyed: ${isKeyed} }`
      })
  )
  return `${head}\nexport const routes = {\n${lines.join(",\n")}\n} as const\n`
}

/** Every list takes these; they are no filters. */
const paging = new Set(["limit", "cursor"])

/** The filters of each list. The server ignores unknown filters, so clients with dynamic filters must check the names. */
const filtersOf = (text: string): string => {
  const { paths }: Paths = JSON.parse(text)
  const lines = Object.values(paths)
    .flatMap((methods) => Object.values(methods))
    .filter((operation) => answersOf(operation) === "list")
    .map(({ operationId, parameters = [] }) => {
      const names = parameters.filter((one) => one.in === "query" && !paging.has(one.name)).map(({ name }) => name)
      return `  ${operationId}: ${JSON.stringify(names)}`
    })
  return `${head}\nexport const filters = {\n${lines.join(",\n")}\n} as const\n`
}

/** Parts without types, or common to every operation: examples, headers, refusals. */
const isLeftOut = (key: string): boolean => /^(?:examples?|headers|[45]\d\d|default)$/.test(key)

/** The document without the parts that types ignore. `properties` are field names of any kind. */
const pruned = (node: unknown, isNames = false): unknown => {
  if (Array.isArray(node)) return node.map((item) => pruned(item))
  if (typeof node !== "object" || node === null) return node
  const kept = Object.entries(node).filter(([key]) => isNames || !isLeftOut(key))
  return Object.fromEntries(kept.map(([key, member]) => [key, pruned(member, !isNames && key === "properties")]))
}

const typesOf = async (text: string): Promise<string> => {
  const { components, ...document } = JSON.parse(text)
  const whole = pruned({ ...document, components: { schemas: components.schemas } })
  const made = await openapiTS(JSON.stringify(whole), {
    emptyObjectsUnknown: true,
    rootTypes: true,
    rootTypesNoSchemaPrefix: true
  })
  return head + astToString(made)
}

const resources = path.resolve(folder, "../Resources.ts")

/** The doc text of each method, which editors show on hover: the summary, the request, and the scope. */
const methodDocs = (text: string): ReadonlyMap<string, string> => {
  const { paths }: Paths = JSON.parse(text)
  return new Map(
    Object.entries(paths).flatMap(([url, methods]) =>
      Object.entries(methods).map(([method, operation]) => {
        const [scope] = operation["x-service-scopes"]
        const needs = scope === undefined ? "" : `, with the scope \`${scope}\``
        return [operation.operationId, `${operation.summary}. \`${method.toUpperCase()} ${url}\`${needs}.`] as const
      })
    )
  )
}

/** A method and, above it, its doc text. Longer docs of several lines are written by hand, and stay. */
const methodLines = /(?:^ +\/\*\* .+ \*\/\n)?^( +)(\w+): call\("(\w+)"\)/gm

/** The methods by resource, each with the doc text of its operation. */
const resourcesOf = (text: string): string => {
  const docs = methodDocs(text)
  return fs
    .readFileSync(resources, "utf8")
    .replace(methodLines, (_, indent: string, name: string, id: string) =>
      [`/** ${docs.get(id)} */`, `${name}: call("${id}")`].map((line) => indent + line).join("\n")
    )
}

/** The text of each file, by its path. */
const clientFiles = async (text: string): Promise<Readonly<Record<string, string>>> => ({
  [path.join(folder, "types.ts")]: await typesOf(text),
  [path.join(folder, "routes.ts")]: routesOf(text),
  [path.join(folder, "filters.ts")]: filtersOf(text),
  [resources]: resourcesOf(text)
})

/** What is out of date. */
export const staleFaults = async (text: string): Promise<ReadonlyArray<string>> =>
  Object.entries(await clientFiles(text))
    .filter(([file, made]) => !fs.existsSync(file) || fs.readFileSync(file, "utf8") !== made)
    .map(([file]) => `${path.relative(process.cwd(), file)} is out of date: run \`npm run docs:client\``)

export const writeClientFiles = async (text: string): Promise<void> => {
  fs.mkdirSync(folder, { recursive: true })
  for (const [file, made] of Object.entries(await clientFiles(text))) fs.writeFileSync(file, made)
}
