/** An answer of the playground: its streamed text, then responder, confidence and cost, and the feedback of a person. */
import { ApiError, type CapturedCallDetail } from "@limbeck/client"
import { useEffect, useState } from "react"
import { Link } from "wouter"
import { useAnswer } from "../app/Queries.ts"
import { useClient } from "../app/Session.tsx"
import { wordsOfResponder } from "../calls/Responders.ts"
import { Ask, Field } from "../parts/Ask.tsx"
import { Do } from "../parts/Do.tsx"
import { Facts } from "../parts/Facts.tsx"
import { Failure } from "../parts/Failure.tsx"
import { textOf } from "../parts/Forms.ts"
import { share, usd, wholeMillis } from "../parts/Words.ts"
import { ask, type ProxyAccess, type Question, type Target } from "./Asking.ts"

export interface AnswerProps {
  readonly access: ProxyAccess
  readonly name: string
  readonly target: Target
  readonly question: Question
}

type Progress =
  | { readonly is: "coming"; readonly text: string }
  | { readonly is: "whole"; readonly text: string; readonly call: string | null }
  | { readonly is: "failed"; readonly text: string; readonly error: unknown }

/** Asks once; leaving the answer stops it. */
const useProgress = ({ access, question, target }: AnswerProps): Progress => {
  const [progress, setProgress] = useState<Progress>({ is: "coming", text: "" })
  useEffect(() => {
    const stop = new AbortController()
    let text = ""
    const told = (more: string) => {
      text = more
      setProgress({ is: "coming", text })
    }
    ask(access, target, question, { signal: stop.signal, told }).then(
      (call) => setProgress({ is: "whole", text, call }),
      (error) => {
        if (!stop.signal.aborted) setProgress({ is: "failed", text, error })
      }
    )
    return () => stop.abort()
  }, [access, question, target])
  return progress
}

/** The answer of the student in the shadow comes after the caller's. */
const isAwaited = ({ served_by, shadow_results }: CapturedCallDetail): boolean =>
  served_by === "shadow" && shadow_results.length === 0

const contentOf = (message: unknown): string => {
  // The API leaves the members of a message open.
  const content = (message as { readonly content?: unknown } | null)?.content
  return typeof content === "string" ? content : ""
}

const Shadows = ({ of }: { readonly of: CapturedCallDetail["shadow_results"] }) =>
  of.map(({ agrees, confidence, deployment, error, latency_ms, message }) => (
    <div key={deployment} className="shadow-answer">
      <h3>The student, in the shadow</h3>
      <p className="answer-text">{error ?? contentOf(message)}</p>
      <p className="soft">
        {share(confidence)} sure, {wholeMillis(latency_ms)}
        {agrees !== null && (agrees ? ", agrees" : ", differs")}
      </p>
    </div>
  ))

const RightAnswer = ({ call }: { readonly call: string }) => {
  const client = useClient()
  const correct = (form: FormData) =>
    client.feedback.create({ call_id: call, name: "correction", value: 0, comment: textOf(form, "comment") })
  return (
    <Ask
      button="Correct…"
      title="What is the right answer?"
      note="It is kept as a correction."
      does="Save"
      act={correct}
    >
      <Field label="The right answer" name="comment">
        {(field) => <textarea {...field} name="comment" rows={4} required maxLength={4_000} />}
      </Field>
    </Ask>
  )
}

const Feedback = ({ call }: { readonly call: string }) => {
  const client = useClient()
  const give = (value: number) => () => client.feedback.create({ call_id: call, name: "review", value })
  const says = () => "Saved"
  return (
    <div className="actions">
      <Do button="Good answer" act={give(1)} says={says} />
      <Do button="Bad answer" act={give(0)} says={says} />
      <RightAnswer call={call} />
    </div>
  )
}

const Captured = ({ call }: { readonly call: string }) => {
  const client = useClient()
  const query = useAnswer(["calls", call, "played"], () => client.calls.get(call), { moves: isAwaited })
  const { data: detail, error } = query
  if (error instanceof ApiError && error.status === 404) return <p className="soft">The call was not captured.</p>
  if (detail === undefined) return <Failure error={error} again={() => query.refetch()} />
  const { confidence, cost_usd, fallback_reason, first_token_ms, latency_ms, served_by, usage } = detail
  return (
    <>
      <Facts
        of={[
          ["Answered by", wordsOfResponder(served_by)],
          fallback_reason === null ? null : ["Why not by the student", fallback_reason.replaceAll("_", " ")],
          confidence === null ? null : ["Sure", share(confidence)],
          ["Cost", usd(cost_usd)],
          ["Time", wholeMillis(latency_ms)],
          first_token_ms === null ? null : ["First token", wholeMillis(first_token_ms)],
          ["Tokens", usage === null ? "–" : `${usage.prompt_tokens} in, ${usage.completion_tokens} out`],
          [
            "Call",
            <Link key="call" href={`/calls/${call}`}>
              show
            </Link>
          ]
        ]}
      />
      <Shadows of={detail.shadow_results} />
      <Feedback call={call} />
    </>
  )
}

const words = { coming: "Answering…", whole: "Answered", failed: "Failed" }

export const Answer = (props: AnswerProps) => {
  const progress = useProgress(props)
  return (
    <section className="card" aria-label={props.name}>
      <h2>
        <bdi>{props.name}</bdi>
      </h2>
      <output className="soft">{words[progress.is]}</output>
      <p className="answer-text">{progress.text}</p>
      {progress.is === "failed" && <Failure error={progress.error} />}
      {progress.is === "whole" && progress.call !== null && <Captured call={progress.call} />}
    </section>
  )
}
