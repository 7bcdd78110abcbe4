/** What parsed JSON may be. */
import type * as Schema from "effect/Schema"

/** Of what was parsed; a list is none. */
export const isObject = (value: unknown): value is Schema.JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)
