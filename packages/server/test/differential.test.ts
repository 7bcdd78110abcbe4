/**
 * Random scenarios, compared answer by answer: on two storages, beside another workspace, beside the other
 * mode, and by three transports.
 */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { caseCount } from "@limbeck/testing/Campaign"
import type { Send } from "@limbeck/testing/http/Client"
import { hasty } from "@limbeck/testing/http/DeploymentSteps"
import { Models } from "@limbeck/testing/upstream/Models"
import * as Mounts from "../src/Mounts.ts"
import { Player } from "./scenarios/Player.ts"
import { scenario } from "./scenarios/Scenario.ts"
import type { Step } from "./scenarios/Step.ts"
import { labelling } from "./scenarios/Upstream.ts"
import * as ByClient from "./support/ByClient.ts"
import { House, storages } from "./support/House.ts"

const upstream = new Models()
let base = ""
beforeAll(async () => {
  await upstream.open()
  base = labelling(upstream)
})
afterAll(() => upstream.close())

const options = { builtin: hasty, llm: hasty, egressAllow: ["127.0.0.0/8"] }
const steps = 50
const seeds = Array.from({ length: caseCount(2, 60) }, (_, seed) => seed)

/** The steps of live mode, without references to test mode. */
const liveAlone = (all: ReadonlyArray<Step>): ReadonlyArray<Step> => all.filter(({ mode }) => mode === "live")

const withinModes = (all: ReadonlyArray<Step>): ReadonlyArray<Step> =>
  JSON.parse(JSON.stringify(all).replaceAll(":any", ":"))

describe("a random scenario", () => {
  const memory = new House()
  const postgres = new House()
  beforeAll(async () => {
    await memory.open(storages.memory, options)
    await postgres.open(storages.Postgres, options)
  })
  afterAll(async () => {
    await memory.close()
    await postgres.close()
  })

  const played = async (house: House, story: ReadonlyArray<Step>, send?: Send) => {
    const player = await Player.open(house, base, send)
    await player.play(story)
    return player.traces
  }

  it.each(seeds)("has the same answers on memory and on Postgres, seed %i (P1850)", async (seed) => {
    const [one, other] = await Promise.all([memory, postgres].map((house) => played(house, scenario(seed, steps))))
    assert.deepStrictEqual(other!.live.answers, one!.live.answers)
    assert.deepStrictEqual(other!.test.answers, one!.test.answers)
  })

  it.each(seeds)("has the same answers beside another workspace as alone, seed %i (P1851)", async (seed) => {
    const story = scenario(seed, steps)
    const alone = await played(postgres, story)
    const [beside] = await Promise.all([played(postgres, story), played(postgres, scenario(seed + 1_000, steps))])
    assert.deepStrictEqual(beside.live.answers, alone.live.answers)
    assert.deepStrictEqual(beside.test.answers, alone.test.answers)
  })

  it.each(seeds)("has the same answers in live mode with and without test mode, seed %i (P1852)", async (seed) => {
    const story = withinModes(scenario(seed, steps))
    const [both, live] = await Promise.all([story, liveAlone(story)].map((one) => played(memory, one)))
    assert.deepStrictEqual(both!.live.answers, live!.live.answers)
  })

  it.each(seeds)(
    "has the same answers over HTTP, by the typed client and in process, seed %i (P1855)",
    async (seed) => {
      const story = scenario(seed, steps)
      const overHttp = await played(memory, story)
      const handle = Mounts.fetch(memory.app)
      for (const send of [ByClient.send, (url: string, init: RequestInit) => handle(new Request(url, init))]) {
        const { live, test } = await played(memory, story, send)
        assert.deepStrictEqual(live.answers, overHttp.live.answers)
        assert.deepStrictEqual(test.answers, overHttp.test.answers)
      }
    }
  )
})
