/** A dated version's change in the shape of a resource, described backwards: its earlier form. */
import type * as Schema from "effect/Schema"

export interface Change {
  /** The version that brought the change. */
  readonly since: string
  /** The kind of resource: its `object`. */
  readonly object: string
  /** A pattern of the event types with such a resource. */
  readonly events: string
  /** Converts a resource to the shape before the change. Returns a resource of that shape unchanged. */
  readonly before: (resource: Schema.JsonObject) => Schema.JsonObject
}
