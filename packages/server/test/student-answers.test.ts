/** What a builtin student tells about its answers, and the requests that it leaves to its fallback (contract 7, 16.41). */
import { afterAll, assert, beforeAll, it } from "@effect/vitest"
import type { CapturedCallDetail } from "@limbeck/api/CallsApi"
import { tickets } from "@limbeck/testing/fixtures/Tickets"
import {
  builtin,
  type DeploymentDetail,
  deployAndWait,
  get,
  path,
  studentOf
} from "@limbeck/testing/http/DeploymentSteps"
import { endedRun, proposalOf, readUntil, versionOf } from "@limbeck/testing/http/Steps"
import { Models } from "@limbeck/testing/upstream/Models"
import { assertRefused, type Client, expectStatus } from "./support/Client.ts"
import { type House, onOneStorage } from "./support/House.ts"
import { createLive, evaluated, planOf, rehearsed } from "./support/LiveRuns.ts"
import { aboutMoney, answered, asked, call, chat, fallbackTo, serving } from "./support/Serving.ts"

const upstream = new Models()
beforeAll(() => upstream.open())
afterAll(() => upstream.close())

interface Token {
  readonly token: string
  readonly logprob: number
  readonly bytes: ReadonlyArray<number>
}

interface Logprobs {
  readonly content: ReadonlyArray<Token & { readonly top_logprobs: ReadonlyArray<Token> }>
}

interface Choice {
  readonly logprobs: Logprobs | null
  readonly delta?: { readonly content?: string }
}

const picture = { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } }
const rows = tickets({ rows: 400, seed: 1 })

const begin = async (house: House) => {
  const workspace = await house.workspace()
  const { live } = workspace
  const { id } = await versionOf(live, rows)
  return { workspace, live, student: await studentOf(live, builtin, id) }
}

const reasonOf = async (live: Client, id: string) =>
  expectStatus(await live.get<typeof CapturedCallDetail.Type>(`/v1/distill/calls/${id}`), 200).fallback_reason

onOneStorage(
  "answers of a builtin student",
  (house) => {
    let begun: ReturnType<typeof begin> | undefined
    const story = () => {
      begun ??= begin(house)
      return begun
    }

    it("have the probability of the answer and of other labels, whole and streamed, for who asks for logprobs (P1511)", async () => {
      const { live, student, workspace } = await story()
      await deployAndWait(live, { alias: "sure", student_model: student, mode: "active" })
      const ask = async (fields: object) => answered(await call(house, workspace, asked("sure", aboutMoney, fields)))
      // The shared shape of answers lacks logprobs.
      const choiceOf = (answer: Awaited<ReturnType<typeof ask>>) => answer.body.choices[0] as unknown as Choice
      assert.isNull(choiceOf(await ask({})).logprobs)
      const alone = choiceOf(await ask({ logprobs: true })).logprobs?.content[0]
      assert.deepStrictEqual(alone?.top_logprobs, [])
      const answer = await ask({ logprobs: true, top_logprobs: 3 })
      const { service } = answer.body
      const whole = choiceOf(answer)
      const [token] = whole.logprobs?.content ?? []
      assert.strictEqual(token?.token, "refund_request")
      assert.strictEqual(Buffer.from(token?.bytes ?? []).toString(), "refund_request")
      assert.closeTo(Math.exp(token?.logprob ?? 0), service.confidence, 1e-9)
      const top = token?.top_logprobs ?? []
      assert.deepStrictEqual(
        top.map(({ token: label }) => label === "refund_request"),
        [true, false, false]
      )
      assert.isTrue(top.every(({ logprob }, at) => at === 0 || logprob <= top[at - 1]!.logprob))
      const all = choiceOf(await ask({ logprobs: true, top_logprobs: 20 })).logprobs?.content[0]?.top_logprobs ?? []
      const sum = all.reduce((total, { logprob }) => total + Math.exp(logprob), 0)
      assert.closeTo(sum, 1, 1e-6)
      const streamed = await ask({ stream: true, logprobs: true, top_logprobs: 3 })
      const choices = streamed.text
        .split("\n\n")
        .filter((event) => event.startsWith("data: {"))
        .map((event): Choice => JSON.parse(event.slice(6)).choices[0])
      for (const { delta, logprobs } of choices) {
        assert.deepStrictEqual(
          logprobs?.content ?? null,
          (delta?.content ?? "") === "" ? null : whole.logprobs?.content
        )
      }
      for (const [fields, param] of [
        [{ logprobs: "yes" }, "logprobs"],
        [{ logprobs: true, top_logprobs: 21 }, "top_logprobs"],
        [{ top_logprobs: 2 }, "top_logprobs"]
      ] as const) {
        assertRefused(await live.post(chat, asked("sure", aboutMoney, fields)), 400, "invalid_request_error", param)
      }
    })

    it("several numbered messages in one request go to the fallback (P1512)", async () => {
      const { live, student, workspace } = await story()
      const fallback = await fallbackTo(live, upstream.speaking("from above"))
      await deployAndWait(live, { alias: "lists", guard: null, student_model: student, mode: "active", fallback })
      const texts = rows.slice(0, 44).map(({ messages }) => messages.at(-1)?.content ?? "")
      for (let from = 0; from < 40; from++) {
        const content = texts
          .slice(from, from + 4)
          .map((text, index) => `${index + 1}. ${text}`)
          .join("\n")
        const messages = [...(rows[0]?.messages.slice(0, -1) ?? []), { role: "user", content }]
        const answer = await answered(await call(house, workspace, { model: "svc:lists", messages }))
        assert.strictEqual(answer.servedBy, "upstream_fallback", content)
        assert.strictEqual(await reasonOf(live, answer.call), "out_of_distribution")
      }
    })

    it("requests with an image go to the fallback as unsupported, and rows with one are counted and left out (P1514)", async () => {
      const { workspace, live } = await story()
      const withPicture = rows.map((row, index) => {
        const content = row.messages.at(-1)?.content ?? ""
        const parts = [{ type: "text", text: content }, picture]
        return index % 4 === 0 ? { completion: `picture_${index}`, messages: [{ role: "user", content: parts }] } : row
      })
      const version = await versionOf(live, withPicture, { holdout_fraction: 0.2, seed: 1 })
      const shown = await live.get<{ readonly warnings: ReadonlyArray<string> }>(
        `/v1/distill/dataset_versions/${version.id}`
      )
      assert.match(expectStatus(shown, 200).warnings.join(" "), /100 rows have an image, audio or a file/)
      // The odd answers of rows with images do not keep the other rows from being a closed set.
      const plan = planOf(version.id, {})
      const run = await endedRun(live, expectStatus(await createLive(live, plan, await rehearsed(live, plan)), 201).id)
      assert.strictEqual(run.status, "succeeded", JSON.stringify(run.error))
      const fallback = await fallbackTo(live, upstream.speaking("from above"))
      const student_model = run.student_model ?? ""
      await deployAndWait(live, { alias: "seen", guard: null, student_model, mode: "active", fallback })
      for (const part of [picture, { type: "input_audio", input_audio: { data: "AAAA", format: "wav" } }]) {
        const messages = [{ role: "user", content: [{ type: "text", text: aboutMoney }, part] }]
        const answer = await answered(await call(house, workspace, { model: "svc:seen", messages }))
        assert.deepInclude(answer, { status: 200, servedBy: "upstream_fallback" })
        assert.strictEqual(await reasonOf(live, answer.call), "unsupported")
      }
      assert.match((await proposalOf(live, version.id)).rationale.join(" "), /100 rows have an image/)
    })

    it("are verified alias by alias, however many verifications of a busy alias wait (P1510)", async () => {
      const { live, workspace } = await story()
      const waiting: Array<() => void> = []
      let isSlow = true
      const slow = upstream.base((_, response) => {
        const answer = () =>
          response
            .writeHead(200, { "content-type": "application/json" })
            .end(JSON.stringify({ choices: [{ message: { role: "assistant", content: "refund_request" } }] }))
        if (isSlow) waiting.push(answer)
        else answer()
      })
      const fallback = await fallbackTo(live, slow)
      const student_model = await evaluated(live, rows)
      const guard = { verify_percent: 100, min_agreement: 0 }
      const deploy = async (alias: string) =>
        (await deployAndWait(live, { alias, student_model, mode: "active", fallback, guard })).id
      const busy = await deploy("busy")
      const calm = await deploy("calm")
      const ask = (alias: string) => call(house, workspace, asked(alias)).then((answer) => answer.text())
      for (let sent = 0; sent < 700; sent += 50) await Promise.all(Array.from({ length: 50 }, () => ask("busy")))
      await Promise.all(Array.from({ length: 5 }, () => ask("calm")))
      isSlow = false
      for (const answer of waiting) answer()
      await readUntil(
        () => live.get<DeploymentDetail>(`${path}/${calm}`),
        ({ agreement }) => agreement?.comparisons === 5
      )
      assert.isBelow((await get(live, busy)).agreement?.comparisons ?? 0, 700)
    })
  },
  serving
)
