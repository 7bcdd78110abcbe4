/**
 * The bounds of a row (contract 15.9). Depth and members are measured on the text before parsing, which bounds the cost
 * of reading a row.
 */
import { isObject } from "@limbeck/core/json/Json"
import * as JsonShape from "@limbeck/core/json/JsonShape"
import type * as Turns from "@limbeck/core/turns/Turns"
import type * as Schema from "effect/Schema"
import { DistillLimits } from "../Limits.ts"

const shapeMax = { depth: DistillLimits.rowDepthMax, members: DistillLimits.rowMembersMax }

const excesses: Readonly<Record<keyof JsonShape.ShapeMax, string>> = {
  depth: `Nests deeper than ${DistillLimits.rowDepthMax} levels`,
  members: `More than ${DistillLimits.rowMembersMax} members and items in all`
}

/** The reason why the text cannot be a row, before parsing; undefined if it may be one. */
export function* faultSteps(text: string): Turns.Steps<string | undefined> {
  if (text.length > DistillLimits.rowBytesMax) return `Longer than ${DistillLimits.rowBytesMax} bytes`
  const excess = yield* JsonShape.excessSteps(text, shapeMax)
  return excess && excesses[excess]
}

/** Whether lists and objects nest deeper than `max`. */
export const nestsDeeper = (value: Schema.Json, max: number): boolean => {
  if (typeof value !== "object" || value === null) return false
  if (max === 0) return true
  if (Array.isArray(value)) return value.some((item) => nestsDeeper(item, max - 1))
  const members = value as Schema.JsonObject
  for (const key in members) if (nestsDeeper(members[key] ?? null, max - 1)) return true
  return false
}

/** Characters of all its strings. */
const charactersOf = (value: Schema.Json | undefined): number => {
  if (typeof value === "string") return value.length
  if (typeof value !== "object" || value === null) return 0
  return Object.values(value).reduce((sum: number, member: Schema.Json) => sum + charactersOf(member), 0)
}

const isTooLong = (message: Schema.Json | undefined): boolean =>
  charactersOf(message) > DistillLimits.messageCharactersMax
const tooLong = (path: string): string => `${path}: More than ${DistillLimits.messageCharactersMax} characters`

/** The fault of a parsed value whose text has passed. */
export const faultOfMessages = (json: Schema.Json): string | undefined => {
  if (!isObject(json)) return undefined
  const { completion, messages } = json
  if (isTooLong(completion)) return tooLong("completion")
  if (!Array.isArray(messages)) return undefined
  if (messages.length > DistillLimits.rowMessagesMax) return `More than ${DistillLimits.rowMessagesMax} messages`
  const long = messages.findIndex(isTooLong)
  return long < 0 ? undefined : tooLong(`messages[${long}]`)
}

/** The fault of a value without text: all of the checks above. */
export const faultOf = (json: Schema.JsonObject): string | undefined => {
  if (nestsDeeper(json, DistillLimits.rowDepthMax)) return excesses.depth
  if (JsonShape.membersOf(json) > DistillLimits.rowMembersMax) return excesses.members
  return faultOfMessages(json)
}
