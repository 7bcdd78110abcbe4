// A command in plain Node, for a person.
// @effect-diagnostics globalFetch:off
/** Asks the proxy about one row, and finds answers and costs among the captured calls. */
import { setTimeout as sleep } from "node:timers/promises"
import { ApiError, type CapturedCall, type Client } from "@limbeck/client"
import { CommandError } from "../CommandError.ts"
import type { Connection } from "../Connection.ts"
import { DecideLimits } from "./Limits.ts"

export interface RowAnswer {
  readonly answers: unknown
  readonly servedBy: string
  /** Of the captured call; null without one. */
  readonly call: string | null
}

/** Why a row has no answer; another row may have one. */
export interface RowFailure {
  readonly problem: string
}

export const isFailure = (found: RowAnswer | RowFailure): found is RowFailure => "problem" in found

/** Worth another attempt, after a pause. */
const passing = new Set([408, 429, 500, 502, 503, 504, 529])

const problemOf = (status: number, text: string): string => {
  let message: unknown
  try {
    message = Object(Object(JSON.parse(text)).error).message
  } catch {
    // Not JSON: the status says all.
  }
  return `${status}: ${typeof message === "string" ? message : "no readable answer"}`
}

const pauseOf = (response: Response | undefined, attempt: number): number => {
  const seconds = Number(response?.headers.get("retry-after") ?? Number.NaN)
  const millis = Number.isFinite(seconds) ? seconds * 1_000 : 500 * 2 ** attempt
  return Math.min(DecideLimits.pauseMillisMax, Math.max(0, millis))
}

export interface Asking {
  /** `externalId`: of this row alone. Fails for a refusal that every row would get. */
  readonly ask: (body: object, externalId: string) => Promise<RowAnswer | RowFailure>
  /** The answer that an earlier request of this id got, if it was captured. */
  readonly earlier: (externalId: string) => Promise<RowAnswer | undefined>
  /** What a call cost, in US dollars; null where nobody knows. */
  readonly costOf: (call: string) => Promise<number | null>
}

/** The answers in a body; undefined for another one. */
const answersIn = (body: unknown): unknown => Object(body).answers

const stored = async <A>(look: () => Promise<A | undefined>, waitMillis: number): Promise<A | undefined> => {
  for (let waited = 0; ; waited += DecideLimits.storedPollMillis) {
    const found = await look()
    if (found !== undefined || waited >= waitMillis) return found
    await sleep(DecideLimits.storedPollMillis)
  }
}

const found = async <A>(looking: Promise<A>): Promise<A | undefined> => {
  try {
    return await looking
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return undefined
    throw error
  }
}

export const make = (client: Client, { baseUrl, token = "" }: Connection): Asking => {
  const send = (body: object, externalId: string): Promise<Response> =>
    fetch(`${baseUrl.replace(/\/+$/u, "")}/v1/proxy/decisions`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${token}`,
        "content-type": "application/json",
        "x-service-external-id": externalId
      },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(DecideLimits.requestMillisMax)
    })

  const answerOf = async (response: Response, text: string): Promise<RowAnswer | RowFailure> => {
    const answers = answersIn(JSON.parse(text))
    if (answers === undefined) return { problem: "an answer without answers" }
    const header = (name: string) => response.headers.get(`x-service-${name}`)
    return { answers, servedBy: header("served-by") ?? "upstream", call: header("call-id") }
  }

  const earlierCall = async (externalId: string): Promise<CapturedCall | undefined> => {
    const { data } = await client.calls.list({ external_id: externalId }).page()
    return data.find(({ outcome }) => outcome === "succeeded")
  }

  const earlier: Asking["earlier"] = async (externalId) => {
    const call = await stored(() => earlierCall(externalId), DecideLimits.storedMillisMax / 5)
    if (call === undefined) return undefined
    const answers = answersIn(Object(await client.calls.get(call.id)).response)
    return answers === undefined ? undefined : { answers, servedBy: call.served_by, call: call.id }
  }

  const ask: Asking["ask"] = async (body, externalId) => {
    let problem = "no answer"
    for (let attempt = 0; attempt < DecideLimits.attemptsMax; attempt++) {
      let response: Response | undefined
      try {
        response = await send(body, externalId)
        const text = await response.text()
        if (response.ok) return await answerOf(response, text)
        problem = problemOf(response.status, text)
        if (!passing.has(response.status)) throw new CommandError(problem)
      } catch (error) {
        if (error instanceof CommandError) throw error
        problem = error instanceof Error ? error.message : String(error)
        // The answer may have been on its way.
        const known = await earlier(externalId)
        if (known !== undefined) return known
      }
      await sleep(pauseOf(response, attempt))
    }
    return { problem }
  }

  return {
    ask,
    earlier,
    costOf: async (id) => {
      const call = await stored(() => found(client.calls.get(id)), DecideLimits.storedMillisMax)
      return call?.cost_usd ?? null
    }
  }
}
