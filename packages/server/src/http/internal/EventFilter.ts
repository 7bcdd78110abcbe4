/** Refuses a filter by event type that no event can match: a poller with a mistyped type would wait for ever. */
import { type InvalidInput, invalid } from "@limbeck/core/errors/Errors"
import * as EventPattern from "@limbeck/core/events/EventPattern"
import { EventCatalog } from "@limbeck/core/events/Events"
import * as Effect from "effect/Effect"

interface EventFilter<E> {
  /** The name of the query parameter. */
  readonly param: string
  /** Undefined: no filter. */
  readonly given: string | undefined
  /** Whether the list has an event of the type: the host may have registered it earlier, and no longer does. */
  readonly hasEntry: Effect.Effect<boolean, E>
}

type Check = <E>(filter: EventFilter<E>) => Effect.Effect<void, InvalidInput | E>

/** `names`: what somebody may have meant. */
const checkWith =
  (isKnown: (given: string) => boolean, names: ReadonlyArray<string>): Check =>
  ({ given, hasEntry, param }) => {
    if (given === undefined || isKnown(given)) return Effect.void
    return Effect.flatMap(hasEntry, (isStored) => {
      if (isStored) return Effect.void
      const nearest = EventPattern.nearest(given, names)
      return invalid(param, `No event type matches this. The nearest is ${nearest}; see GET /v1/event_types`)
    })
  }

/** `pattern`: for lists that also accept `*` and `<prefix>.*`. `type`: for lists of exact types. */
export const make = Effect.map(EventCatalog, (catalog): { readonly pattern: Check; readonly type: Check } => {
  const types = catalog.types.map(({ type }) => type)
  const patterns = [...new Set(types.flatMap(EventPattern.patternsOf))].filter((pattern) => pattern !== "*")
  return {
    pattern: checkWith((given) => EventPattern.isKnown(given, types), patterns),
    type: checkWith((given) => types.includes(given), types)
  }
})
