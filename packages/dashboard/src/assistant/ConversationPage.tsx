/**
 * One conversation with the assistant. The page asks for each next step, so a page that is closed or loaded anew continues where the
 * conversation stands.
 */
import { useQueryClient } from "@tanstack/react-query"
import { type FormEvent, useEffect } from "react"
import { useLocation } from "wouter"
import { useAction, useAnswer } from "../app/Queries.ts"
import { useSession } from "../app/Session.tsx"
import { Ask, Field } from "../parts/Ask.tsx"
import { Do } from "../parts/Do.tsx"
import { Failure } from "../parts/Failure.tsx"
import { textOf } from "../parts/Forms.ts"
import { Page, QueryContent } from "../parts/Page.tsx"
import { Approval } from "./Approval.tsx"
import { type Conversation, path, titleOf } from "./Conversation.ts"
import { Entries } from "./Entries.tsx"
import { ForPeople } from "./ForPeople.tsx"

/** Characters of a message; the server takes as many. */
const textMax = 20_000

const keyOf = (id: string) => ["assistant", id]

/** Asks for the next step while there is one. A failed step waits for the person. */
const useSteps = ({ id, status, updated_at: version }: Conversation) => {
  const { ask } = useSession()
  const queries = useQueryClient()
  const step = useAction(
    () => ask<Conversation>("POST", `${path}/${id}/steps`),
    (next) => queries.setQueryData(keyOf(id), next)
  )
  const { isError, isPending, mutate, reset } = step
  // biome-ignore lint/correctness/useExhaustiveDependencies: each version of the conversation has its own next step
  useEffect(() => {
    if (status === "working" && !isPending && !isError) mutate(undefined)
  }, [status, version, isPending, isError, mutate])
  return { failure: step.error, isPending, again: reset }
}

const Compose = ({ id }: { readonly id: string }) => {
  const { ask } = useSession()
  const send = useAction((text: string) => ask("POST", `${path}/${id}/messages`, { text }))
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = event.currentTarget
    send.mutate(textOf(new FormData(form), "text"), { onSuccess: () => form.reset() })
  }
  return (
    <form className="compose" onSubmit={submit}>
      <Field label="Message">
        {(field) => <textarea {...field} name="text" rows={3} required maxLength={textMax} />}
      </Field>
      <button type="submit" className="primary" disabled={send.isPending}>
        Send
      </button>
      <Failure error={send.error} />
    </form>
  )
}

const states = { idle: "It waits for your message.", working: "It is at work…", waiting: "It waits for your decision." }

const Actions = ({ id, status }: Pick<Conversation, "id" | "status">) => {
  const { ask } = useSession()
  const [, go] = useLocation()
  return (
    <>
      <Do button="Stop" disabled={status === "idle"} act={() => ask("POST", `${path}/${id}/cancel`)} />
      <Ask
        button="Delete"
        tone="danger"
        title="Delete this conversation?"
        note="What its operations did stays."
        does="Delete"
        act={() => ask("DELETE", `${path}/${id}`)}
        done={() => go("/assistant")}
      />
    </>
  )
}

/** The entries grow downwards: what changes with each step stands below them, so that nothing moves. */
const Opened = ({ conversation }: { readonly conversation: Conversation }) => {
  const { entries, id, model, status } = conversation
  const { again, failure } = useSteps(conversation)
  const waiting = entries.flatMap((entry) => (entry.type === "operation" && entry.status === "waiting" ? [entry] : []))
  return (
    <Page
      title={titleOf(conversation)}
      from={["/assistant", "Assistant"]}
      actions={<Actions id={id} status={status} />}
    >
      <p className="soft">
        {model} looks, prepares and rehearses. What spends, serves or deletes waits for you.{" "}
        <output>{states[status]}</output>
      </p>
      <Entries entries={entries} />
      {waiting.map((operation) => (
        <Approval key={operation.call} conversation={id} of={operation} />
      ))}
      <Failure error={failure} again={again} />
      {status === "idle" && <Compose id={id} />}
    </Page>
  )
}

const Loaded = ({ id }: { readonly id: string }) => {
  const { ask } = useSession()
  const query = useAnswer(keyOf(id), () => ask<Conversation>("GET", `${path}/${id}`))
  return <QueryContent query={query}>{(conversation) => <Opened conversation={conversation} />}</QueryContent>
}

interface Props {
  readonly params: Readonly<Record<string, string>>
}

const ConversationPage = ({ params: { id = "" } }: Props) => (
  <ForPeople>
    <Loaded id={id} />
  </ForPeople>
)

export default ConversationPage
