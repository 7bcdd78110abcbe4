/** The fallback source of a deployment cannot be removed (contract 3, 7). */
import { assert, it } from "@effect/vitest"
import {
  create,
  type DeploymentView,
  deployAndWait,
  endpoint,
  get,
  hasty,
  path,
  post,
  scene
} from "@limbeck/testing/http/DeploymentSteps"
import { create as createSource, sources } from "@limbeck/testing/http/SourceSteps"
import { type Answer, assertInvalid, assertRefused, type Client, expectStatus, type ListOf } from "./support/Client.ts"
import { onPostgres } from "./support/House.ts"

const removed = (caller: Client, { id }: { readonly id: string }) => caller.delete<unknown>(`${sources}/${id}`)
const patch = (caller: Client, { id }: DeploymentView, body: unknown) =>
  caller.patch<DeploymentView>(`${path}/${id}`, body)
const to = ({ id }: { readonly id: string }) => ({ fallback: { source: id, model: "gpt" } })

/** One was made and the other refused: the removal, or the reference to the source. */
const assertOneOf = (removal: Answer<unknown>, naming: Answer<DeploymentView>) => {
  if (removal.status === 200) return assertInvalid(naming, "fallback.source")
  assertRefused(removal, 409, "conflict_error")
  assert.isBelow(naming.status, 300, naming.text)
}

onPostgres(
  "a source that a deployment names",
  (house) => {
    it("is not removed until every such deployment names another, or is retired (P102)", async () => {
      const { live } = await house.workspace()
      const { source, students } = await scene(live)
      const other = await createSource(live)
      const body = { student_model: students[0], endpoint, ...to(source) }
      const active = await deployAndWait(live, { ...body, alias: "named", mode: "active" })
      const shadow = await create(live, { ...body, alias: "named", mode: "shadow" })
      const unread = { ...to(source), student_model: students[0], mode: "active", endpoint }
      const third = await deployAndWait(live, { ...unread, alias: "third" })
      const refusal = await removed(live, source)
      assertRefused(refusal, 409, "conflict_error")
      assert.match(refusal.text, new RegExp([active, shadow, third].map(({ id }) => id).join("|")))
      expectStatus(await patch(live, active, to(other)), 200)
      expectStatus(await live.post(`${path}/${shadow.id}/retire`), 200)
      assertRefused(await removed(live, source), 409, "conflict_error")
      expectStatus(await patch(live, third, { fallback: null }), 200)
      expectStatus(await removed(live, source), 200)
      assertRefused(await removed(live, source), 404, "not_found_error")
      assertRefused(await removed(live, other), 409, "conflict_error")
      assertInvalid(await patch(live, third, to(source)), "fallback.source")
    })

    it("and is the default one keeps being it where it may not go", async () => {
      const { live, test } = await house.workspace()
      const { students } = await scene(live)
      const source = await createSource(live, { default: true })
      await create(live, { alias: "kept", student_model: students[0], mode: "active", endpoint, ...to(source) })
      assertRefused(await removed(live, source), 409, "conflict_error")
      const shown = expectStatus(await live.get<{ readonly default: boolean }>(`${sources}/${source.id}`), 200)
      assert.isTrue(shown.default)
      assertRefused(await removed(test, source), 404, "not_found_error")
    })

    it("while it is removed is either gone and named by none, or stays (P102)", async () => {
      const { live } = await house.workspace()
      const { students } = await scene(live)
      const body = { student_model: students[0], mode: "active", endpoint }
      const changed = await deployAndWait(live, { ...body, alias: "changed" })
      for (let round = 0; round < 12; round++) {
        const [one, two] = [await createSource(live), await createSource(live)]
        const [removal, creation, otherRemoval, change] = await Promise.all([
          removed(live, one),
          post(live, { ...body, alias: `race-${round}`, ...to(one) }),
          removed(live, two),
          patch(live, changed, to(two))
        ])
        assertOneOf(removal, creation)
        assertOneOf(otherRemoval, change)
      }
      const { data } = expectStatus(await live.get<ListOf<DeploymentView>>(`${path}?limit=100`), 200)
      for (const { fallback } of data) {
        if (fallback !== null) expectStatus(await live.get(`${sources}/${fallback.source}`), 200)
      }
    })

    it("is named by many at once, and by all of them", async () => {
      const { live } = await house.workspace()
      const { source, students } = await scene(live)
      const body = { student_model: students[0], mode: "active", endpoint, ...to(source) }
      const all = Array.from({ length: 8 }, (_, index) => post(live, { ...body, alias: `many-${index}` }))
      for (const answer of await Promise.all(all)) {
        assert.strictEqual((await get(live, expectStatus(answer, 201).id)).fallback?.source, source.id)
      }
    })
  },
  { builtin: hasty, llm: hasty }
)
