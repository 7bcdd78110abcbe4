/** When another attempt follows one that a source failed, and after how long (contract 16.8). Pure. */
import type { CallError } from "./Forward.ts"

/** An answer or failure after which another attempt may follow. */
export interface FailedAttempt {
  /** Null where the source gave no answer. */
  readonly statusCode: number | null
  /** Null where it answered. */
  readonly error: string | null
  /** As the source states it, in seconds or as a date; null where it states none. */
  readonly retryAfter: string | null
}

/** Overload and failures of the moment; 529 is Anthropic's overload. */
const statuses: ReadonlySet<number> = new Set([408, 429, 500, 502, 503, 504, 529])

export const isRetried = (status: number): boolean => statuses.has(status)

/** Undefined for a failure that another attempt would meet again, such as a wrong request. */
export const failedAttempt = (error: CallError): FailedAttempt | undefined => {
  switch (error._tag) {
    case "TeacherRefused": {
      const retryAfter = error.retryAfterSeconds === undefined ? null : String(error.retryAfterSeconds)
      return isRetried(error.upstreamStatus) ? { statusCode: error.upstreamStatus, error: null, retryAfter } : undefined
    }
    case "TeacherTimeout":
    case "UpstreamTimeout":
      return { statusCode: null, error: "timeout", retryAfter: null }
    case "TeacherUnreachable":
    case "UpstreamUnreachable":
      return { statusCode: null, error: error.reason.replace(/^did not answer: /, ""), retryAfter: null }
    default:
      return undefined
  }
}

/** The longest wait for a source that asks for more: a client waits too. */
const waitMillisMax = 5_000

/** The wait before the first retry of a source that states none; each further one waits twice as long. */
const firstWaitMillis = 250

/** `retries`: how many were made before. */
export const waitMillis = ({ retryAfter }: FailedAttempt, retries: number, now: number): number => {
  const stated = retryAfter === null ? undefined : statedMillis(retryAfter, now)
  return Math.min(stated ?? firstWaitMillis * 2 ** retries, waitMillisMax)
}

const statedMillis = (retryAfter: string, now: number): number | undefined => {
  if (/^\d{1,9}(?:\.\d+)?$/.test(retryAfter)) return Number(retryAfter) * 1_000
  const at = Date.parse(retryAfter)
  return Number.isNaN(at) ? undefined : Math.max(0, at - now)
}
