/** The event catalog is complete: a server under the right actions publishes each of its types (contract 8). */
import { gzipSync } from "node:zlib"
import { afterAll, assert, beforeAll, it } from "@effect/vitest"
import type { DatasetVersion } from "@limbeck/api/DatasetsApi"
import type { Event } from "@limbeck/api/EventsApi"
import type { Run } from "@limbeck/api/RunsApi"
import { type StageContext, StageFailure } from "@limbeck/distill/run/Executor"
import {
  type DeploymentDetail,
  deployAndWait,
  endpoint,
  hasty,
  llm,
  path,
  studentOf
} from "@limbeck/testing/http/DeploymentSteps"
import { create as createSource } from "@limbeck/testing/http/SourceSteps"
import {
  announce,
  createRun,
  endedRun,
  freshKey,
  linesOf,
  readUntil,
  row,
  sendContent,
  settledUpload,
  ticketsVersion,
  uploadOf
} from "@limbeck/testing/http/Steps"
import { key, Models } from "@limbeck/testing/upstream/Models"
import * as Stream from "effect/Stream"
import { ask, withModel } from "./support/Chats.ts"
import { type Client, expectStatus, type ListOf } from "./support/Client.ts"
import { type House, onOneStorage } from "./support/House.ts"
import { planOf, wholeList } from "./support/LiveRuns.ts"
import { Receiver } from "./support/Receiver.ts"
import { serving } from "./support/Serving.ts"
import { happen, subscribe, untilAttempts, untilSome } from "./support/Webhooks.ts"

interface MadeResource {
  readonly id: string
}

const second = 1_000
const day = 24 * 3_600_000
const disableAfterDays = 3

/** Live runs of the builtin student fail while this is set. */
let failure: StageFailure | undefined

const builtin = {
  name: "failing",
  execute: (context: StageContext) => (failure === undefined ? hasty.execute(context) : Stream.fail(failure))
}

const receiver = new Receiver()
const upstream = new Models()
beforeAll(() => Promise.all([receiver.open(), upstream.open()]))
afterAll(() => Promise.all([receiver.close(), upstream.close()]))

/** Acts, and returns a client that may read the resulting events. */
type Scene = (house: House) => Promise<Client>

const made = async (caller: Client, path: string, body?: unknown) =>
  expectStatus(await caller.post<MadeResource>(path, body, freshKey()), 201).id

/** A workspace with money for live runs. */
const funded = async (house: House) => {
  const workspace = await house.workspace()
  await house.topUp(workspace, 100)
  return workspace
}

const runs: Scene = async (house) => {
  const { live } = await funded(house)
  const { id: version } = await ticketsVersion(live)
  failure = new StageFailure({ code: "broken", message: "It broke", retryable: true })
  const { id } = expectStatus(await createRun(live, { ...planOf(version), dry_run: false }), 201)
  const act = async (action: string) =>
    expectStatus(await live.post<typeof Run.Type>(`/v1/distill/runs/${id}/${action}`), 200)
  // It waits for its next attempt, so it has not ended.
  await act("cancel")
  failure = new StageFailure({ code: "broken", message: "It broke", retryable: false })
  await act("retry")
  assert.strictEqual((await endedRun(live, id)).status, "failed")
  failure = undefined
  await act("retry")
  assert.strictEqual((await endedRun(live, id)).status, "succeeded")
  return live
}

const data: Scene = async (house) => {
  const workspace = await house.workspace()
  const { live } = workspace
  assert.strictEqual((await uploadOf(live, "no JSON\n")).status, "failed")
  const announced = await announce(live)
  expectStatus(await sendContent(live, announced, gzipSync(linesOf([row(1), row(2)]))), 202)
  const upload = await settledUpload(live, announced.id)
  assert.isTrue(await house.loseContent(workspace, upload.sha256 ?? ""))
  const dataset = await made(live, "/v1/distill/datasets", { name: "lost" })
  const version = await made(live, `/v1/distill/datasets/${dataset}/versions`, { from: { upload: upload.id } })
  const ended = await readUntil(
    () => live.get<typeof DatasetVersion.Type>(`/v1/distill/dataset_versions/${version}`),
    ({ status }) => status !== "building"
  )
  assert.strictEqual(ended.status, "failed")
  return live
}

const pulls: Scene = async (house) => {
  const { test } = await house.workspace()
  const rows = receiver.answering((_, response) => response.end(linesOf([row(1)])))
  for (const [url, status] of [
    [rows, "succeeded"],
    [receiver.url("/broken"), "failed"]
  ] as const) {
    const connector = await made(test, "/v1/distill/connectors", { name: status, kind: "http_jsonl", config: { url } })
    const pull = await made(test, `/v1/distill/connectors/${connector}/pulls`)
    const ended = await readUntil(
      () => {
        // Broken requests are retried later, with growing waits.
        house.passTime(second)
        return test.get<{ readonly status: string }>(`/v1/distill/pulls/${pull}`)
      },
      (shown) => shown.status === "succeeded" || shown.status === "failed"
    )
    assert.strictEqual(ended.status, status)
  }
  return test
}

const deployments: Scene = async (house) => {
  const { live } = await funded(house)
  const { id: version } = await ticketsVersion(live)
  const source = await createSource(live)
  const deploy = async (alias: string, base: string, fields: object) => {
    const student_model = await studentOf(live, base, version)
    return deployAndWait(live, {
      alias,
      student_model,
      mode: "active",
      fallback: { source: source.name, model: "m" },
      ...fields
    })
  }
  // The hasty trainer's artifact is unreadable.
  assert.strictEqual((await deploy("a", "builtin/text-classifier", {})).status, "failed")
  const ready = await deploy("b", llm, { endpoint })
  assert.strictEqual(ready.status, "ready")
  expectStatus(await live.post(`/v1/distill/deployments/${ready.id}/retire`), 200)
  return live
}

/** A student that says what its teacher does, until the teacher changes its mind. */
const guarded: Scene = async (house) => {
  const { live } = await funded(house)
  const { id: version } = await ticketsVersion(live)
  let mood = ""
  const echo = ({ messages }: { readonly messages: ReadonlyArray<{ readonly content: string }> }) =>
    messages[0]?.content ?? ""
  const source = await createSource(live, { base_url: upstream.speaking((sent) => mood + echo(sent)) })
  const { id } = await deployAndWait(live, {
    alias: "fickle",
    mode: "shadow",
    student_model: await studentOf(live, llm, version),
    endpoint: { base_url: upstream.speaking(echo), model: "student-1", api_key: key },
    fallback: { source: source.name, model: "gpt" },
    guard: { min_agreement: 0.5, verify_percent: 100 }
  })
  const callOften = async () => {
    for (let nth = 0; nth < 30; nth++) {
      const messages = [{ role: "user", content: `question ${nth}` }]
      expectStatus(await live.post("/v1/proxy/chat/completions", { model: "svc:fickle", messages }), 200)
    }
  }
  const shown = (so: (deployment: DeploymentDetail) => boolean) =>
    readUntil(() => live.get<DeploymentDetail>(`${path}/${id}`), so)
  await callOften()
  await shown(({ agreement }) => agreement?.comparisons === 30)
  expectStatus(await live.patch(`${path}/${id}`, { mode: "active" }), 200)
  mood = "no: "
  await callOften()
  await shown(({ guarded_at }) => guarded_at !== null)
  return live
}

const messages: Scene = async (house) => {
  const { caller } = await withModel(house, upstream)
  await ask(caller, { text: "Is it raining?" })
  return caller
}

const balances: Scene = async (house) => {
  const workspace = await house.workspace()
  await house.topUp(workspace, 6)
  const { id: version } = await ticketsVersion(workspace.live)
  const run = expectStatus(await createRun(workspace.live, { ...planOf(version, {}, 2), dry_run: false }), 201)
  await endedRun(workspace.live, run.id)
  return workspace.live
}

/** The student stops to answer, and the fallback takes over. */
const drifted: Scene = async (house) => {
  const { live } = await funded(house)
  const { id: version } = await ticketsVersion(live)
  const source = await createSource(live, { base_url: upstream.speaking("yes") })
  const answer = JSON.stringify({
    choices: [{ message: { role: "assistant", content: "yes" }, finish_reason: "stop" }]
  })
  let isAway = false
  const base_url = upstream.base((_, response) => {
    response.writeHead(isAway ? 500 : 200, { "content-type": "application/json" }).end(isAway ? "{}" : answer)
  })
  const { id } = await deployAndWait(live, {
    alias: "moved",
    mode: "active",
    student_model: await studentOf(live, llm, version),
    endpoint: { base_url, model: "student-1", api_key: key },
    fallback: { source: source.name, model: "gpt" },
    guard: null
  })
  // Both windows of calls are full only then.
  for (let nth = 0; nth < 600; nth++) {
    isAway = nth >= 550
    const messages = [{ role: "user", content: `question ${nth}` }]
    expectStatus(await live.post("/v1/proxy/chat/completions", { model: "svc:moved", messages }), 200)
  }
  await readUntil(
    () => live.get<DeploymentDetail>(`${path}/${id}`),
    ({ drifted_at }) => drifted_at !== null
  )
  return live
}

/** The last one: it lets days pass. */
const disabled: Scene = async (house) => {
  const { test } = await house.workspace()
  const { id } = await subscribe(test, receiver.url("/broken"))
  const listener = await subscribe(test, receiver.url("/heard"), ["webhook_endpoint.*"])
  for (const pause of [0, disableAfterDays * day]) {
    house.passTime(pause)
    await happen(test)
    const { [0]: begun } = (await untilSome(test, id, "failed")).data
    for (let attempts = 1; attempts < 6; attempts++) {
      house.passTime(2_000 * second)
      await untilAttempts(test, begun!, attempts + 1)
    }
  }
  await untilSome(test, listener.id, "succeeded")
  return test
}

const scenes = { runs, data, pulls, deployments, guarded, drifted, messages, balances, disabled }

onOneStorage(
  "the event catalog",
  (house) => {
    it("has what happens, all of it and nothing else (P168)", async () => {
      const told = new Set<string>()
      for (const scene of Object.values(scenes)) {
        const caller = await scene(house)
        for (const { type } of await wholeList<typeof Event.Type>(caller, "/v1/events")) told.add(type)
      }
      const { data } = expectStatus(
        await house.client(null).get<ListOf<{ readonly type: string }>>("/v1/event_types"),
        200
      )
      assert.sameMembers(
        [...told],
        data.map(({ type }) => type)
      )
    })
  },
  {
    builtin,
    llm: hasty,
    egressAllow: serving.egressAllow ?? [],
    settings: { webhookDisableAfterDays: disableAfterDays, billingEnforced: true, balanceLowUsd: 5 }
  }
)
