/** A version that asks a teacher about its suspects again (`clean: "relabel"`), over HTTP. */
import type { IncomingMessage } from "node:http"
import { afterAll, assert, beforeAll, it } from "@effect/vitest"
import type { Dataset, DatasetVersion, Suspect } from "@limbeck/api/DatasetsApi"
import type { ReviewQueue, ReviewTurn } from "@limbeck/api/ReviewsApi"
import { DistillLimits } from "@limbeck/distill/Limits"
import * as BuiltinExecutor from "@limbeck/executors/builtin/BuiltinExecutor"
import { create as createSource } from "@limbeck/testing/http/SourceSteps"
import { freshKey, linesOf, readUntil, uploadOf, versionOf } from "@limbeck/testing/http/Steps"
import { key, Models } from "@limbeck/testing/upstream/Models"
import { assertInvalid, expectStatus, type ListOf } from "./support/Client.ts"
import { onPostgres } from "./support/House.ts"
import { assertHas } from "./support/Provider.ts"

const models = new Models()
beforeAll(() => models.open())
afterAll(() => models.close())

const versions = "/v1/distill/dataset_versions"
const queues = "/v1/distill/review_queues"
const count = 120
const every = 6
const rightOf = (text: string) => (text.includes("money") ? "refund" : "invoice")

const rows = Array.from({ length: count }, (_, index) => {
  const content = index % 2 === 0 ? `give my money back, case ${index}` : `the bill shows a wrong sum, case ${index}`
  return { messages: [{ role: "user", content }], completion: index % every === 0 ? "invoice" : rightOf(content) }
})

const sentIn = (request: IncomingMessage) => {
  const { messages, model } = JSON.parse((request as IncomingMessage & { readonly sent: string }).sent)
  return { text: messages[0].content as string, model }
}

/** The teacher knows the answer; `absurd` reports more usage than a request allows. */
const base = () =>
  models.base((request, response) => {
    const { model, text } = sentIn(request)
    const message = { role: "assistant", content: rightOf(text) }
    const completion_tokens = model === "absurd" ? 10 ** 9 : 1
    response
      .writeHead(200, { "content-type": "application/json" })
      .end(JSON.stringify({ choices: [{ index: 0, message }], usage: { prompt_tokens: 10, completion_tokens } }))
  })

const listed = ["teacher", "absurd"].map((id) => ({ id, input_per_million: 9, output_per_million: 10 }))

onPostgres(
  "a version that is relabelled",
  (house) => {
    it("has the teacher's vote in the suspects' rows, for what its budget holds (P1573, P1574, P1576)", async () => {
      const { live } = await house.workspace()
      const base_url = base()
      await createSource(live, { name: "host", base_url, api_key: key, models: listed })
      const { id: upload } = await uploadOf(live, linesOf(rows))
      const { id } = expectStatus(await live.post<typeof Dataset.Type>("/v1/distill/datasets", { name: "a" }), 201)
      const path = `/v1/distill/datasets/${id}/versions`
      const budget = { max_cost_usd: 1 }
      const relabel = { source: "host", model: "teacher", budget }
      const body = { from: { upload }, holdout_fraction: 0, clean: "relabel", relabel }
      const refused = [
        [{ ...body, relabel: undefined }, "relabel"],
        [{ ...body, clean: "drop" }, "relabel"],
        [{ ...body, relabel: { ...relabel, budget: undefined } }, "relabel.budget"],
        [{ ...body, relabel: { ...relabel, budget: { max_cost_usd: 0.001 } } }, "relabel.budget.max_cost_usd"],
        [{ ...body, relabel: { ...relabel, source: "elsewhere" } }, "relabel.source"],
        [{ ...body, relabel: { ...relabel, model: "unpriced" } }, "relabel.model"]
      ] as const
      for (const [wrong, param] of refused) assertInvalid(await live.post(path, wrong, freshKey()), param)

      const built = (id: string) =>
        readUntil(
          () => live.get<typeof DatasetVersion.Type>(`${versions}/${id}`),
          ({ status }) => status !== "building"
        )
      const idempotency = freshKey()
      const made = expectStatus(await live.post<typeof DatasetVersion.Type>(path, body, idempotency), 201)
      const again = await live.post<typeof DatasetVersion.Type>(path, body, idempotency)
      assert.strictEqual(expectStatus(again, 201).id, made.id)
      const version = await built(made.id)
      assertHas(version, { status: "ready", rows: count, clean: "relabel", relabel })
      const figures = version.cleaning?.relabel
      if (!figures) throw new Error("The version was not relabelled")
      const { asked, changed, spent_usd } = figures
      assert.isAtLeast(asked, changed)
      assert.isAtMost(spent_usd, budget.max_cost_usd)
      const suspects = expectStatus(
        await live.get<ListOf<typeof Suspect.Type>>(`${versions}/${made.id}/suspects?limit=100`),
        200
      )
      const changes = suspects.data.filter(({ relabel }) => relabel?.outcome === "changed")
      assert.lengthOf(changes, changed)
      assert.isAbove(changed, 0)
      for (const { answer, relabel } of changes) {
        assert.strictEqual(answer, "invoice")
        assert.deepStrictEqual(relabel?.answers, ["refund", "refund"])
      }
      const lines = (await live.get<string>(`${versions}/${made.id}/export`)).text.trimEnd().split("\n")
      const wrong = lines
        .map((line) => JSON.parse(line))
        .filter((row) => row.completion !== rightOf(row.messages[0].content))
      assert.lengthOf(wrong, count / every - changed)
      assert.strictEqual(asked, suspects.data.length)

      const before = models.asked.length
      const absurd = { ...body, relabel: { ...relabel, model: "absurd" } }
      const other = await built(expectStatus(await live.post<typeof DatasetVersion.Type>(path, absurd), 201).id)
      // The report ends the asking: it may be true.
      assert.isAtMost(models.asked.length - before, DistillLimits.relabelAskedMax)
      assert.strictEqual(other.cleaning?.relabel?.spent_usd, budget.max_cost_usd)
      assert.include(other.warnings.join(" "), "The budget was spent")
      const calls = expectStatus(await live.get<ListOf<object>>("/v1/distill/calls?model=teacher"), 200)
      assert.lengthOf(calls.data, 0)
    })

    it("needs no teacher where a person judges: a verdict on a suspect reaches the next version's row (P1579)", async () => {
      const { live } = await house.workspace()
      const version = await versionOf(live, rows, { holdout_fraction: 0, clean: "report" })
      const queue = expectStatus(
        await live.post<typeof ReviewQueue.Type>(queues, { dataset_version: version.id, limit: 2 }),
        201
      )
      let { entry } = expectStatus(await live.post<typeof ReviewTurn.Type>(`${queues}/${queue.id}/next`, {}), 200)
      const corrected: Array<unknown> = []
      while (entry !== null) {
        assert.deepInclude(entry, { answer: "invoice", suggested: "refund" })
        corrected.push(entry.messages)
        const verdict = { entry: entry.entry, verdict: "correction", answer: "refund" }
        entry = expectStatus(
          await live.post<typeof ReviewTurn.Type>(`${queues}/${queue.id}/verdicts`, verdict),
          200
        ).entry
      }
      assert.lengthOf(corrected, 2)
      const after = await versionOf(live, rows, { holdout_fraction: 0 })
      assert.deepStrictEqual(after.reviewed, { corrected: 2, dropped: 0 })
      const exported = (await live.get<string>(`${versions}/${after.id}/export`)).text.trimEnd().split("\n")
      const answers = new Map(
        exported.map((line) => [JSON.stringify(JSON.parse(line).messages), JSON.parse(line).completion])
      )
      for (const messages of corrected) assert.strictEqual(answers.get(JSON.stringify(messages)), "refund")
      assert.lengthOf(
        [...answers.values()].filter((answer) => answer === "refund"),
        count / 2 - count / every + 2
      )
    })
  },
  { builtin: BuiltinExecutor.executor, egressAllow: ["127.0.0.0/8"] }
)
