/** Concurrent changes of sources that name each other as fallbacks (contract 16.8). */
import { assert, it } from "@effect/vitest"
import { create, sources } from "@limbeck/testing/http/SourceSteps"
import type { Client } from "./support/Client.ts"
import { onEachStorage } from "./support/House.ts"

const rounds = 10

const name = (caller: Client, id: string, fallback: string) =>
  caller.patch(`${sources}/${id}`, { fallbacks: [{ source: fallback }] })

onEachStorage("sources", (house) => {
  it("that name each other as fallbacks at the same time make no circle (P1854)", async () => {
    const { live } = await house.workspace()
    for (let round = 0; round < rounds; round++) {
      const [one, other, third] = [await create(live), await create(live), await create(live)]
      const answers = await Promise.all([
        name(live, one.id, other.id),
        name(live, other.id, third.id),
        name(live, third.id, one.id)
      ])
      const statuses = answers.map(({ status }) => status)
      assert.deepStrictEqual(statuses.toSorted(), [200, 200, 400], answers.map(({ text }) => text).join())
    }
  })

  it("are removed or named as a fallback, never both (P1854)", async () => {
    const { live } = await house.workspace()
    for (let round = 0; round < rounds; round++) {
      const [holder, fallback] = [await create(live), await create(live)]
      const [named, removed] = await Promise.all([
        name(live, holder.id, fallback.id),
        live.delete(`${sources}/${fallback.id}`)
      ])
      assert.include(["200 409", "400 200"], `${named.status} ${removed.status}`, named.text + removed.text)
    }
  })
})
