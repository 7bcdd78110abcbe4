/** Asks a model through the proxy, and hands on its answer as it comes. */
import { ConnectionError, errorOf } from "@limbeck/client"
import { apiBase } from "../app/Credentials.ts"
import * as ChatStream from "./ChatStream.ts"

/** Who is asked: an alias, or a model of a source. */
export interface Target {
  readonly model: string
  /** Null: the source that the server chooses. */
  readonly source: string | null
}

/** The secret of a token with `proxy:write`, and the beginning of the proxy's own headers, such as `x-service`. */
export interface ProxyAccess {
  readonly secret: string
  readonly prefix: string
}

export interface Question {
  readonly system: string
  readonly text: string
}

/** The label of the page's calls. */
const tag = "playground"

const url = (path: string): string => `${apiBase()}/v1/proxy/${path}`

const callIdSuffix = "-call-id"

/** An alias: the server asks no source about it. */
const probe = "models/svc:playground"

/** The proxy has the name of its server's brand in its headers, and puts the id of the call on every answer, refusals too. */
export const prefixOf = async (secret: string): Promise<string> => {
  const answer = await fetch(url(probe), { headers: { authorization: `Bearer ${secret}` } })
  const text = await answer.text()
  if (!answer.ok && answer.status !== 404) throw errorOf(answer.status, text, answer.headers.get("x-request-id"))
  const name = [...answer.headers.keys()].find((header) => header.endsWith(callIdSuffix))
  return name?.slice(0, -callIdSuffix.length) ?? "x-service"
}

const bodyOf = ({ model }: Target, { system, text }: Question) => ({
  model,
  stream: true,
  messages: [...(system === "" ? [] : [{ role: "system", content: system }]), { role: "user", content: text }]
})

const send = ({ prefix, secret }: ProxyAccess, target: Target, question: Question, signal: AbortSignal) =>
  fetch(url("chat/completions"), {
    method: "POST",
    signal,
    headers: {
      authorization: `Bearer ${secret}`,
      "content-type": "application/json",
      [`${prefix}-tags`]: tag,
      ...(target.source === null ? {} : { [`${prefix}-source`]: target.source })
    },
    body: JSON.stringify(bodyOf(target, question))
  }).catch((error) => {
    if (signal.aborted) throw error
    throw new ConnectionError("No answer came", { cause: error })
  })

const follow = async (body: ReadableStream<Uint8Array<ArrayBuffer>>, told: (text: string) => void): Promise<string> => {
  let state = ChatStream.begun
  const reader = body.pipeThrough(new TextDecoderStream()).getReader()
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    state = ChatStream.read(state, part.value)
    told(state.text)
  }
  if (state.failure !== null) throw new Error(state.failure)
  return state.text
}

/** The captured call of the answer; null without one. `told` receives the text so far. */
export const ask = async (
  access: ProxyAccess,
  target: Target,
  question: Question,
  { signal, told }: { readonly signal: AbortSignal; readonly told: (text: string) => void }
): Promise<string | null> => {
  const answer = await send(access, target, question, signal)
  if (!answer.ok) throw errorOf(answer.status, await answer.text(), answer.headers.get("x-request-id"))
  const isStream = answer.headers.get("content-type")?.startsWith("text/event-stream") === true
  if (isStream && answer.body !== null) await follow(answer.body, told)
  else told(ChatStream.wholeText(await answer.text()))
  return answer.headers.get(`${access.prefix}${callIdSuffix}`)
}
