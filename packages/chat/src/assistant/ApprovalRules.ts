/** Which operations run without the person's approval: reads, and preparations that neither spend, serve nor delete. Pure. */
import { isObject } from "@limbeck/core/json/Json"
import type { Operation } from "./Operations.ts"

type Body = Readonly<Record<string, unknown>>

/** By operation id, whether a body only prepares. An operation outside this table waits for the person. */
const preparations: ReadonlyMap<string, (body: Body) => boolean> = new Map<string, (body: Body) => boolean>([
  ["createDataset", () => true],
  // A version that asks the teacher again spends money.
  ["createDatasetVersion", ({ clean }) => clean === undefined || clean === "report" || clean === "drop"],
  ["proposeRecipe", () => true],
  ["createRun", (body) => body["dry_run"] === true],
  ["createDeployment", (body) => body["mode"] === "shadow"]
])

const bodyOf = (input: unknown): Body => {
  const body = isObject(input) ? input["body"] : undefined
  return isObject(body) ? body : {}
}

/** Whether the operation waits for the person's approval. */
export const needsPerson = ({ method, name }: Pick<Operation, "method" | "name">, input: unknown): boolean =>
  method !== "GET" && preparations.get(name)?.(bodyOf(input)) !== true
