/** Simulated traffic of which half gets labels that the student never saw, with seeds, as the reviews of drift look at it. */
import type { ServedCall } from "@limbeck/capture/call/CallStore"
import { CallId } from "@limbeck/capture/call/CapturedCall"
import * as Id from "@limbeck/core/ids/Id"
import * as CallDriftRules from "@limbeck/serving/guard/CallDriftRules"
import * as DriftReviewRules from "@limbeck/serving/guard/DriftReviewRules"
import { luck } from "@limbeck/testing/random/Luck"

/** Calls before the new labels, and calls within which these are to be noticed. */
const changeAt = 1_500
const within = 1_000
/** Shares of calls below the threshold: with known labels, and with new labels. */
const unsure = { known: 0.25, new: 0.6 }

interface Call {
  readonly call: ServedCall
  /** As the student or its fallback answers. */
  readonly answer: number
}

/** `labels`: of the student, of uneven frequency; as many are new. */
const callOf = (nth: number, labels: number, isChanged: boolean, next: () => number): Call => {
  const label = Math.floor(labels * next() ** 2)
  const isNew = isChanged && next() < 0.5
  const share = isNew ? unsure.new : unsure.known
  const confidence = next() - share
  const isFallback = confidence < 0
  return {
    call: {
      id: CallId.make(Id.floorAt("call", nth)),
      servedBy: isFallback ? "upstream_fallback" : "student",
      fallbackReason: isFallback ? "confidence" : null,
      confidence
    },
    // A student answers new labels by a known one; its fallback knows them.
    answer: isNew && isFallback ? labels + label : label
  }
}

/** The number of calls at which drift is noticed; null: never. */
const noticedAt = (calls: ReadonlyArray<Call>): number | null => {
  const answers = new Map(calls.map(({ answer, call }) => [call.id, answer]))
  const served = calls.map(({ call }) => call)
  const { windowCalls } = CallDriftRules
  const before = served.slice(0, windowCalls)
  let looks = DriftReviewRules.noLooks
  for (let count = windowCalls + DriftReviewRules.callsPerLook; count <= calls.length; ) {
    const review = DriftReviewRules.look(
      looks,
      { before, now: served.slice(Math.max(windowCalls, count - windowCalls), count) },
      answers
    )
    if (review?.isDrifted === true) return count
    looks = review?.looks ?? looks
    count += DriftReviewRules.callsPerLook
  }
  return null
}

/** Shares of the deployments: noticed before anything changed, and of the others, noticed in time. */
export const outcomeOf = (labels: number, deployments: number) => {
  const all = Array.from({ length: deployments }, (_, seed) => {
    const next = luck(seed + 1)
    return noticedAt(Array.from({ length: changeAt + within }, (__, nth) => callOf(nth, labels, nth >= changeAt, next)))
  })
  const others = all.filter((at) => at === null || at > changeAt)
  return {
    falseAlarms: (all.length - others.length) / all.length,
    found: others.filter((at) => at !== null).length / Math.max(1, others.length)
  }
}
