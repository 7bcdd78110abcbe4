/** Stores calls like the proxy's captures. */
import type { CapturedCallDetail, Feedback, CapturedCall as ShownCall } from "@limbeck/api/CallsApi"
import type { Dataset, DatasetVersion } from "@limbeck/api/DatasetsApi"
import type { CapturedCall } from "@limbeck/capture/call/CapturedCall"
import * as Id from "@limbeck/core/ids/Id"
import * as Partition from "@limbeck/core/partition/Partition"
import * as Calls from "@limbeck/testing/fixtures/Calls"
import { readUntil } from "@limbeck/testing/http/Steps"
import { type Client, expectStatus, type ListOf } from "./Client.ts"
import type { House, Workspace } from "./House.ts"

export type CallView = typeof ShownCall.Type
export type Detail = typeof CapturedCallDetail.Type
export type FeedbackView = typeof Feedback.Type
export type Version = typeof DatasetVersion.Type

export const calls = "/v1/distill/calls"
export const feedback = "/v1/distill/feedback"

export const partitionOf = ({ id }: Workspace, livemode = true) =>
  // A workspace of the house has a valid id.
  Partition.make(id as Id.WorkspaceId, livemode)

let count = 0

/** The id begins with the instant, so ids sort by creation. */
export const idAt = (at: number) => {
  const bytes = new Uint8Array(16)
  const view = new DataView(bytes.buffer)
  view.setUint16(0, Math.floor(at / 2 ** 32))
  view.setUint32(2, at % 2 ** 32)
  view.setUint32(12, ++count)
  return Id.fromBytes("call", bytes)
}

/** A call of an hour ago: nobody waits for it to arrive. */
export const callOf = (house: House, fields: Partial<CapturedCall> = {}): CapturedCall => {
  const createdAt = fields.createdAt ?? house.now() - 3_600_000
  return Calls.call({ id: idAt(createdAt), createdAt, ...fields })
}

/** A call with the question `prompt` and the answer `answer`. */
export const asked = (house: House, prompt: string, answer: unknown, fields: Partial<CapturedCall> = {}) =>
  callOf(house, {
    request: JSON.stringify({ model: "large", messages: [{ role: "user", content: prompt }], temperature: Math.LN2 }),
    response: JSON.stringify({ id: `chatcmpl-${prompt}`, choices: [{ index: 0, message: messageOf(answer) }] }),
    ...fields
  })

const messageOf = (answer: unknown) =>
  typeof answer === "string" ? { role: "assistant", content: answer, refusal: null, annotations: [] } : answer

export const capture = (house: House, workspace: Workspace, calls: ReadonlyArray<CapturedCall>, livemode = true) =>
  house.withCalls((store) => store.append(Calls.inPartition(partitionOf(workspace, livemode), calls)))

export const listed = async (caller: Client, query = "") =>
  expectStatus(await caller.get<ListOf<CallView>>(`${calls}${query}`), 200)

export const idsOf = (list: { readonly data: ReadonlyArray<{ readonly id: string }> }) => list.data.map(({ id }) => id)

/** A built version of captured calls. */
export const versionOfCalls = async (caller: Client, filter: Readonly<Record<string, unknown>>, fields = {}) => {
  const dataset = expectStatus(await caller.post<typeof Dataset.Type>("/v1/distill/datasets", { name: "calls" }), 201)
  const path = `/v1/distill/datasets/${dataset.id}/versions`
  const made = expectStatus(await caller.post<Version>(path, { from: { calls: filter }, ...fields }), 201)
  return readUntil(
    () => caller.get<Version>(`/v1/distill/dataset_versions/${made.id}`),
    ({ status }) => status !== "building"
  )
}
