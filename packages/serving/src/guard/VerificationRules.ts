/** Which student answers are verified by the upstream (contract 15.15). Pure. */
import { placeOf } from "@limbeck/capture/tape/EvenPlace"
import type { Deployment } from "../deployment/Deployment.ts"

/** Whether its student is watched at present: it is active under a guard, and not below its floor. */
export const isWatched = ({ guardedAt, status, watchedSince }: Deployment): boolean =>
  status === "ready" && watchedSince !== null && guardedAt === null

/** Whether the fallback answers in the student's place until a person makes it active again. */
export const isGuarded = ({ fallback, guard, guardedAt }: Deployment): boolean =>
  guardedAt !== null && guard?.onBreach === "fallback" && fallback !== null

/** Whether the fallback answers this question until a person makes the deployment active again. */
export const isGuardedQuestion = ({ fallback, guard, questions }: Deployment, question: string): boolean =>
  guard?.onBreach === "fallback" &&
  fallback !== null &&
  questions.some((one) => one.question === question && one.guardedAt !== null)

/** By the call's id alone, so that a caller cannot choose: an even share of the calls. */
export const isVerified = (deployment: Deployment, call: string): boolean =>
  isWatched(deployment) &&
  deployment.fallback !== null &&
  placeOf(`verified\n${call}`) * 100 < (deployment.guard?.verifyPercent ?? 0)
