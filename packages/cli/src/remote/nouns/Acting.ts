/** Verbs of a noun: each asks one operation of the API, for one resource or for each id on standard input. */
import { readFile } from "node:fs/promises"
import { type OperationId, routes } from "@limbeck/client/operations"
import type { Output } from "../../Output.ts"
import * as Terminal from "../../terminal/Terminal.ts"
import { CommandError } from "../CommandError.ts"
import { type Command, failureOf } from "../Remote.ts"
import { oneOf, type Resource, showOne, watch } from "./Listing.ts"
import type { Noun, Verb } from "./NounTable.ts"
import type { Watching } from "./Watching.ts"

/** Names of the ids in an operation's path, in their order. */
export const idsOf = (operation: OperationId): ReadonlyArray<string> =>
  [...routes[operation].path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name)

/** `-` in place of an id: standard input has one in each line, alone or as the first cell or the `id` of a JSON value. */
const standardInput = "-"

const idIn = (line: string): string => {
  if (!line.startsWith("{")) return line.split("\t")[0] ?? ""
  const value: unknown = JSON.parse(line)
  // A line that begins with { is an object, or no JSON.
  const id = (value as Resource)["id"]
  if (typeof id === "string") return id
  throw new CommandError("standard input has a JSON value without an id", "usage")
}

async function* idsFrom(given: string): AsyncGenerator<string> {
  if (given !== standardInput) return yield given
  for await (const line of Terminal.input()) if (line.trim() !== "") yield idIn(line.trim())
}

const textOf = async (file: string): Promise<string> => {
  if (file !== standardInput) return readFile(file, "utf8")
  const lines: Array<string> = []
  for await (const line of Terminal.input()) lines.push(line)
  return lines.join("\n")
}

const bodyOf = async (file: string): Promise<unknown> => {
  const text = await textOf(file)
  try {
    return JSON.parse(text)
  } catch (error) {
    const name = file === standardInput ? "standard input" : file
    throw new CommandError(`${name} is no JSON: ${error instanceof Error ? error.message : error}`, "usage")
  }
}

/** Runs `act` for each id. A failure does not keep the others from it; returns the exit code. */
const forEach = async (ids: ReadonlyArray<string>, act: (ids: ReadonlyArray<string>) => Promise<void>) => {
  const [last = ""] = ids.slice(-1)
  let code = 0
  for await (const id of idsFrom(last)) {
    try {
      await act([...ids.slice(0, -1), id])
    } catch (error) {
      if (last !== standardInput) throw error
      Terminal.failure(failureOf(error))
      code = 1
    }
  }
  return code
}

/** A resource without fields was removed: the line says so by its id. */
const showResult = (output: Output, verb: string, resource: Resource, ids: ReadonlyArray<string>): void => {
  if (output.isJson || Object.keys(resource).length > 0) showOne(output, resource)
  else output.note(`${verb}: ${ids.at(-1) ?? ""}`)
}

export const show =
  (noun: Noun, ids: ReadonlyArray<string>, watching: Watching | undefined): Command =>
  async (_, output, operations) => {
    const read = (path: ReadonlyArray<string>) => oneOf(operations, noun.show, ...path)
    if (watching === undefined) return forEach(ids, async (path) => showOne(output, await read(path)))
    return watch(output, async () => [await read(ids)], { isSingle: true, noun, watching })
  }

export interface ActOptions {
  readonly name: string
  readonly verb: Verb
  readonly ids: ReadonlyArray<string>
  /** The file of the body; undefined for a verb without one. */
  readonly body: string | undefined
}

/** An operation that takes a body gets an empty one where the verb has none: all of its fields have defaults. */
const givenBody = async (operation: OperationId, body: string | undefined): Promise<ReadonlyArray<unknown>> => {
  if (body !== undefined) return [await bodyOf(body)]
  return routes[operation].takes === "body" ? [{}] : []
}

export const act =
  ({ body, ids, name, verb }: ActOptions): Command =>
  async (_, output, operations) => {
    const given = await givenBody(verb.operation, body)
    const once = async (path: ReadonlyArray<string>) =>
      showResult(output, name, await oneOf(operations, verb.operation, ...path, ...given), path)
    if (ids.length > 0 && body === undefined) return forEach(ids, once)
    await once(ids)
    return 0
  }
