/** Students that were trained elsewhere and uploaded, served by this server (contract 15.18). */
import { afterAll, assert, beforeAll, it } from "@effect/vitest"
import type { StudentModel } from "@limbeck/api/StudentModelsApi"
import { fromHooks } from "@limbeck/testing/AtEnd"
import { eventually } from "@limbeck/testing/Eventually"
import { badArchives, gzip, tarOf } from "@limbeck/testing/fixtures/Archives"
import * as Deployments from "@limbeck/testing/http/DeploymentSteps"
import {
  announce,
  createRun,
  endedRun,
  freshKey,
  linesOf,
  row,
  sendContent,
  settledUpload,
  uploadOf
} from "@limbeck/testing/http/Steps"
import { assertRefused, expectStatus } from "./support/Client.ts"
import { onOneStorage } from "./support/House.ts"
import { wholeList } from "./support/LiveRuns.ts"
import {
  begin,
  evaluationOf,
  isAlive,
  options,
  ServedPlace,
  said,
  studentModels,
  uploadedStudent
} from "./support/ManagedStudents.ts"

type Student = typeof StudentModel.Type

interface StudentRequest {
  readonly messages: ReadonlyArray<{ readonly content: string }>
}

const place = new ServedPlace()
const atEnd = fromHooks(afterAll)
beforeAll(() => place.open(atEnd))

onOneStorage(
  "a student that was uploaded",
  (house) => {
    let begun: ReturnType<typeof begin> | undefined
    const story = () => {
      begun ??= begin(house)
      return begun
    }

    it("that was trained elsewhere is uploaded with its digest, evaluated as it is served, and deployed (P376)", async () => {
      const { live, openai, version } = await story()
      const { bytes, sent, sha256, upload } = await uploadedStudent(live, gzip(tarOf(said("label1"))))
      assert.deepInclude(sent, { status: "succeeded", format: "student_model", rows: null, error_count: 0 })
      const headers = freshKey()
      const body = { name: "tuned", base_model: "tiny", artifact: { upload, sha256 } }
      const made = expectStatus(await live.post<Student>(studentModels, body, headers), 201)
      assert.deepInclude(made, { origin: "external", executor: "external", endpoint: null, accuracy: null })
      assert.deepStrictEqual(made.artifact, { sha256, bytes, format: "tar.gz" })
      assert.deepStrictEqual((await live.post<Student>(studentModels, body, headers)).body, made)

      const run = await endedRun(live, expectStatus(await createRun(live, evaluationOf(version, made.id)), 201).id)
      assert.deepInclude(run, { status: "succeeded", executor: "endpoint", student_model: made.id })
      const holdout = await wholeList<StudentRequest>(
        live,
        `/v1/distill/dataset_versions/${version}/rows?split=holdout`
      )
      const agreed = holdout.filter(({ messages }) => messages.at(-1)?.content.endsWith("1")).length
      const evaluated = expectStatus(await live.get<Student>(`${studentModels}/${made.id}`), 200)
      assert.deepInclude(evaluated, { report: run.report, accuracy: agreed / holdout.length })
      await eventually("it is not served after its evaluation", async () =>
        place.diary().some((one) => one.words === "label1" && isAlive(one)) ? undefined : true
      )

      const deployment = { alias: "uploaded", student_model: made.id, mode: "active" }
      assert.deepInclude(await Deployments.deployAndWait(live, deployment), { status: "ready", managed: true })
      const messages = [{ role: "user" as const, content: "ticket 900 about 1" }]
      const answer = await openai.chat.completions.create({ model: "svc:uploaded", messages })
      assert.strictEqual(answer.choices[0]?.message.content, "label1")
    })

    it("that was uploaded is no student where its archive is bad, and the refusal names the field (P377)", async () => {
      const { live } = await story()
      const register = (fields: object) => live.post(studentModels, { name: "tuned", base_model: "tiny", ...fields })
      for (const [fault, bytes] of badArchives) {
        const { sent, sha256, upload } = await uploadedStudent(live, bytes)
        assert.deepInclude(sent, { status: "failed", error_count: 1 })
        assert.match(sent.errors[0]?.message ?? "", fault)
        const refused = await register({ artifact: { upload, sha256 } })
        assertRefused(refused, 400, "invalid_request_error", "artifact.upload")
        assert.match(JSON.stringify(refused.body), fault)
      }
      const { sha256, upload } = await uploadedStudent(live, tarOf(said("x")))
      const rows = await uploadOf(live, linesOf([row(1)]))
      const waiting = await announce(live, { format: "student_model" })
      const endpoint = { base_url: "https://students.example/v1", model: "ft:1" }
      const dataset = expectStatus(await live.post<{ id: string }>("/v1/distill/datasets", { name: "none" }), 201)
      const versionOf = await live.post(`/v1/distill/datasets/${dataset.id}/versions`, { from: { upload } })
      assertRefused(versionOf, 400, "invalid_request_error", "from.upload")
      const wrong = [
        [{ artifact: { upload } }, 400, "invalid_request_error", "artifact.sha256"],
        [{ artifact: { upload, sha256: "0".repeat(64) } }, 400, "invalid_request_error", "artifact.sha256"],
        [{ artifact: { upload, sha256 }, endpoint }, 400, "invalid_request_error", "artifact"],
        [{ artifact: { upload: rows.id, sha256 } }, 400, "invalid_request_error", "artifact.upload"],
        [{ artifact: { upload: waiting.id, sha256 } }, 409, "conflict_error", "artifact.upload"],
        [{ artifact: { upload: `upl_${"0".repeat(26)}`, sha256 } }, 404, "not_found_error", "artifact.upload"]
      ] as const
      for (const [fields, status, code, param] of wrong) assertRefused(await register(fields), status, code, param)
      const other = await announce(live, { format: "student_model", sha256: "0".repeat(64) })
      const { status } = await sendContent(live, other, tarOf(said("x")))
      assert.strictEqual(status, 202)
      assert.strictEqual((await settledUpload(live, other.id)).status, "failed")
    })
  },
  { ...options, servers: place.commanded("") }
)

onOneStorage(
  "a student that was uploaded where nothing serves students",
  (house) => {
    it("one that was uploaded cannot be evaluated, and the refusal says what to set up (P377)", async () => {
      const { live, version } = await begin(house)
      const { sha256, upload } = await uploadedStudent(live, tarOf(said("x")))
      const body = { name: "tuned", base_model: "tiny", artifact: { upload, sha256 } }
      const { id } = expectStatus(await live.post<Student>(studentModels, body), 201)
      const refused = await createRun(live, evaluationOf(version, id))
      assertRefused(refused, 400, "invalid_request_error", "recipe.student_model")
      assert.include(JSON.stringify(refused.body), "SERVING_COMMAND")
    })
  },
  options
)
