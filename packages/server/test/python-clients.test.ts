/** The Python clients of OpenAI and Anthropic, unchanged: `npm run check:python-clients` installs them. */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Models } from "@limbeck/testing/upstream/Models"
import { begin, type ClientStory, rowsOf } from "./support/ClientStory.ts"
import { onEachStorage } from "./support/House.ts"
import { assertHas, newest } from "./support/Provider.ts"
import { runPython, withoutPython } from "./support/PythonClients.ts"
import { serving } from "./support/Serving.ts"

const upstream = new Models()
beforeAll(() => upstream.open())
afterAll(() => upstream.close())

const runClients = ({ apiKey, baseURL }: ClientStory, model: string) =>
  runPython("clients.py", { BASE_URL: baseURL, TOKEN: apiKey, MODEL: model })

describe.skipIf(withoutPython)("the Python clients", () => {
  onEachStorage(
    "of OpenAI and Anthropic",
    (house) => {
      it("ask a provider in each dialect, and their calls become rows (P1396)", { timeout: 120_000 }, async () => {
        const story = await begin(house, upstream)
        await runClients(story, "")
        const { data, version } = await rowsOf(story, 20)
        // The aborted calls.
        assert.deepInclude(version, { dropped_reasons: { no_answer: 2 } })
        for (const part of ["The capital of France?", "Sunny", "aGk="]) {
          assert.isTrue(
            data.some((row) => JSON.stringify(row).includes(part)),
            part
          )
        }
        // Plain, streamed, in three dialects.
        assert.isAtLeast(version.dropped.duplicates, 5)
        const calls = await newest(story.live, 20)
        assert.lengthOf(
          calls.filter(({ outcome }) => outcome === "aborted"),
          2
        )
      })

      it("are answered by a student behind svc: in each dialect (P1396)", { timeout: 120_000 }, async () => {
        const story = await begin(house, upstream)
        await runClients(story, "svc:end")
        const calls = await newest(story.live, 18)
        for (const call of calls) assertHas(call, { served_by: "student", outcome: "succeeded" })
      })
    },
    serving
  )
})
