// A client in plain Node, over plain HTTP.
// @effect-diagnostics globalFetch:off
/** A server is killed again and again in the middle of decisions that its student and the upstream answer together. */
import { assert } from "@effect/vitest"
import type { AtEnd } from "@limbeck/testing/AtEnd"
import { caseCount } from "@limbeck/testing/Campaign"
import { eventually } from "@limbeck/testing/Eventually"
import { client } from "@limbeck/testing/http/Client"
import { deployAndWait } from "@limbeck/testing/http/DeploymentSteps"
import * as Desk from "@limbeck/testing/http/DeskDecisions"
import { create as createSource } from "@limbeck/testing/http/SourceSteps"
import { answering } from "@limbeck/testing/upstream/DecisionUpstream"
import { Models } from "@limbeck/testing/upstream/Models"
import { usedFolder } from "../DataFolder.ts"
import { liveToken, quiet, Server } from "../Server.ts"

const kills = caseCount(2, 30)
const clients = 6
/** Before a kill. */
const answersMin = 20

const questions = [Desk.luck, { ...Desk.topic, choices: Desk.choices }, Desk.angry]

interface Decision {
  readonly name: string
  readonly served_by: string
  readonly probabilities: ReadonlyArray<number>
}

interface MixedAnswer {
  readonly answers: ReadonlyArray<{
    readonly probability?: number
    readonly probabilities?: ReadonlyArray<{ readonly value: string; readonly probability: number }>
  }>
}

interface Received extends MixedAnswer {
  readonly id: string
  readonly text: string
  /** Who answered what, as the headers tell. */
  readonly split: string
  readonly servedBy: string
}

/** The header for a call, from what was captured. */
const splitOf = (decisions: ReadonlyArray<Decision>): string =>
  ["student", "upstream"]
    .map((who) => [who, decisions.flatMap(({ served_by }, at) => (served_by === who ? [at] : []))] as const)
    .filter(([, positions]) => positions.length > 0)
    .map(([who, positions]) => `${who}=${positions.join(",")}`)
    .join("; ")

const deploy = async (server: Server, base_url: string) => {
  const live = client(server.origin, liveToken)
  const { student_model } = await Desk.runOf(live, (await Desk.versionOf(live)).id, { dryRun: false })
  const source = await createSource(live, { base_url })
  await deployAndWait(live, {
    alias: "desk",
    mode: "active",
    student_model,
    fallback: { source: source.name, model: "gpt" }
  })
}

/** Asks until the server is gone. */
const load = async (origin: string, received: Array<Received>) => {
  const headers = { authorization: `Bearer ${liveToken}`, "content-type": "application/json" }
  const ask = async (): Promise<boolean> => {
    const nth = received.length
    const text = `${Desk.textOf(nth % 3, nth % 2, nth % 3, nth)} ${Math.floor(nth / 3)}`
    const body = JSON.stringify({ model: "svc:desk", input: text, questions })
    try {
      const answer = await fetch(`${origin}/v1/proxy/decisions`, { method: "POST", headers, body })
      const { answers } = (await answer.json()) as MixedAnswer // The upstream and the student write no other form.
      const [id = "", split = "", servedBy = ""] = ["call-id", "decisions", "served-by"].map((name) =>
        String(answer.headers.get(`x-service-${name}`))
      )
      received.push({ id, split, servedBy, answers, text })
      return true
    } catch {
      return false
    }
  }
  await Promise.all(
    Array.from({ length: clients }, async () => {
      while (await ask());
    })
  )
}

export const partialDecisions = async (atEnd: AtEnd) => {
  const upstream = new Models()
  await upstream.open()
  atEnd(() => upstream.close())
  const environment = { ...quiet, EGRESS_ALLOW: "127.0.0.0/8", STORAGE: "embedded" }
  const server = await new Server(atEnd, { ...environment, DATA_DIR: await usedFolder(atEnd) }).start()
  await deploy(server, upstream.base(answering))

  const received: Array<Received> = []
  for (let kill = 0; kill < kills; kill++) {
    const before = received.length
    const loading = load(server.origin, received)
    await eventually("it is under load", () => received.length >= before + answersMin)
    await server.kill()
    await loading
    await server.start()
  }

  const live = client(server.origin, liveToken)
  for (const { answers, id, servedBy, split, text } of received) {
    const call = await eventually(`the call ${id} is stored`, async () => {
      const found = await live.get<Record<string, unknown>>(`/v1/distill/calls/${id}`)
      return found.status === 200 ? found.body : undefined
    })
    assert.deepInclude(call, { outcome: "succeeded", served_by: servedBy })
    assert.include(String(JSON.stringify(call["request"])), text)
    const decisions = call["decisions"] as ReadonlyArray<Decision> // A call of decisions has them.
    assert.strictEqual(splitOf(decisions), split)
    const [luck, topic, angry] = decisions.map(({ probabilities }) => probabilities)
    assert.deepStrictEqual([luck?.[1], angry?.[1]], [answers[0]?.probability, answers[2]?.probability])
    // Options are sorted by their value, and requested in this order.
    assert.deepStrictEqual(
      topic,
      answers[1]?.probabilities?.map(({ probability }) => probability)
    )
  }
  const together = received.filter(({ split }) => split === "student=1,2; upstream=0")
  assert.isAbove(together.length, received.length / 2)
  assert.isAtLeast(received.length, kills * answersMin)
}
