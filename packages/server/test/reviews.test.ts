/** Queues in which people judge answers: two at once, with leases, undo and feedback that the next version uses. */
import { afterAll, assert, beforeAll, it } from "@effect/vitest"
import type { ReviewQueue, ReviewTurn } from "@limbeck/api/ReviewsApi"
import { type Ticket, tickets } from "@limbeck/testing/fixtures/Tickets"
import { type DeploymentDetail, deployAndWait, path } from "@limbeck/testing/http/DeploymentSteps"
import { readUntil, versionOf } from "@limbeck/testing/http/Steps"
import { Models } from "@limbeck/testing/upstream/Models"
import { type FeedbackView, feedback } from "./support/Captured.ts"
import { assertInvalid, assertRefused, type Client, expectStatus, type ListOf } from "./support/Client.ts"
import { onEachStorage, onPostgres } from "./support/House.ts"
import { evaluated } from "./support/LiveRuns.ts"
import { answered, call, fallbackTo, serving } from "./support/Serving.ts"

type Queue = typeof ReviewQueue.Type
type Turn = typeof ReviewTurn.Type

const queues = "/v1/distill/review_queues"
const leaseMillis = 300_000

const queueOf = async (caller: Client, body: object) => expectStatus(await caller.post<Queue>(queues, body), 201)
const next = (caller: Client, { id }: Queue) => caller.post<Turn>(`${queues}/${id}/next`, {})
const judge = (caller: Client, { id }: Queue, body: object) => caller.post<Turn>(`${queues}/${id}/verdicts`, body)
const undo = (caller: Client, { id }: Queue, entry: number) => caller.post<Turn>(`${queues}/${id}/undo`, { entry })
const nextOf = async (caller: Client, queue: Queue) => expectStatus(await next(caller, queue), 200)
const entryOf = async (caller: Client, queue: Queue) => {
  const { entry } = await nextOf(caller, queue)
  if (entry === null) throw new Error("Nothing is left to judge")
  return entry
}
const said = async (caller: Client) =>
  expectStatus(await caller.get<ListOf<FeedbackView>>(`${feedback}?limit=100`), 200).data

/** Each prompt once: equal rows would become one. */
const rows = [...new Map(tickets({ rows: 60, seed: 1 }).map((row) => [row.messages.at(-1)?.content, row])).values()]
const exported = async (caller: Client, version: string, split: "holdout" | "train") => {
  const { text } = await caller.get<string>(`/v1/distill/dataset_versions/${version}/export?split=${split}`)
  return text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Ticket)
}
const textOf = ({ messages }: { readonly messages: unknown }) => JSON.stringify(messages)

onEachStorage("a review queue", (house) => {
  it("gives two people at once each entry as often as it needs, and counts each verdict (P1566)", async () => {
    const workspace = await house.workspace()
    const { live } = workspace
    const people = [await house.signedIn(workspace, "owner"), await house.signedIn(workspace, "member")] as const
    const { id: dataset_version } = await versionOf(live, rows, { holdout_fraction: 0.5 })
    const queue = await queueOf(live, { dataset_version, of: "holdout", limit: 10, shared: 0.2 })
    assert.deepInclude(queue, { entries: 10, judged: 0, dataset_version, deployment: null, people: [] })
    const work = async ({ client }: { readonly client: Client }, verdicts: ReadonlyArray<string>) => {
      const judged: Array<number> = []
      for (let { entry } = await nextOf(client, queue); entry !== null; ) {
        const verdict = verdicts[(entry.entry - 1) % verdicts.length]!
        judged.push(entry.entry)
        entry = expectStatus(await judge(client, queue, { entry: entry.entry, verdict }), 200).entry
      }
      return judged
    }
    // Of the entries for two people, 1 and 6, they agree on the first.
    const [one, other] = await Promise.all([
      work(people[0], ["right"]),
      work(people[1], ["right", "right", "right", "right", "right", "wrong"])
    ])
    assert.deepStrictEqual(
      [...one, ...other].toSorted((a, b) => a - b),
      [1, 1, 2, 3, 4, 5, 6, 6, 7, 8, 9, 10]
    )
    assert.strictEqual(new Set(one).size, one.length)
    const ended = expectStatus(await live.get<Queue>(`${queues}/${queue.id}`), 200)
    assert.deepInclude(ended, { judged: 10, agreement: { pairs: 2, agreed: 1, value: 0.5 } })
    assert.deepStrictEqual(
      new Map(ended.people.map(({ by, verdicts }) => [by.id, verdicts])),
      new Map([
        [people[0].id, one.length],
        [people[1].id, other.length]
      ])
    )
    const given = await said(live)
    assert.lengthOf(given, 12)
    assert.deepStrictEqual(
      new Set(given.map(({ given_by }) => given_by?.id ?? null)),
      new Set([people[0].id, people[1].id])
    )
    const { data } = expectStatus(await live.get<ListOf<Queue>>(`${queues}?dataset_version=${dataset_version}`), 200)
    assert.deepStrictEqual(data, [ended])
  })

  it("leases an entry for five minutes, counts a verdict once, and takes the last one back (P1567)", async () => {
    const workspace = await house.workspace()
    const { live } = workspace
    const { client: mine } = await house.signedIn(workspace, "owner")
    const { client: theirs } = await house.signedIn(workspace, "owner")
    const { id: dataset_version } = await versionOf(live, rows, { holdout_fraction: 0.5 })
    const queue = await queueOf(live, { dataset_version, of: "holdout", limit: 3, shared: 0 })
    const first = await entryOf(mine, queue)
    assert.strictEqual((await entryOf(mine, queue)).entry, first.entry)
    assert.notStrictEqual((await entryOf(theirs, queue)).entry, first.entry)
    assertRefused(await judge(theirs, queue, { entry: first.entry, verdict: "right" }), 409, "conflict_error", "entry")
    house.passTime(leaseMillis)
    assert.strictEqual((await entryOf(theirs, queue)).entry, first.entry)
    const press = { entry: first.entry, verdict: "wrong" }
    assertRefused(await judge(mine, queue, press), 409, "conflict_error", "entry")
    const presses = await Promise.all([judge(theirs, queue, press), judge(theirs, queue, press)])
    for (const answer of presses) expectStatus(answer, 200)
    assertRefused(await judge(theirs, queue, { ...press, verdict: "right" }), 409, "conflict_error", "entry")
    const [only, ...more] = await said(live)
    assert.deepStrictEqual(more, [])
    assert.deepInclude(only, { name: "correct", value: 0, comment: first.answer, call_id: null, external_id: null })
    assert.match(only?.prompt ?? "", /^[0-9a-f]{16}$/)
    const back = expectStatus(await undo(theirs, queue, first.entry), 200)
    assert.strictEqual(back.entry?.entry, first.entry)
    assert.deepStrictEqual([back.last, await said(live)], [null, []])
    const again = expectStatus(await undo(theirs, queue, first.entry), 200)
    assert.deepStrictEqual(again.entry?.entry, first.entry)
    const skipped = expectStatus(await judge(theirs, queue, { entry: first.entry, verdict: "skip" }), 200)
    assert.deepInclude(skipped.queue, { judged: 0 })
    assert.strictEqual(skipped.last, first.entry)
    assert.deepStrictEqual(await said(live), [])
    // Who skips leaves the entry to others.
    assert.strictEqual((await entryOf(mine, queue)).entry, first.entry)
  })

  it("names the right answer among the labels, and refuses what is none (P1568)", async () => {
    const { live } = await house.workspace()
    const { id: dataset_version } = await versionOf(live, rows, { holdout_fraction: 0.5 })
    const queue = await queueOf(live, { dataset_version, of: "holdout", limit: 2 })
    const { answer, entry, labels } = await entryOf(live, queue)
    assert.deepStrictEqual(new Set(labels), new Set(rows.map(({ completion }) => completion)))
    const correction = { entry, verdict: "correction" }
    assertInvalid(await judge(live, queue, correction), "answer")
    assertInvalid(await judge(live, queue, { ...correction, answer: "none of them" }), "answer")
    assertInvalid(await judge(live, queue, { entry, verdict: "right", answer }), "answer")
    assertRefused(await judge(live, queue, { entry: 3, verdict: "right" }), 404, "not_found_error", "entry")
    const right = labels.find((label) => label !== answer) ?? ""
    expectStatus(await judge(live, queue, { ...correction, answer: right }), 200)
    assert.deepInclude((await said(live))[0], { name: "correction", comment: right })
    assertInvalid(await live.post(queues, {}), null)
    assertInvalid(await live.post(queues, { dataset_version, deployment: "dep_01kaf3tn0e5v2b8w6xq4rj7mcd" }), null)
    assertInvalid(await live.post(queues, { deployment: "dep_01kaf3tn0e5v2b8w6xq4rj7mcd", of: "holdout" }), "of")
    assertRefused(await live.post(queues, { dataset_version }), 409, "conflict_error")
    assertRefused(
      await live.post(queues, { deployment: "dep_01kaf3tn0e5v2b8w6xq4rj7mcd" }),
      404,
      "not_found_error",
      "deployment"
    )
    assertRefused(await live.get(`${queues}/rvq_01kaf3tn0e5v2b8w6xq4rj7mcd`), 404, "not_found_error")
  })

  it("changes the train rows of the next version, and leaves its holdout rows as they are (P1569)", async () => {
    const { live } = await house.workspace()
    const first = await versionOf(live, rows, { holdout_fraction: 0.5, seed: 1 })
    const queue = await queueOf(live, { dataset_version: first.id, of: "holdout", limit: 30 })
    // With another seed, some rows of this holdout are train rows.
    const seed = 2
    const before = await versionOf(live, rows, { holdout_fraction: 0.5, seed })
    const trained = new Map((await exported(live, before.id, "train")).map((row) => [textOf(row), row.completion]))
    const corrected = new Map<string, string>()
    const wrong = new Set<string>()
    for (let { entry } = await nextOf(live, queue); entry !== null; ) {
      const { answer, entry: number, labels } = entry
      const isWrong = number % 3 === 0
      const right = labels.find((label) => label !== answer)!
      if (isWrong) wrong.add(textOf(entry))
      else corrected.set(textOf(entry), right)
      const press = isWrong ? { verdict: "wrong" } : { verdict: "correction", answer: right }
      entry = expectStatus(await judge(live, queue, { entry: number, ...press }), 200).entry
    }
    const after = await versionOf(live, rows, { holdout_fraction: 0.5, seed })
    const counted = (texts: Iterable<string>) => [...texts].filter((text) => trained.has(text)).length
    assert.deepStrictEqual(after.reviewed, { corrected: counted(corrected.keys()), dropped: counted(wrong) })
    assert.isAbove(after.reviewed.corrected, 0)
    assert.isAbove(after.reviewed.dropped, 0)
    assert.deepStrictEqual(before.reviewed, { corrected: 0, dropped: 0 })
    const expected = [...trained]
      .filter(([text]) => !wrong.has(text))
      .map(([text, own]) => [text, corrected.get(text) ?? own])
    assert.deepStrictEqual(
      new Map((await exported(live, after.id, "train")).map((row) => [textOf(row), row.completion])),
      new Map(expected as Array<[string, string]>)
    )
    assert.deepStrictEqual(await exported(live, after.id, "holdout"), await exported(live, before.id, "holdout"))
  })
})

const models = new Models()
beforeAll(() => models.open())
afterAll(() => models.close())

onPostgres(
  "a review queue of a deployment",
  (house) => {
    it("begins with contested answers, and a verdict for the student counts in its guard until it is undone (P1570)", async () => {
      const workspace = await house.workspace()
      const { live } = workspace
      const learnt = tickets({ rows: 200, seed: 1 })
      const student_model = await evaluated(live, learnt)
      const fallback = await fallbackTo(
        live,
        models.speaking(() => "never")
      )
      const guard = { min_agreement: 0, verify_percent: 100 }
      const { id } = await deployAndWait(live, { alias: "desk", student_model, mode: "active", fallback, guard })
      const asked = learnt.slice(0, 3)
      for (const { messages } of asked) {
        const { servedBy } = await answered(await call(house, workspace, { model: "svc:desk", messages }))
        assert.strictEqual(servedBy, "student")
      }
      const agreement = async () => {
        const detail = await readUntil(
          () => live.get<DeploymentDetail>(`${path}/${id}`),
          ({ agreement }) => agreement?.comparisons === asked.length
        )
        return detail.agreement?.value
      }
      assert.strictEqual(await agreement(), 0)
      const queue = await queueOf(live, { deployment: id })
      assert.deepInclude(queue, { of: "unsure", entries: asked.length, deployment: id })
      const entry = await entryOf(live, queue)
      assert.isTrue(entry.by_student)
      assert.isNumber(entry.confidence)
      expectStatus(await judge(live, queue, { entry: entry.entry, verdict: "right" }), 200)
      assert.deepInclude((await said(live))[0], {
        call_id: entry.call,
        name: "correct",
        value: 1,
        // The call has the answer.
        comment: null
      })
      assert.closeTo((await agreement()) ?? 0, 1 / 3, 1e-9)
      expectStatus(await undo(live, queue, entry.entry), 200)
      assert.strictEqual(await agreement(), 0)
      expectStatus(await live.delete(`/v1/distill/calls/${entry.call}`), 200)
      const { entry: following, queue: without } = await nextOf(live, queue)
      assert.notStrictEqual(following?.entry, entry.entry)
      assert.strictEqual(without.gone, 1)
    })
  },
  serving
)
