/** One captured call: what was asked, what was answered, by whom, and how people judged it. */
import type { CapturedCallDetail } from "@limbeck/client"
import { useAnswer } from "../app/Queries.ts"
import { useClient } from "../app/Session.tsx"
import { Ask } from "../parts/Ask.tsx"
import { Badge } from "../parts/Badge.tsx"
import { Do } from "../parts/Do.tsx"
import { Facts } from "../parts/Facts.tsx"
import { Json } from "../parts/Json.tsx"
import { Messages, messagesOf } from "../parts/Messages.tsx"
import { Answered, Page, Section } from "../parts/Page.tsx"
import { PlainTable } from "../parts/PlainTable.tsx"
import { Time } from "../parts/Time.tsx"
import { score, usd, wholeMillis } from "../parts/Words.ts"

const Body = ({ label, of }: { readonly label: string; readonly of: unknown }) => {
  const messages = messagesOf(of)
  return (
    <>
      {messages !== null && <Messages of={messages} />}
      <details open={messages === null}>
        <summary>{label} as JSON</summary>
        <Json label={label} of={of} />
      </details>
    </>
  )
}

const Feedback = ({ call }: { readonly call: CapturedCallDetail }) => {
  const client = useClient()
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
          rows={call.feedback.map(({ comment, created_at, id, name, value }) => [
            name,
            value,
            comment ?? "–",
            <Time key={id} at={created_at} />
          ])}
        />
      )}
    </Section>
  )
}

const Shadows = ({ call }: { readonly call: CapturedCallDetail }) =>
  call.shadow_results.length === 0 ? null : (
    <Section
      title="In the shadow"
      note="What students would have said, or what the upstream says of a student's answer."
    >
      <PlainTable
        caption="Answers that the client did not get"
        head={["Deployment", "Answer", "Agrees", "Confidence", "Time"]}
        rows={call.shadow_results.map(({ agrees, confidence, deployment, error, latency_ms, message }) => [
          <code key="deployment">{deployment}</code>,
          error ?? <Json key="answer" label="Answer" of={message} />,
          agrees === null ? "–" : agrees ? "yes" : "no",
          score(confidence),
          wholeMillis(latency_ms)
        ])}
      />
    </Section>
  )

const Shown = ({ call }: { readonly call: CapturedCallDetail }) => (
  <>
    <Facts
      of={[
        ["Outcome", <Badge key="outcome" of={call.outcome} />],
        ["When", <Time key="when" at={call.created_at} />],
        ["Model", call.model ?? "–"],
        ["Source", call.source_name ?? "–"],
        ["Answered by", call.served_by.replace("_", " ")],
        call.fallback_reason === null ? null : ["Why not by the student", call.fallback_reason.replaceAll("_", " ")],
        call.confidence === null ? null : ["Confidence", score(call.confidence)],
        ["Status", call.status_code ?? "–"],
        ["Time", wholeMillis(call.latency_ms)],
        call.first_token_ms === null ? null : ["First token", wholeMillis(call.first_token_ms)],
        ["Tokens", call.usage === null ? "–" : `${call.usage.prompt_tokens} in, ${call.usage.completion_tokens} out`],
        ["Cost", usd(call.cost_usd)],
        ["Tags", call.tags.join(", ") || "–"],
        call.external_id === null ? null : ["External id", call.external_id]
      ]}
    />
    {call.truncated && <p className="notice">The bodies were too large: what is shown was cut off.</p>}
    <Section title="Request">
      <Body label="Request" of={call.request} />
    </Section>
    <Section title={call.streamed ? "Answer, put together from its stream" : "Answer"}>
      <Body label="Answer" of={call.response} />
    </Section>
    <Shadows call={call} />
    <Feedback call={call} />
  </>
)

export default function Call({ params: { id = "" } }: { readonly params: Readonly<Record<string, string>> }) {
  const client = useClient()
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
      <Answered query={call}>{(answer) => <Shown call={answer} />}</Answered>
    </Page>
  )
}
