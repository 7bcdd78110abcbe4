/** The table of errors: every row makes a sentence of its error's facts, and docs/errors.md lists them all. */
import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import * as BillingErrors from "@limbeck/billing/Errors"
import * as CaptureErrors from "@limbeck/capture/Errors"
import * as ChatErrors from "@limbeck/chat/Errors"
import * as CoreErrors from "@limbeck/core/errors/Errors"
import * as DistillErrors from "@limbeck/distill/Errors"
import * as ServingErrors from "@limbeck/serving/Errors"
import * as WebhookErrors from "@limbeck/webhooks/Errors"
import { errorTable, render, statusOf } from "../src/contract/ErrorTable.ts"

const modules = {
  core: CoreErrors,
  billing: BillingErrors,
  capture: CaptureErrors,
  distill: DistillErrors,
  serving: ServingErrors,
  webhooks: WebhookErrors,
  chat: ChatErrors
}

interface Listed {
  readonly tag: string
  readonly from: string
  readonly facts: ReadonlyArray<string>
}

/** Every error class of the packages. */
const listed: ReadonlyArray<Listed> = Object.entries(modules).flatMap(([from, module]) =>
  Object.entries(module).flatMap(([tag, value]) =>
    typeof value === "function" && "fields" in value
      ? [{ tag, from, facts: Object.keys(value.fields).filter((name) => name !== "_tag") }]
      : []
  )
)

/** The page's rows, without the padding of their cells. */
const page = readFileSync(new URL("../../../docs/errors.md", import.meta.url), "utf8")
const cellsOf = (line: string) =>
  line
    .split("|")
    .slice(1, -1)
    .map((cell) => cell.trim())
const onPage = page
  .split("\n")
  .filter((line) => line.startsWith("| `"))
  .map(cellsOf)

describe("the table of errors", () => {
  it("has a row for every error class that a package exports, and no other", () => {
    assert.sameMembers(
      listed.map(({ tag }) => tag),
      Object.keys(errorTable)
    )
  })

  it("is on the page docs/errors.md, with the facts of each error, its status and its code", () => {
    const rows: Readonly<Record<string, { readonly status: number; readonly code: string }>> = errorTable
    const expected = listed.map(({ facts, from, tag }) => [
      `\`${tag}\``,
      from,
      facts.map((fact) => `\`${fact}\``).join(", "),
      String(rows[tag]?.status),
      `\`${rows[tag]?.code}\``
    ])
    assert.sameDeepMembers(onPage, expected)
  })

  it("makes message and param of the facts", () => {
    const cases = [
      [CoreErrors.notFound("run", "run_1"), 404, "No such run: run_1", null],
      [CoreErrors.notFound("run", "run_1", "validated_dry_run"), 404, "No such run: run_1", "validated_dry_run"],
      [CoreErrors.referenceUnknown("source", "openai", "source"), 400, "No such source: openai", "source"],
      [
        new DistillErrors.VersionNotReady({ id: "dsv_1", status: "building" }),
        409,
        "Dataset version dsv_1 is building, not ready",
        null
      ],
      [
        new DistillErrors.ContentNotReady({ resource: "pull", id: "pull_1", status: "queued", field: "from.pull" }),
        409,
        "Pull pull_1 is queued, not succeeded",
        "from.pull"
      ],
      [
        new DistillErrors.ContentOutOfOrder({ id: "upl_1", nextByte: 7 }),
        409,
        "The next byte of upload upl_1 is number 7",
        "Content-Range"
      ],
      [
        new DistillErrors.RehearsalUnusable({ id: "run_1", fault: "not_a_dry_run", status: "succeeded" }),
        409,
        "Run run_1 is not a dry run",
        "validated_dry_run"
      ],
      [
        new ServingErrors.AliasTaken({ alias: "desk", mode: "shadow", field: "mode" }),
        409,
        "There is a deployment under desk already whose mode is shadow",
        "mode"
      ],
      [
        new CaptureErrors.NoDefaultSource({ field: "X-Source" }),
        400,
        "Name a source: there is no default one",
        "X-Source"
      ]
    ] as const
    for (const [error, status, message, param] of cases) {
      assert.strictEqual(statusOf(error), status)
      assert.deepInclude(render(error, "req_1").error, { message, param })
    }
  })
})
