/** One captured call: question, answer, responder, and feedback. */
import type { CapturedCallDetail } from "@limbeck/client"
import { useState } from "react"
import { useAnswer } from "../app/Queries.ts"
import { useClient } from "../app/Session.tsx"
import type { BodyPart, TextPlace } from "../large/CallParts.ts"
import { type Reader, useReader } from "../large/Reader.ts"
import type { TextPart } from "../large/TextPart.ts"
import { Ask } from "../parts/Ask.tsx"
import { Badge } from "../parts/Badge.tsx"
import { Do } from "../parts/Do.tsx"
import { Facts } from "../parts/Facts.tsx"
import { JsonParts } from "../parts/Json.tsx"
import { Text } from "../parts/LongText.tsx"
import { Messages } from "../parts/Messages.tsx"
import { Page, QueryContent, Section } from "../parts/Page.tsx"
import { PlainTable } from "../parts/PlainTable.tsx"
import { usePortion } from "../parts/Portion.tsx"
import { Time } from "../parts/Time.tsx"
import { score, usd, wholeMillis } from "../parts/Words.ts"
import { Decisions } from "./Decisions.tsx"
import { wordsOfResponder } from "./Responders.ts"

interface BodyProps {
  readonly label: string
  readonly name: "request" | "response"
  readonly of: BodyPart
  readonly reader: Reader
}

const Body = ({ label, name, of: { json, messages }, reader }: BodyProps) => {
  const [isOpen, setOpen] = useState(messages === null)
  const moreText = (place: TextPlace, from: number) => reader.ask<TextPart>({ kind: "text", place, from })
  return (
    <>
      {messages !== null && (
        <Messages
          label={`Messages of the ${name}`}
          first={messages}
          moreMessages={(from) => reader.ask({ kind: "messages", body: name, from })}
          moreText={(message, part, from) => moreText({ body: name, message, part }, from)}
        />
      )}
      <details open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary>{label} as JSON</summary>
        {isOpen && <JsonParts label={label} first={json} more={(from) => moreText({ body: name }, from)} />}
      </details>
    </>
  )
}

const Feedback = ({ call }: { readonly call: CapturedCallDetail }) => {
  const client = useClient()
  const { more, shown } = usePortion(call.feedback, "judgements")
  const give = (value: number) => () => client.feedback.create({ call_id: call.id, name: "review", value })
  return (
    <Section title="Feedback" note="Calls with good feedback can be chosen for a dataset.">
      <div className="actions">
        <Do button="Good answer" act={give(1)} />
        <Do button="Bad answer" act={give(0)} />
      </div>
      {call.feedback.length > 0 && (
        <PlainTable
          caption="What was said of it"
          head={["Name", "Value", "Comment", "When"]}
          rows={shown.map(({ comment, created_at, id, name, value }) => [
            name,
            value,
            comment === null ? "–" : <Text key="comment" label="the comment" of={comment} />,
            <Time key={id} at={created_at} />
          ])}
        />
      )}
      {more}
    </Section>
  )
}

interface CallProps {
  readonly call: CapturedCallDetail
  readonly reader: Reader
}

const Shadows = ({ call, reader }: CallProps) => {
  const { more, shown } = usePortion(call.shadow_results, "answers")
  if (shown.length === 0) return null
  return (
    <Section
      title="In the shadow"
      note="What students would have said, or what the upstream says of a student's answer."
    >
      <PlainTable
        caption="Answers that the client did not get"
        head={["Deployment", "Answer", "Agrees", "Confidence", "Time"]}
        rows={shown.map(({ agrees, confidence, deployment, error, latency_ms, message }, shadow) => [
          <code key="deployment">{deployment}</code>,
          error === null ? (
            <JsonParts
              key="answer"
              label={`Shadow answer ${shadow + 1}`}
              // The reader holds the rest of it.
              first={message as TextPart}
              more={(from) => reader.ask({ kind: "text", place: { shadow }, from })}
            />
          ) : (
            <Text key="error" label="the error" of={error} />
          ),
          agrees === null ? "–" : agrees ? "yes" : "no",
          score(confidence),
          wholeMillis(latency_ms)
        ])}
      />
      {more}
    </Section>
  )
}

const Attempts = ({ of }: { readonly of: CapturedCallDetail["attempts"] }) => {
  if (of.length === 0) return null
  return (
    <Section title="Attempts" note="Requests to sources for this call, in their order.">
      <PlainTable
        caption="Attempts"
        head={["Source", "Model", "Status", "Error", "Time"]}
        rows={of.map(({ error, latency_ms, model, source, status_code }) => [
          source,
          model ?? "–",
          status_code ?? "–",
          error === null ? "–" : <Text key="error" label="the error" of={error} />,
          wholeMillis(latency_ms)
        ])}
      />
    </Section>
  )
}

const Tags = ({ of }: { readonly of: ReadonlyArray<string> }) =>
  of.map((tag, at) => (
    <span key={tag}>
      {at > 0 && ", "}
      <bdi>{tag}</bdi>
    </span>
  ))

const Shown = ({ call, reader }: CallProps) => (
  <>
    <Facts
      of={[
        ["Outcome", <Badge key="outcome" of={call.outcome} />],
        ["When", <Time key="when" at={call.created_at} />],
        ["Model", call.model ?? "–"],
        ["Source", call.source_name ?? "–"],
        ["Answered by", wordsOfResponder(call.served_by)],
        call.fallback_reason === null ? null : ["Why not by the student", call.fallback_reason.replaceAll("_", " ")],
        call.confidence === null ? null : ["Confidence", score(call.confidence)],
        ["Status", call.status_code ?? "–"],
        ["Time", wholeMillis(call.latency_ms)],
        call.first_token_ms === null ? null : ["First token", wholeMillis(call.first_token_ms)],
        ["Tokens", call.usage === null ? "–" : `${call.usage.prompt_tokens} in, ${call.usage.completion_tokens} out`],
        ["Cost", usd(call.cost_usd)],
        ["Tags", call.tags.length === 0 ? "–" : <Tags key="tags" of={call.tags} />],
        call.external_id === null ? null : ["External id", call.external_id]
      ]}
    />
    <Attempts of={call.attempts} />
    {call.truncated && <p className="notice">The bodies were too large: what is shown was cut off.</p>}
    <Decisions decisions={call.decisions} />
    <Section title="Request">
      {/* The reader has left a part of each body. */}
      <Body label="Request" name="request" of={call.request as BodyPart} reader={reader} />
    </Section>
    <Section title={call.streamed ? "Answer, put together from its stream" : "Answer"}>
      <Body label="Answer" name="response" of={call.response as BodyPart} reader={reader} />
    </Section>
    <Shadows call={call} reader={reader} />
    <Feedback call={call} />
  </>
)

export default function Call({ params: { id = "" } }: { readonly params: Readonly<Record<string, string>> }) {
  const { client, reader } = useReader("call")
  const call = useAnswer(["calls", id], () => client.calls.get(id))
  return (
    <Page
      title="Call"
      from={["/calls", "Calls"]}
      actions={
        <Ask
          button="Delete"
          tone="danger"
          title="Delete this call?"
          note="Dataset versions that have it already keep it."
          does="Delete"
          act={() => client.calls.delete(id)}
          done={() => history.back()}
        />
      }
    >
      <QueryContent query={call}>{(answer) => <Shown call={answer} reader={reader} />}</QueryContent>
    </Page>
  )
}
