import { assert, describe, it } from "@effect/vitest"
import * as Event from "../../src/events/Event.ts"
import * as JsonTexts from "../../src/json/JsonTexts.ts"
import * as Partition from "../../src/partition/Partition.ts"
import * as Rendered from "../../src/resources/Rendered.ts"
import { newest } from "../../src/versions/ApiVersions.ts"

const workspace = "ws_00000000000000000000000001"
const live = Partition.make(workspace, true)

describe("what is shown of a resource", () => {
  it("is made and written once for each of its states (P368)", () => {
    let made = 0
    let written = 0
    const render = Rendered.memoize(({ livemode }: Partition.Partition, { name }: { readonly name: string }) => {
      made++
      const toJSON = () => {
        written++
        return { livemode, name }
      }
      return Object.defineProperty({ livemode, name }, "toJSON", { value: toJSON })
    })
    const [before, after] = [{ name: "a" }, { name: "b" }]
    const texts = [before, before, after, before].map((state) => JsonTexts.of({ data: [render(live, state)] }))
    assert.deepStrictEqual(
      texts,
      ["a", "a", "b", "a"].map((name) => `{"data":[{"livemode":true,"name":"${name}"}]}`)
    )
    const event = Event.make(live, "evt_00000000000000000000000001", 0, {
      type: "thing.made",
      object: render(live, after)
    })
    assert.strictEqual(
      event.body,
      JSON.stringify({
        id: event.id,
        object: "event",
        type: "thing.made",
        created_at: "1970-01-01T00:00:00.000Z",
        workspace_id: workspace,
        livemode: true,
        api_version: newest,
        data: { object: { livemode: true, name: "b" } }
      })
    )
    assert.deepStrictEqual([made, written], [2, 2])
    assert.deepInclude(render(Partition.make(workspace, false), before), { livemode: false })
  })
})
