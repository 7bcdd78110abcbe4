/**
 * The dated versions of the API, and the changes that convert an answer or event of the newest version to an older one
 * (contract 11). All other code knows only the newest version. docs/changelog.md explains how to add a version. Pure.
 */
import type * as Schema from "effect/Schema"
import * as EventPattern from "../events/EventPattern.ts"
import { isObject } from "../json/Json.ts"
import type { Change } from "./Change.ts"
import { uploadErrors } from "./internal/UploadErrors.ts"

/** Newest first; the only list of versions. */
export const versions = ["2026-11-01", "2026-10-01"] as const

/** The version for requests that name none. */
export const newest: string = versions[0]

/** Newest first. */
const changes: ReadonlyArray<Change> = [uploadErrors]

export const isKnown = (version: string): boolean => versions.some((known) => known === version)

/** The versions as listed in errors. */
export const versionList = versions.join(", ")

/** The changes between two versions; dates in this form compare as texts. */
const between = (version: string, from: string): ReadonlyArray<Change> =>
  changes.filter(({ since }) => since > version && since <= from)

const undone = (resource: Schema.JsonObject, undoing: ReadonlyArray<Change>): Schema.JsonObject =>
  undoing.reduce((shown, change) => (shown["object"] === change.object ? change.before(shown) : shown), resource)

/** An event is never converted to a newer version than its own. */
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

/** Converts a newest-version response, a resource or a list of resources, to another version. */
export const answerIn = (version: string, answer: unknown): unknown => {
  if (version === newest) return answer
  if (!isObject(answer) || !Array.isArray(answer["data"])) return resourceIn(version, answer)
  return { ...answer, data: answer["data"].map((item) => resourceIn(version, item)) }
}

/** Like `answerIn` for the stored JSON text of a resource or event. The newest version stays byte for byte. */
export const textIn = (version: string, text: string): string =>
  version === newest ? text : JSON.stringify(answerIn(version, JSON.parse(text)))
