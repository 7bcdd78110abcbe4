/** Train rows whose answers look wrong, what `clean` makes of them, and prompts with several answers. */
import { assert, it } from "@effect/vitest"
import type { DatasetVersion, Suspect } from "@limbeck/api/DatasetsApi"
import type { Report } from "@limbeck/api/ReportsApi"
import * as BuiltinExecutor from "@limbeck/executors/builtin/BuiltinExecutor"
import { createRun, endedRun, versionOf } from "@limbeck/testing/http/Steps"
import { assertInvalid, assertRefused, type Client, expectStatus, type ListOf } from "./support/Client.ts"
import { onOneStorage } from "./support/House.ts"
import { planOf } from "./support/LiveRuns.ts"
import { assertHas } from "./support/Provider.ts"

type Version = typeof DatasetVersion.Type
type SuspectRow = typeof Suspect.Type

const versions = "/v1/distill/dataset_versions"
const every = 8

interface Ticket {
  readonly messages: ReadonlyArray<{ readonly role: string; readonly content: string }>
  readonly completion: string
}

const begins = [
  "Hello,",
  "Good morning,",
  "Please help:",
  "Since Monday",
  "Once more:",
  "For the third time",
  "A question:",
  "Dear team,"
]
const topics = {
  billing: ["the invoice shows a wrong amount", "why was my card charged", "explain the tax line of my bill"],
  refund: ["I want my money back", "return what I paid", "credit the canceled order"],
  delivery: ["where is my parcel", "the driver never came", "tracking has not moved"],
  password: ["I cannot sign in", "reset my password", "my account is locked"],
  export: ["how do I download all rows", "the CSV file is empty", "can I export to a spreadsheet"]
}
const things = ["blue lamp", "desk", "yearly plan", "phone case", "garden chair", "team plan", "kettle"]

const clean: ReadonlyArray<Ticket> = Object.entries(topics).flatMap(([completion, phrases]) =>
  phrases.flatMap((phrase) =>
    begins.flatMap((begin) =>
      things.slice(0, 4).map((_, at) => {
        const thing = things[(at + begin.length + phrase.length) % things.length]
        return { messages: [{ role: "user", content: `${begin} ${phrase}, about the ${thing}` }], completion }
      })
    )
  )
)

/** Every eighth has another topic's answer. */
const spoilt = (all: ReadonlyArray<Ticket>) => {
  const labels = Object.keys(topics)
  const other = ({ completion }: Ticket, index: number) =>
    labels[(labels.indexOf(completion) + 1 + (index % (labels.length - 1))) % labels.length]!
  return all.map((ticket, index) =>
    index % every === 0 ? { ...ticket, completion: other(ticket, index / every) } : ticket
  )
}

/** The student does not read it, so that positions among the rows and among the read rows differ. */
const image = { type: "image_url", image_url: { url: "https://example.com/a.png" } }
const unread = ["billing", "export"].map((completion, index) => ({
  messages: [{ role: "user", content: [{ type: "text", text: `What is this? ${index}` }, image] }],
  completion
}))

const rows = [...spoilt(clean), ...unread]
const textOf = (row: unknown): string => JSON.stringify((row as Ticket).messages)
const wrong = new Set(
  spoilt(clean)
    .filter((_, index) => index % every === 0)
    .map(textOf)
)

const suspectsOf = async (caller: Client, id: string): Promise<ReadonlyArray<SuspectRow>> => {
  const found: Array<SuspectRow> = []
  for (let query = "?limit=20"; ; ) {
    const page = expectStatus(await caller.get<ListOf<SuspectRow>>(`${versions}/${id}/suspects${query}`), 200)
    found.push(...page.data)
    if (!page.has_more) return found
    query = `?limit=20&cursor=${encodeURIComponent(page.next_cursor ?? "")}`
  }
}

const rowsOf = async (caller: Client, id: string) => {
  const lines = await caller.get<string>(`${versions}/${id}/export?split=train`)
  return lines.text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Ticket)
}

const warned = ({ warnings }: Version) => warnings.join(" ")

onOneStorage(
  "suspects of a version",
  (house) => {
    it("are train rows whose answers look wrong, the most suspicious first, with what stands near them (P1560)", async () => {
      const { live } = await house.workspace()
      const version = await versionOf(live, rows, { clean: "report" })
      const suspects = await suspectsOf(live, version.id)
      assertHas(version, { status: "ready", rows: new Set(rows.map(textOf)).size, clean: "report" })
      assertHas(version.cleaning, { suspects: suspects.length, reason: null })
      assert.isAtLeast(version.cleaning?.examined ?? 0, 0.9 * version.train_rows)
      assert.strictEqual(version.dropped.suspects, 0)
      const train = await rowsOf(live, version.id)
      const injected = train.filter((row) => wrong.has(textOf(row))).length
      const first = suspects.slice(0, injected)
      assert.isAtLeast(first.filter(({ row }) => wrong.has(textOf(row))).length / injected, 0.7)
      assert.deepStrictEqual(
        suspects.map(({ position }) => position),
        suspects.map((_, at) => at + 1)
      )
      assert.deepStrictEqual(
        suspects.map(({ score }) => score).toSorted((a, b) => b - a),
        suspects.map(({ score }) => score)
      )
      for (const { answer, confidence, row, score, suggested } of suspects) {
        assert.strictEqual(answer, row["completion"])
        assert.notStrictEqual(suggested, answer)
        assert.isAtLeast(confidence, score)
      }
      const [top] = suspects
      assert.strictEqual(top?.neighbours.length, 3)
      assert.isTrue(top?.neighbours.every(({ text, similarity }) => text !== "" && similarity > 0))
    })

    it("are left out by `drop` where they are confident, and are still shown (P1561)", async () => {
      const { live } = await house.workspace()
      const version = await versionOf(live, rows, { clean: "drop" })
      const whole = await versionOf(live, rows)
      const suspects = await suspectsOf(live, version.id)
      const confident = suspects.filter((suspect) => suspect.confident)
      assertHas(version.cleaning, { suspects: suspects.length, confident: confident.length })
      assert.isAbove(confident.length, 0)
      assert.strictEqual(version.dropped.suspects, confident.length)
      assertHas(version, { rows: whole.rows - confident.length, holdout_rows: whole.holdout_rows })
      assert.strictEqual(version.dropped.duplicates, whole.dropped.duplicates)
      const gone = new Set(confident.map(({ row }) => textOf(row)))
      assert.isFalse((await rowsOf(live, version.id)).some((row) => gone.has(textOf(row))))
      const again = await versionOf(live, rows, { clean: "drop" })
      assert.strictEqual(again.content_sha256, version.content_sha256)
    })

    it("are found by the first training of the builtin student, whose report has a learning curve, and unknown before (P1562, P1588)", async () => {
      const { live } = await house.workspace()
      const version = await versionOf(live, rows)
      assertHas(version, { clean: "report", cleaning: null })
      assertRefused(await live.get(`${versions}/${version.id}/suspects`), 409, "conflict_error")
      const plan = planOf(version.id, { epochs: 3 })
      const run = expectStatus(await createRun(live, { ...plan, dry_run: false }), 201)
      const ended = await endedRun(live, run.id)
      assert.strictEqual(ended.status, "succeeded", JSON.stringify(ended.error))
      const suspects = await suspectsOf(live, version.id)
      assert.isAtLeast(suspects.slice(0, 20).filter(({ row }) => wrong.has(textOf(row))).length, 14)
      assertRefused(await live.get(`${versions}/dsv_none/suspects`), 404, "not_found_error")
      const report = expectStatus(await live.get<typeof Report.Type>(`/v1/distill/reports/${ended.report}`), 200)
      const curve = report.learning_curve
      assert.deepStrictEqual(
        curve.map(({ share }) => share),
        [0.125, 0.25, 0.5, 1]
      )
      assert.strictEqual(report.twice_as_many?.rows, 2 * (curve.at(-1)?.rows ?? 0))
      assert.include(report.summary, `Twice as many rows (${report.twice_as_many?.rows}) would bring about`)
    })

    it("are none of answers that are no closed set: the version says why, and keeps every row (P1563)", async () => {
      const { live } = await house.workspace()
      const texts = clean
        .slice(0, 80)
        .map((ticket, index) => ({ ...ticket, completion: `An answer of its own, number ${index}` }))
      const version = await versionOf(live, texts, { clean: "drop" })
      assertHas(version, { status: "ready", rows: new Set(texts.map(textOf)).size })
      assertHas(version.cleaning, { examined: 0, suspects: 0 })
      assert.isString(version.cleaning?.reason)
      assert.include(warned(version), "No row was examined")
      assertRefused(await live.get(`${versions}/${version.id}/suspects`), 409, "conflict_error")
      const { id } = expectStatus(await live.post<{ readonly id: string }>("/v1/distill/datasets", { name: "a" }), 201)
      assertInvalid(
        await live.post(`/v1/distill/datasets/${id}/versions`, { from: { versions: [version.id] }, clean: "wash" }),
        "clean"
      )
    })

    it("prompts with several answers are counted, with the agreement that no student can pass (P1564)", async () => {
      const { live } = await house.workspace()
      const asked = (content: string, completion: string) => ({ messages: [{ role: "user", content }], completion })
      const mixed = [
        ...["yes", "no", "maybe"].map((answer) => asked("Is it open?", answer)),
        // Another spelling of prompt and answer.
        asked("is it open", "Yes."),
        ...Array.from({ length: 6 }, (_, index) => asked(`Is shop ${index} open?`, "yes"))
      ]
      const version = await versionOf(live, mixed)
      assert.deepStrictEqual(version.contradictions, { rows: 4, share: 0.4, agreement_max: 0.8 })
      assert.include(warned(version), "can agree with 80.0 % of the rows at most")
      const whole = await versionOf(live, mixed.slice(3))
      assert.deepStrictEqual(whole.contradictions, { rows: 0, share: 0, agreement_max: 1 })
      assert.notInclude(warned(whole), "answer otherwise")
    })
  },
  { builtin: BuiltinExecutor.executor }
)
