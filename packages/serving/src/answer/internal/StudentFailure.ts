/** The error of a call whose student fails and has no fallback. */
import { UpstreamTimeout, UpstreamUnreachable } from "@limbeck/capture/Errors"
import { InvalidInput } from "@limbeck/core/errors/Errors"
import { type Deployment, modelOf } from "../../deployment/Deployment.ts"
import type { StudentFailed } from "../../student/internal/StudentResponse.ts"

export const of = (
  deployment: Deployment,
  { message, reason }: StudentFailed
): InvalidInput | UpstreamTimeout | UpstreamUnreachable => {
  const name = modelOf(deployment)
  const student = { kind: "student", name } as const
  if (reason === "unsupported") return new InvalidInput({ message: `${name} ${message}`, param: "model" })
  return reason === "timeout" ? new UpstreamTimeout(student) : new UpstreamUnreachable({ ...student, reason: message })
}
