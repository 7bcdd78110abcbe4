/** The error of a call whose student fails and has no fallback. */
import { UpstreamTimeout, UpstreamUnreachable } from "@limbeck/capture/Errors"
import { type Deployment, modelOf } from "../../deployment/Deployment.ts"
import type { StudentFailed } from "../../student/internal/StudentResponse.ts"

export const of = (deployment: Deployment, failure: StudentFailed): UpstreamTimeout | UpstreamUnreachable => {
  const student = { kind: "student", name: modelOf(deployment) } as const
  return failure.reason === "timeout"
    ? new UpstreamTimeout(student)
    : new UpstreamUnreachable({ ...student, reason: failure.message })
}
