/** Compares the final state with the acknowledged operations. */

import { eventually } from "@limbeck/testing/Eventually"
import { type Api, isOver, type Run, type Upload, type Version } from "../../cli/test/Api.ts"
import type { Receiver } from "../../cli/test/Receiver.ts"
import { markOf } from "../../cli/test/Upstream.ts"
import type { Kind } from "./Ledger.ts"
import { type Load, rowsOfUpload } from "./Load.ts"
import { rowsOfVersion, type World } from "./World.ts"

interface Count {
  readonly acknowledged: number
  readonly lost: number
  readonly doubled: number
}

export type AuditedKind = Exclude<Kind, "health" | "read"> | "event"

export interface Audit {
  readonly counts: Readonly<Record<AuditedKind, Count>>
  /** Repeated deliveries after a success: the id is the same, so that receivers can tell. */
  readonly receivedAgain: number
  readonly badSignatures: number
  /** Captured calls that the servers report as dropped. */
  readonly dropped: number
}

interface Resource {
  readonly id: string
}

interface Call extends Resource {
  readonly request: unknown
}

interface Health {
  readonly capture: { readonly waiting: number; readonly dropped: number }
}

/** Resources from before the load. */
export interface Before {
  readonly ids: ReadonlySet<string>
}

const lists = { run: "/v1/distill/runs", dataset: "/v1/distill/datasets", upload: "/v1/distill/uploads" } as const

export const before = async ({ apis: [api] }: World): Promise<Before> => {
  const all = await Promise.all([...Object.values(lists), "/v1/events"].map((path) => api.list<Resource>(path)))
  return { ids: new Set(all.flat().map(({ id }) => id)) }
}

/** How many come more than once. */
const repeated = (names: ReadonlyArray<string>): number => names.length - new Set(names).size

const missing = (names: ReadonlyArray<string>, from: Iterable<string>): number => {
  const there = new Set(from)
  return names.filter((name) => !there.has(name)).length
}

const healthOf = async (api: Api): Promise<Health["capture"]> => (await api.get<Health>("/healthz")).capture

/** No call waits in a journal any more; how many were given up. */
const drained = ({ apis }: World): Promise<number> =>
  eventually("every journal is empty", async () => {
    const found = await Promise.all(apis.map(healthOf))
    return found.every(({ waiting }) => waiting === 0)
      ? found.reduce((sum, { dropped }) => sum + dropped, 0)
      : undefined
  })

const taken = ({ arrivals }: Receiver): ReadonlyArray<string> =>
  arrivals.filter(({ answeredAt, status }) => answeredAt !== null && status < 300).map(({ event }) => event)

const calls = async (api: Api, { asked }: World, { ledger }: Load): Promise<Count> => {
  const { acknowledged } = ledger.call
  const stored = await api.list<Call>("/v1/distill/calls")
  // A question of a chat may be asked again after a kill, because its answer was lost with the server.
  const askedAgain = [...asked].filter(([mark, times]) => mark.startsWith("question ") && times > 1).length
  const marks = stored.map(({ request }) => markOf(request))
  return {
    acknowledged: acknowledged.length,
    lost: missing(
      acknowledged,
      stored.map(({ id }) => id)
    ),
    doubled: repeated(marks.filter((mark) => mark.startsWith("question "))) + askedAgain
  }
}

/** Every operation was retried until its acknowledgement: additional resources were made twice. */
const created = async <A extends Resource>(
  api: Api,
  acknowledged: ReadonlyArray<string>,
  path: string,
  known: Before,
  isWhole: (one: A) => boolean
): Promise<Count> => {
  const found = (await api.list<A>(path)).filter(({ id }) => !known.ids.has(id))
  return {
    acknowledged: acknowledged.length,
    lost: missing(
      acknowledged,
      found.filter(isWhole).map(({ id }) => id)
    ),
    doubled: missing(
      found.map(({ id }) => id),
      acknowledged
    )
  }
}

interface Message extends Resource {
  readonly role: string
  readonly status: string
}

/** Every acknowledged answer is in its conversation as completed, after its question, which appears once. */
const questions = async (api: Api, { ledger }: Load): Promise<Count> => {
  const conversations = await api.list<Resource>("/v1/conversations")
  const messages: Array<Message> = []
  for (const { id } of conversations) messages.push(...(await api.list<Message>(`/v1/conversations/${id}/messages`)))
  const { acknowledged } = ledger.question
  const completed = messages.filter(({ role, status }) => role === "assistant" && status === "completed")
  const asked = messages.filter(({ role }) => role === "user").length
  return {
    acknowledged: acknowledged.length,
    lost: missing(
      acknowledged,
      completed.map(({ id }) => id)
    ),
    doubled: asked - acknowledged.length + conversations.length - acknowledged.length
  }
}

const feedback = async (api: Api, { ledger }: Load): Promise<Count> => {
  const { acknowledged } = ledger.feedback
  const values = (await api.list<{ value: number }>("/v1/distill/feedback")).map(({ value }) => String(value))
  return { acknowledged: acknowledged.length, lost: missing(acknowledged, values), doubled: repeated(values) }
}

const changes = async (api: Api, { deployment }: World, load: Load): Promise<Count> => {
  const { traffic_percent } = await api.get<{ traffic_percent: number }>(deployment)
  const isLastLost = load.share !== undefined && load.share !== traffic_percent
  const lost = load.forgottenChanges + (isLastLost ? 1 : 0)
  return { acknowledged: load.ledger.change.acknowledged.length, lost, doubled: 0 }
}

/** Both receivers have all events since the load began; no two events report the same change. */
const events = async (api: Api, { hooks }: World, known: Before): Promise<Count> => {
  const all = (await api.events()).filter(({ id }) => !known.ids.has(id))
  const ids = all.map(({ id }) => id)
  const left = () => hooks.map(({ receiver }) => missing(ids, taken(receiver)))
  await eventually("every event was received", async () =>
    left().every((count) => count === 0) ? true : undefined
  ).catch(() => {})
  const paths = hooks.map(({ endpoint }) => `/v1/webhook_endpoints/${endpoint.id}/deliveries`)
  const deliveries = await Promise.all(paths.map((path) => api.list<{ event_id: string }>(path)))
  const once = all.filter(({ type }) => /\.(created|succeeded)$/.test(type))
  return {
    acknowledged: ids.length * hooks.length,
    lost: left().reduce((sum, count) => sum + count, 0),
    doubled:
      repeated(once.map(({ data, type }) => `${type} of ${data.object.id}`)) +
      deliveries.reduce((sum, each) => sum + repeated(each.map(({ event_id }) => event_id)), 0)
  }
}

const rested = (api: Api, path: string, isAtRest: (one: { readonly status: string }) => boolean) =>
  eventually(`all of ${path} are at rest`, async () =>
    (await api.list<{ status: string }>(path)).every(isAtRest) ? true : undefined
  )

export const audit = async (world: World, load: Load, known: Before): Promise<Audit> => {
  const [api] = world.apis
  const { ledger } = load
  const dropped = await drained(world)
  await rested(api, lists.run, isOver)
  // An upload that never gets all its bytes counts as lost.
  await rested(api, lists.upload, ({ status }) => status !== "processing")
  const versions = `/v1/distill/datasets/${world.data.dataset}/versions`
  await rested(api, versions, ({ status }) => status !== "building")
  const isRun = ({ status }: Run) => status === "succeeded"
  const isVersion = ({ rows, status }: Version) => status === "ready" && rows === rowsOfVersion
  const isUpload = ({ rows, status }: Upload) => status === "succeeded" && rows === rowsOfUpload
  const counts = {
    call: await calls(api, world, load),
    run: await created(api, ledger.run.acknowledged, lists.run, known, isRun),
    dataset: await created(api, ledger.dataset.acknowledged, lists.dataset, known, () => true),
    upload: await created(api, ledger.upload.acknowledged, lists.upload, known, isUpload),
    version: await created(api, ledger.version.acknowledged, versions, known, isVersion),
    question: await questions(api, load),
    feedback: await feedback(api, load),
    change: await changes(api, world, load),
    event: await events(api, world, known)
  }
  const receivers = world.hooks.map(({ receiver }) => receiver)
  return {
    counts,
    receivedAgain: receivers.reduce((sum, receiver) => sum + repeated(taken(receiver)), 0),
    badSignatures: receivers.flatMap(({ arrivals }) => arrivals).filter(({ genuine }) => !genuine).length,
    dropped
  }
}
