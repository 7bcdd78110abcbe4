/**
 * The dated versions of the API, and what makes of an answer or an event of the newest one that of an older one (contract 11).
 * All other code knows the newest alone. docs/changelog.md says how a version is added. Pure.
 */
import type * as Schema from "effect/Schema"
import * as EventPattern from "../events/EventPattern.ts"
import { isObject } from "../json/Json.ts"
import type { Change } from "./Change.ts"
import { uploadErrors } from "./internal/UploadErrors.ts"

/** Newest first; this is the one list of them. */
export const versions = ["2026-11-01", "2026-10-01"] as const

/** What a request that names none is answered in. */
export const newest: string = versions[0]

/** Newest first. */
const changes: ReadonlyArray<Change> = [uploadErrors]

export const isKnown = (version: string): boolean => versions.some((known) => known === version)

/** As errors list them. */
export const known = versions.join(", ")

/** The changes between two versions; dates in this form compare as texts. */
const between = (version: string, from: string): ReadonlyArray<Change> =>
  changes.filter(({ since }) => since > version && since <= from)

const undone = (resource: Schema.JsonObject, undoing: ReadonlyArray<Change>): Schema.JsonObject =>
  undoing.reduce((shown, change) => (shown["object"] === change.object ? change.before(shown) : shown), resource)

/** An event is never newer than it was when it happened. */
const eventIn = (version: string, event: Schema.JsonObject): Schema.JsonObject => {
  const { api_version: from, data, type } = event
  if (typeof from !== "string" || typeof type !== "string" || from <= version || !isObject(data)) return event
  const undoing = between(version, from).filter(({ events }) => EventPattern.matches(events, type))
  const object = isObject(data["object"]) ? undone(data["object"], undoing) : data["object"]
  return { ...event, api_version: version, data: { ...data, object } } as Schema.JsonObject
}

const resourceIn = (version: string, value: unknown): unknown => {
  if (!isObject(value)) return value
  return value["object"] === "event" ? eventIn(version, value) : undone(value, between(version, newest))
}

/** An answer of the newest version, which is a resource or a list of resources, in another one. */
export const answerIn = (version: string, answer: unknown): unknown => {
  if (version === newest) return answer
  if (!isObject(answer) || !Array.isArray(answer["data"])) return resourceIn(version, answer)
  return { ...answer, data: answer["data"].map((item) => resourceIn(version, item)) }
}

/** As `answerIn`, of JSON text: a resource or an event as it is stored. The newest stays byte for byte what it is. */
export const textIn = (version: string, text: string): string =>
  version === newest ? text : JSON.stringify(answerIn(version, JSON.parse(text)))
