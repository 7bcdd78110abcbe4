/** The person's conversations with the assistant, and a new one with a model of a source. */
import { useLocation } from "wouter"
import { pagesOf } from "../app/Credentials.ts"
import { useList } from "../app/Queries.ts"
import { useClient, useSession } from "../app/Session.tsx"
import { Ask, Input, Select } from "../parts/Ask.tsx"
import { Empty } from "../parts/Empty.tsx"
import { textOf } from "../parts/Forms.ts"
import { type Column, ItemTable } from "../parts/ItemTable.tsx"
import { Page } from "../parts/Page.tsx"
import { Time } from "../parts/Time.tsx"
import { type Conversation, type ConversationSummary, path, titleOf } from "./Conversation.ts"
import { ForPeople } from "./ForPeople.tsx"

const columns: ReadonlyArray<Column<ConversationSummary>> = [
  { name: "Conversation", width: "minmax(10rem, 4fr)", of: titleOf },
  { name: "Model", width: "minmax(6rem, 2fr)", of: ({ model }) => model, isMinor: true },
  { name: "Begun", width: "13rem", of: ({ created_at }) => <Time at={created_at} />, isMinor: true }
]

const Begin = () => {
  const client = useClient()
  const { ask } = useSession()
  const [, go] = useLocation()
  const sources = useList(["sources"], (cursor) => client.sources.list({ limit: 100, ...cursor }))
  const begin = (form: FormData) =>
    ask<Conversation>("POST", path, { source: textOf(form, "source"), model: textOf(form, "model") })
  return (
    <Ask
      button="New conversation"
      tone="primary"
      title="Talk to a model of yours"
      note="The source is charged as for any call. The conversation is not captured."
      does="Begin"
      act={begin}
      done={({ id }) => go(`/assistant/${id}`)}
    >
      <Select label="Source" name="source" options={sources.items.map(({ name }) => [name, name] as const)} required />
      <Input label="Model" name="model" required maxLength={255} hint="One that calls tools" />
    </Ask>
  )
}

const Conversations = () => {
  const { ask } = useSession()
  const list = useList(["assistant"], pagesOf<ConversationSummary>(ask, path))
  return (
    <Page title="Assistant" actions={<Begin />}>
      <p className="soft">
        A model of yours looks at calls, makes versions, proposes, rehearses and prepares deployments. What spends,
        serves or deletes waits for you.
      </p>
      <ItemTable
        label="Conversations"
        list={list}
        columns={columns}
        href={({ id }) => `/assistant/${id}`}
        empty={<Empty title="No conversation yet" />}
      />
    </Page>
  )
}

const Assistant = () => (
  <ForPeople>
    <Conversations />
  </ForPeople>
)

export default Assistant
