// @effect-diagnostics globalFetch:off
/** Proxy calls like a stock client's, and their responses, byte for byte. */
import type { RequestListener } from "node:http"
import { create } from "@limbeck/testing/http/SourceSteps"
import type { Models } from "@limbeck/testing/upstream/Models"
import { operationOf } from "./Document.ts"
import type { House, Workspace } from "./House.ts"
import * as RouteRecord from "./RouteRecord.ts"

export const chat = "/v1/proxy/chat/completions"
export const callIdPattern = /^call_[0-9a-hjkmnp-tv-z]{26}$/
export const question = { model: "gpt", messages: [{ role: "user", content: "The capital of France?" }] }

/** The mode in which an upstream may be on this machine. */
export const tokenOf = ({ liveToken }: Workspace) => liveToken.replace("live", "test")

export const headersOf = (workspace: Workspace, more: Readonly<Record<string, string>> = {}) => ({
  authorization: `Bearer ${tokenOf(workspace)}`,
  "content-type": "application/json",
  ...more
})

export interface SentCall {
  readonly path?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  readonly signal?: AbortSignal
}

/** Without the judge: upstreams' responses are in no document of ours. */
export const send = async (house: House, workspace: Workspace, sent: SentCall = {}) => {
  const path = sent.path ?? chat
  const answer = await fetch(house.origin + path, {
    method: "POST",
    body: sent.body ?? JSON.stringify(question),
    headers: headersOf(workspace, sent.headers),
    redirect: "manual",
    ...(sent.signal === undefined ? {} : { signal: sent.signal })
  })
  RouteRecord.record(operationOf("POST", path)?.operation.operationId, answer.status)
  return answer
}

/** With a default source whose upstream answers like this. */
export const withSource = async (house: House, upstream: Models, listener: RequestListener, fields = {}) => {
  const workspace = await house.workspace()
  const base_url = upstream.base(listener)
  const source = await create(workspace.test, { base_url, default: true, ...fields })
  return { workspace, base_url, source }
}

export const chunksOf = async (response: Response) => {
  const parts: Array<Uint8Array> = []
  for await (const part of response.body ?? []) parts.push(part)
  return Buffer.concat(parts)
}
