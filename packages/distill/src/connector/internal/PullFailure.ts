/** Why a connector's content cannot be had, and whether asking again may help. */
import { insecureUrl } from "@limbeck/core/egress/EgressPolicy"
import * as Data from "effect/Data"
import type { RemoteError } from "../Remote.ts"

export class PullFailure extends Data.TaggedError("PullFailure")<{
  readonly code: string
  /** For the caller; holds no URL, header or body. */
  readonly message: string
  /** `here`: the same request; `anew`: only from the first byte; `never`. */
  readonly again: "here" | "anew" | "never"
}> {}

/** The same failure with another retry advice. `...` does not copy an error's message. */
export const instead = ({ code, message }: PullFailure, again: PullFailure["again"]): PullFailure =>
  new PullFailure({ code, message, again })

const forGood = ["blocked_address", insecureUrl, "invalid_url", "invalid_request", "invalid_response", "tls_failure"]

export const unreachable = ({ reason }: RemoteError): PullFailure =>
  new PullFailure({
    code: reason,
    message: `The connector's URL did not answer: ${reason}`,
    again: forGood.includes(reason) ? "never" : "here"
  })

const worthAnotherTry = (status: number): boolean => status === 408 || status === 429 || status >= 500

export const refusalOf = (status: number): PullFailure =>
  new PullFailure({
    code: "status",
    message: `The connector's URL answered ${status}`,
    again: worthAnotherTry(status) ? "here" : "never"
  })

export const contentChange = new PullFailure({
  code: "content_changed",
  message: "The connection broke, and the content cannot be resumed: it has changed, or is not served in parts",
  again: "anew"
})

/** The operator can help, the caller cannot. */
export const notInstalled = (name: string): PullFailure =>
  new PullFailure({
    code: "not_installed",
    message: `This server cannot read buckets: the package ${name} is not installed`,
    again: "never"
  })

export const invalidAnswer = (message: string): PullFailure =>
  new PullFailure({ code: "invalid_answer", message, again: "never" })
