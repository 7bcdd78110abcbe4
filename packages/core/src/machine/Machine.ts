/**
 * The life of a resource as a table and one pure function. The table gives the allowed moves by status and event; the
 * function makes the other changes. The kit refuses an unknown event, and a status outside the table.
 */

import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { Fact } from "../errors/Fact.ts"
import type { Millis } from "../time/Timestamp.ts"

/** The event is not allowed in the current status. */
export class InvalidTransition extends Fact<InvalidTransition>()("InvalidTransition", {
  /** The kind of the resource, such as `run`. */
  machine: Schema.String,
  from: Schema.String,
  event: Schema.String
}) {}

/** The allowed next statuses, by status and event. An absent event is rejected. */
export type Edges<Status extends string, Tag extends string> = Readonly<
  Record<Status, Partial<Readonly<Record<Tag, ReadonlyArray<Status>>>>>
>

/** What moves: it has a status, and knows when it changed last. */
export interface Stateful<Status extends string> {
  readonly status: Status
  readonly updatedAt: Millis
}

export interface Machine<
  Status extends string,
  Thing extends Stateful<Status>,
  Event extends { readonly _tag: string },
  Rules
> {
  readonly edges: Edges<Status, Event["_tag"]>
  /** Whether the table knows the event in the thing's status. */
  readonly check: (thing: Stateful<Status>, event: Event["_tag"]) => Result.Result<void, InvalidTransition>
  /** The thing after the event; `updatedAt` is `now`. Pure: `now` and `rules` come from the caller. */
  readonly transition: (
    thing: Thing,
    event: Event,
    now: Millis,
    rules: Rules
  ) => Result.Result<Thing, InvalidTransition>
}

export const make = <
  Status extends string,
  Thing extends Stateful<Status>,
  Event extends { readonly _tag: string },
  Rules = void
>(definition: {
  readonly name: string
  readonly edges: Edges<Status, Event["_tag"]>
  /** What the event changes, the status included. Called for events that the table knows alone. */
  readonly apply: (thing: Thing, event: Event, now: Millis, rules: Rules) => Thing
}): Machine<Status, Thing, Event, Rules> => {
  const { apply, edges, name } = definition

  const check = ({ status }: Stateful<Status>, event: Event["_tag"]) =>
    edges[status][event] === undefined
      ? Result.fail(new InvalidTransition({ machine: name, from: status, event }))
      : Result.void

  /** A status beside the table is a defect of the machine, not of its caller. */
  const moved = (from: Status, event: Event["_tag"], next: Thing): Thing => {
    if (edges[from][event]?.includes(next.status) === true) return next
    throw new Error(`The machine ${name} left its table: ${from} by ${event} led to ${next.status}`)
  }

  return {
    edges,
    check,
    transition: (thing, event, now, rules) =>
      Result.map(check(thing, event._tag), () =>
        moved(thing.status, event._tag, { ...apply(thing, event, now, rules), updatedAt: now })
      )
  }
}
