/** The playground: an alias and its teacher side by side, streamed, with what is known of each answer. */
import { afterAll, assert, beforeAll, describe, it, onTestFinished } from "@effect/vitest"
import { type Client, makeClient } from "@limbeck/client"
import { fromHooks } from "@limbeck/testing/AtEnd"
import { eventually } from "@limbeck/testing/Eventually"
import { Models } from "@limbeck/testing/upstream/Models"
import type { Page } from "playwright-core"
import * as Servers from "../Server.ts"
import { violations } from "./Axe.ts"
import { hindrance, look, tooWide } from "./Browser.ts"
import { inside, open, PeopleServer, press } from "./PeopleServer.ts"
import { eyesOfSuite } from "./SuiteBrowser.ts"
import { train } from "./TrainedStudent.ts"

const chunk = (fields: object) =>
  `data: ${JSON.stringify({ id: "chatcmpl-1", object: "chat.completion.chunk", created: 1, model: "gpt", ...fields })}\n\n`
const delta = (content: string) => chunk({ choices: [{ index: 0, delta: { content }, finish_reason: null }] })
const end = [
  chunk({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] }),
  chunk({ choices: [], usage: { prompt_tokens: 1_000, completion_tokens: 1_000, total_tokens: 2_000 } }),
  "data: [DONE]\n\n"
].join("")

describe.skipIf(hindrance !== undefined)("the playground", () => {
  const eyesOf = eyesOfSuite()
  const models = new Models()
  let server: PeopleServer
  let client: Client
  /** Streams wait for it between their two parts. */
  let gate = Promise.withResolvers<void>()
  const atEnd = fromHooks(afterAll)

  beforeAll(async () => {
    await models.open()
    atEnd(() => models.close())
    server = await PeopleServer.start(atEnd, { EGRESS_ALLOW: "127.0.0.0/8" })
    client = makeClient({ baseUrl: server.origin, token: Servers.liveToken })
    const streaming = models.base(async (_request, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" }).write(delta("ref"))
      await gate.promise
      response.end(`${delta("und")}${end}`)
    })
    const refusing = models.base((_request, response) =>
      response
        .writeHead(422, { "content-type": "application/json" })
        .end(JSON.stringify({ error: { message: "too warm" } }))
    )
    const priced = { id: "gpt", input_per_million: 10, output_per_million: 20 }
    const source = { kind: "byok", api_key: "sk" } as const
    await client.sources.create({ ...source, name: "teacher", base_url: streaming, models: [priced], default: true })
    await client.sources.create({ ...source, name: "strict", base_url: refusing, models: ["no"] })
    const student_model = await train(client)
    const fallback = { source: "teacher", model: "gpt" }
    const { id } = await client.deployments.create({ alias: "desk", student_model, mode: "shadow", fallback })
    await eventually("it is ready", async () => (await client.deployments.get(id)).status === "ready")
  })

  const askAll = async (page: Page, text: string) => {
    await page.getByLabel("Question").fill(text)
    await page.getByRole("button", { name: "Ask", exact: true }).click()
  }

  const playedCalls = async () => (await client.calls.list({ tag: "playground" }).all()).toReversed()

  it("streams the answers of an alias and its teacher, with who, how sure and at what cost; a failure stays in its place (P1754)", async () => {
    gate = Promise.withResolvers<void>()
    const eyes = eyesOf(onTestFinished)
    const page = await eyes.signedIn(server.origin)
    await look(page, "/playground")
    await press(page, "Open the playground")
    await page.getByLabel("And").selectOption({ label: "no of strict" })
    await askAll(page, "I want my money back for 4000")
    const [alias, teacher, strict] = ["svc:desk (shadow)", "gpt of teacher", "no of strict"].map((name) =>
      page.getByRole("region", { name })
    )
    for (const answer of [alias, teacher]) {
      await answer?.getByText("ref", { exact: true }).waitFor()
      await answer?.getByText("Answering…").waitFor()
    }
    await strict?.getByText("too warm").waitFor()
    gate.resolve()
    await teacher?.getByText("refund", { exact: true }).waitFor()
    for (const answer of [alias, teacher]) await answer?.getByText("$0.03").waitFor()
    await alias?.getByText("The student, in the shadow").waitFor()
    await alias?.getByText(/\d % sure, .*agrees/).waitFor()
    assert.deepStrictEqual(await violations(page), [])
    await page.emulateMedia({ colorScheme: "dark" })
    assert.deepStrictEqual(await violations(page, "colors"), [])
    await page.setViewportSize({ width: 390, height: 844 })
    assert.deepStrictEqual(await tooWide(page), [])
    assert.sameMembers(
      (await playedCalls()).map(({ model }) => model),
      ["svc:desk", "gpt", "no"]
    )
    assert.deepStrictEqual(eyes.faults.errors, [])
  })

  it("keeps what a person says of an answer as feedback on its call (P1755)", async () => {
    gate.resolve()
    const eyes = eyesOf(onTestFinished)
    const page = await eyes.signedIn(server.origin)
    await look(page, "/playground")
    await press(page, "Open the playground")
    await page.getByLabel("Beside it").selectOption("")
    await askAll(page, "where is the parcel number 4001")
    const answer = page.getByRole("region", { name: "svc:desk (shadow)" })
    await answer.getByRole("button", { name: "Bad answer" }).click()
    await answer.getByText("Saved").waitFor()
    await answer.getByRole("button", { name: "Correct…" }).click()
    await page.getByRole("textbox", { name: "The right answer" }).fill("delivery")
    await press(page, "Save")
    await page.getByRole("dialog").waitFor({ state: "detached" })
    const call = (await playedCalls()).at(-1)?.id ?? ""
    const given = await client.feedback.list({ call_id: call }).all()
    assert.sameDeepMembers(
      given.map(({ comment, name, value }) => ({ comment, name, value })),
      [
        { comment: null, name: "review", value: 0 },
        { comment: "delivery", name: "correction", value: 0 }
      ]
    )
    assert.deepStrictEqual(eyes.faults.errors, [])
  })

  const signedIn = async (email: string, role: string) => {
    await server.add(email, role)
    const eyes = eyesOf(onTestFinished)
    const page = await eyes.page(server.origin)
    await open(page, await server.linkOf(email))
    await press(page, /^Sign in as/)
    await inside(page)
    await look(page, "/playground")
    return { eyes, page }
  }

  const playgroundTokens = async () =>
    (await client.tokens.list().all()).filter(({ name, status }) => name === "Playground" && status === "active")

  it("asks for a signed-in person by a token of an hour with a bound, which ends with the page; a viewer asks nobody (P1756)", async () => {
    gate.resolve()
    const { eyes, page } = await signedIn("ann@example.com", "member")
    await page.getByLabel("At most").fill("0.5")
    await press(page, "Open the playground")
    await page.getByLabel("Question").waitFor()
    const [token, ...others] = await playgroundTokens()
    assert.deepStrictEqual(others, [])
    assert.deepInclude(token, {
      scopes: ["proxy:write"],
      limits: { requests_per_minute: 60, max_cost_usd_per_day: 0.5 }
    })
    const minutes = (Date.parse(token?.expires_at ?? "") - Date.parse(token?.created_at ?? "")) / 60_000
    assert.closeTo(minutes, 60, 5)
    await askAll(page, "I want my money back for 4002")
    await page.getByRole("region", { name: "gpt of teacher" }).getByText("refund", { exact: true }).waitFor()
    await page.getByRole("link", { name: "Home", exact: true }).click()
    await eventually("the token is gone", async () => (await playgroundTokens()).length === 0)
    assert.deepStrictEqual(eyes.faults.errors, [])
    const viewer = await signedIn("bob@example.com", "viewer")
    assert.isTrue(await viewer.page.getByRole("button", { name: "Open the playground" }).isDisabled())
  })
})
