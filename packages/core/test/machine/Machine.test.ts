import { assert, describe, it } from "@effect/vitest"
import * as Machine from "@limbeck/core/machine/Machine"
import * as Result from "effect/Result"

type Status = "shut" | "open" | "gone"
interface Door {
  readonly status: Status
  readonly updatedAt: number
  readonly opened: number
}
type Event = { readonly _tag: "Opened" } | { readonly _tag: "Broken"; readonly into: Status }

const door = Machine.make<Status, Door, Event, { readonly by: number }>({
  name: "door",
  edges: { shut: { Opened: ["open"] }, open: { Broken: ["gone"] }, gone: {} },
  apply: (thing, event, _now, { by }) =>
    event._tag === "Opened" ? { ...thing, status: "open", opened: thing.opened + by } : { ...thing, status: event.into }
})

const shut: Door = { status: "shut", updatedAt: 1, opened: 0 }

describe("a machine", () => {
  it("moves a thing along its table, and dates the move", () =>
    assert.deepStrictEqual(
      door.transition(shut, { _tag: "Opened" }, 7, { by: 2 }),
      Result.succeed({
        status: "open",
        updatedAt: 7,
        opened: 2
      })
    ))

  it("refuses an event that its table does not know, and names machine, status and event", () => {
    const refused = Result.getOrThrow(
      Result.flip(door.transition(shut, { _tag: "Broken", into: "gone" }, 7, { by: 1 }))
    )
    assert.deepInclude(refused, { machine: "door", from: "shut", event: "Broken" })
    assert.isTrue(Result.isFailure(door.check(shut, "Broken")))
    assert.isTrue(Result.isSuccess(door.check(shut, "Opened")))
  })

  it("stops at a status that its table does not allow: that is a defect", () =>
    assert.throws(
      () => door.transition({ ...shut, status: "open" }, { _tag: "Broken", into: "shut" }, 7, { by: 1 }),
      "The machine door left its table: open by Broken led to shut"
    ))
})
