/** A third-party model server behind a deployment: `npm run check:serving` starts one with a model. */
import { readFile } from "node:fs/promises"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import type { StudentModel } from "@limbeck/api/StudentModelsApi"
import { fromHooks } from "@limbeck/testing/AtEnd"
import * as Deployments from "@limbeck/testing/http/DeploymentSteps"
import { expectStatus } from "./support/Client.ts"
import { onPostgres } from "./support/House.ts"
import { begin, options, ServedPlace, studentModels, uploadedStudent } from "./support/ManagedStudents.ts"

/** The value of `SERVING_COMMAND`, and one model file. */
const { TEST_SERVING_COMMAND: command = "", TEST_SERVING_MODEL: file = "" } = process.env

/** Some hundred megabytes are sent, kept, fetched and loaded. */
const patience = 590_000

const place = new ServedPlace()
const atEnd = fromHooks(afterAll)
beforeAll(() => place.open(atEnd))

describe.skipIf(command === "")("SERVING_COMMAND", () => {
  onPostgres(
    "a model that was uploaded",
    (house) => {
      it("answers the stock client, and says the same in a stream", { timeout: patience }, async () => {
        const { live, openai } = await begin(house)
        const { sha256, upload } = await uploadedStudent(live, new Uint8Array(await readFile(file)))
        const body = { name: "small", base_model: "small", artifact: { upload, sha256 } }
        const { id } = expectStatus(await live.post<typeof StudentModel.Type>(studentModels, body), 201)
        const deployment = { alias: "small", student_model: id, mode: "active" }
        assert.deepInclude(await Deployments.deployAndWait(live, deployment), { status: "ready", managed: true })
        const asked = {
          model: "svc:small",
          messages: [{ role: "user" as const, content: "The capital of France is" }],
          temperature: 0,
          max_tokens: 12
        }
        const { data, response } = await openai.chat.completions.create(asked).withResponse()
        const text = data.choices[0]?.message.content
        assert.isNotEmpty(text)
        assert.strictEqual(response.headers.get("x-service-served-by"), "student")
        const pieces: Array<string> = []
        for await (const { choices } of await openai.chat.completions.create({ ...asked, stream: true })) {
          pieces.push(choices[0]?.delta.content ?? "")
        }
        assert.isAbove(pieces.filter((piece) => piece !== "").length, 1)
        assert.strictEqual(pieces.join(""), text)
      })
    },
    { ...options, servers: place.serving(() => command) }
  )
})
