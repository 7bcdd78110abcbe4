/** What parsed JSON may be. */
import type * as Schema from "effect/Schema"

/** Whether a parsed value is an object; false for lists. */
export const isObject = (value: unknown): value is Schema.JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)
