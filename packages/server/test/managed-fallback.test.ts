/** Students that this server serves beside a source that answers in their place (contract 15.18). */
import { afterAll, assert, beforeAll, it } from "@effect/vitest"
import { fromHooks } from "@limbeck/testing/AtEnd"
import { eventually } from "@limbeck/testing/Eventually"
import * as Deployments from "@limbeck/testing/http/DeploymentSteps"
import { readUntil } from "@limbeck/testing/http/Steps"
import { Signal } from "@limbeck/testing/Signal"
import { Models } from "@limbeck/testing/upstream/Models"
import { assertRefused, expectStatus } from "./support/Client.ts"
import { onOneStorage } from "./support/House.ts"
import { begin, isAlive, publishing, ServedPlace } from "./support/ManagedStudents.ts"
import { answered, asked, call, fallbackTo, serving } from "./support/Serving.ts"

/** Answers in shadow that are evidence enough, if all of them agree. */
const comparisons = 50

const place = new ServedPlace()
const upstream = new Models()
const atEnd = fromHooks(afterAll)
beforeAll(async () => {
  await place.open(atEnd)
  await upstream.open()
  atEnd(() => upstream.close())
})

onOneStorage(
  "a student that this server serves beside a fallback",
  (house) => {
    it("that is killed under load fails no request, and is started again (P312)", async () => {
      const { live, named, studentOf, workspace } = await begin(house)
      const fallback = await fallbackTo(live, upstream.speaking("from above"))
      const student_model = await studentOf("killed")
      await Deployments.deployAndWait(live, { alias: "killed", student_model, mode: "active", fallback })
      const answers: Array<Awaited<ReturnType<typeof answered>>> = []
      const changes = new Signal()
      let isOver = false
      const client = async () => {
        while (!isOver) {
          answers.push(await answered(await call(house, workspace, asked("killed"))))
          changes.ring()
        }
      }
      const load = Promise.all(Array.from({ length: 4 }, client))
      const servedBy = (who: string, since: number) =>
        changes.until(`${who} answers`, () => answers.slice(since).some((answer) => answer.servedBy === who))
      await servedBy("student", 0)
      const [first] = place.startsOf(`${named}killed`)
      assert.isDefined(first)
      process.kill(first.pid, "SIGKILL")
      await servedBy("upstream_fallback", answers.length)
      await eventually("it is started again", async () =>
        place.startsOf(`${named}killed`).length === 2 ? true : undefined
      )
      await servedBy("student", answers.length)
      isOver = true
      await load
      assert.deepStrictEqual(
        answers.filter(({ status }) => status !== 200),
        []
      )
      assert.lengthOf(place.startsOf(`${named}killed`), 2)
    })

    it("listens in shadow, answers on that evidence, gives way to the fallback when it disagrees, and comes back (P384)", async () => {
      const { live, named, studentOf, workspace } = await begin(house)
      let isSame = true
      const above = upstream.speaking(({ messages }) => (isSame ? (messages.at(-1)?.content ?? "") : "something else"))
      const fallback = await fallbackTo(live, above)
      const alias = "guarded"
      const guard = { min_agreement: 0.5, verify_percent: 100 }
      const body = { alias, student_model: await studentOf("guarded"), mode: "shadow", fallback, guard }
      const { id, managed } = await Deployments.deployAndWait(live, body)
      assert.isTrue(managed)
      const shown = (so: (deployment: Deployments.DeploymentDetail) => boolean) =>
        readUntil(() => live.get<Deployments.DeploymentDetail>(`${Deployments.path}/${id}`), so)
      const activate = () => live.patch<Deployments.DeploymentView>(`${Deployments.path}/${id}`, { mode: "active" })
      const ask = async (times: number) => {
        const servedBy = new Set<string | null>()
        for (let nth = 0; nth < times; nth++) {
          const { servedBy: who } = await answered(await call(house, workspace, asked(alias, `ticket ${nth}`)))
          servedBy.add(who)
        }
        return servedBy
      }
      assertRefused(await activate(), 409, "conflict_error", "guard")
      assert.deepStrictEqual(await ask(comparisons), new Set(["shadow"]))
      await shown(({ agreement }) => (agreement?.comparisons ?? 0) >= comparisons)
      assert.deepInclude(expectStatus(await activate(), 200), { mode: "active", managed: true })
      assert.deepStrictEqual(await ask(1), new Set(["student"]))

      isSame = false
      await ask(30)
      const { guard: guarded } = await shown(({ guarded_at }) => guarded_at !== null)
      assert.isBelow(guarded?.breach?.value ?? 1, 0.5)
      assert.deepStrictEqual(await ask(3), new Set(["upstream_fallback"]))
      // It is neither asked nor stopped.
      assert.isTrue(place.startsOf(`${named}guarded`).every(isAlive))
      assert.deepInclude(expectStatus(await activate(), 200), { guarded_at: null })
      assert.deepStrictEqual(await ask(3), new Set(["student"]))
      assert.lengthOf(place.startsOf(`${named}guarded`), 1)
    })
  },
  { ...serving, llm: publishing, servers: place.commanded("echo") }
)
