/**
 * Publishes events of host types, in their own transaction or in the host's. Every rejection happens before anything is
 * stored.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type { StorageError } from "../errors/Errors.ts"
import * as FieldPath from "../errors/FieldPath.ts"
import type { Partition } from "../partition/Partition.ts"
import type { HostClient, HostTransactionError } from "../storage/HostTransaction.ts"
import { Storage } from "../storage/Storage.ts"
import type { EventDraft, EventType, StoredEvent } from "./Event.ts"
import { Events } from "./Events.ts"
import type { StandardSchema } from "./StandardSchema.ts"

/** Nobody registered this type. */
export class UnknownEventType extends Schema.TaggedError<UnknownEventType>()("UnknownEventType", {
  message: Schema.String,
  type: Schema.String
}) {}

/** The object is not what the type's schema asks for. `path` leads to the first thing wrong; null: the object itself. */
export class InvalidEventObject extends Schema.TaggedError<InvalidEventObject>()("InvalidEventObject", {
  message: Schema.String,
  type: Schema.String,
  path: Schema.NullOr(Schema.String)
}) {}

export interface HostDraft {
  readonly partition: Partition
  readonly type: string
  /** The event's resource, as JSON will write it. */
  readonly object: object
}

export class HostEvents extends Context.Service<
  HostEvents,
  {
    /**
     * Stores the events and their deliveries, all or none, and answers them in their order. With `client`, in the
     * transaction that the host has begun there.
     */
    readonly publish: (
      drafts: ReadonlyArray<HostDraft>,
      client?: HostClient
    ) => Effect.Effect<
      ReadonlyArray<StoredEvent>,
      UnknownEventType | InvalidEventObject | StorageError | HostTransactionError
    >
  }
>()("@limbeck/core/events/HostEvents") {}

const refuse = (type: string, path: string | null, reason: string) =>
  new InvalidEventObject({ message: `${type}: ${path === null ? "" : `${path}: `}${reason}`, type, path })

/** Whether JSON writes the value as an object; false for lists, bigints and circular values. */
const isJsonObject = (value: unknown): boolean => {
  try {
    return JSON.stringify(value)?.startsWith("{") === true
  } catch {
    return false
  }
}

const checkObject = Effect.fnUntraced(function* (type: string, object: unknown, schema: StandardSchema | undefined) {
  if (!isJsonObject(object)) return yield* refuse(type, null, "the object of an event is a JSON object")
  if (schema === undefined) return
  const { issues } = yield* Effect.promise(async () => schema["~standard"].validate(object))
  if (issues === undefined) return
  const path = FieldPath.text(issues[0]?.path ?? [])
  return yield* refuse(type, path === "" ? null : path, issues[0]?.message ?? "the schema refuses it")
})

/** Only for what has passed `checkObject`. */
const toDraft = ({ object, type }: HostDraft): EventDraft => ({ type, object: object as Schema.JsonObject })

/** `types` are the host's own types. Hosts cannot publish built-in types. */
export const layer = (types: ReadonlyArray<EventType>): Layer.Layer<HostEvents, never, Events | Storage> =>
  Layer.effect(
    HostEvents,
    Effect.gen(function* () {
      const events = yield* Events
      const storage = yield* Storage
      const known = new Map(types.map((entry) => [entry.type, entry]))

      const check = Effect.fnUntraced(function* ({ object, type }: HostDraft) {
        const entry = known.get(type)
        if (entry === undefined) {
          return yield* new UnknownEventType({ message: `No event type "${type}" is registered`, type })
        }
        yield* checkObject(type, object, entry.schema)
      })

      /** One statement per table and partition, for any number of events. */
      const store = Effect.fnUntraced(function* (drafts: ReadonlyArray<HostDraft>) {
        const stored = new Map<HostDraft, StoredEvent>()
        for (const group of Map.groupBy(drafts, ({ partition }) => partition.key).values()) {
          // A group holds at least one event.
          const published = yield* events.publish(group[0]!.partition, group.map(toDraft))
          for (const [index, event] of published.entries()) stored.set(group[index]!, event)
        }
        return drafts.map((draft) => stored.get(draft)!)
      })

      const publish: HostEvents["Service"]["publish"] = Effect.fn("HostEvents.publish")(function* (drafts, client) {
        yield* Effect.forEach(drafts, check, { discard: true })
        // Distinct, also when the host names one object twice.
        const all = store(drafts.map((draft) => ({ ...draft })))
        return yield* client === undefined ? storage.transaction(all) : storage.inHostTransaction(client, all)
      })

      return HostEvents.of({ publish })
    })
  )
