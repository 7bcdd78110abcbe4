/** Tokens: who may do what by the API. */
import type { Token } from "@limbeck/client"
import { useList } from "../app/Queries.ts"
import { useClient } from "../app/Session.tsx"
import { Ask, Input, Select } from "../parts/Ask.tsx"
import { Badge } from "../parts/Badge.tsx"
import { Copy } from "../parts/Copy.tsx"
import { Empty } from "../parts/Empty.tsx"
import { type Column, ItemTable } from "../parts/ItemTable.tsx"
import { Page } from "../parts/Page.tsx"
import { Time } from "../parts/Time.tsx"

type Scope = Parameters<ReturnType<typeof useClient>["tokens"]["create"]>[0]["scopes"][number]

/** What people make tokens for. */
const purposes: Readonly<Record<string, ReadonlyArray<Scope>>> = {
  "Send calls through the proxy": ["proxy:write"],
  "Look, and change nothing": ["distill:read", "events:read", "webhooks:read", "sources:read", "billing:read"],
  "Build and deploy students": ["distill:write", "sources:read", "events:read"],
  "Receive and manage webhooks": ["webhooks:write", "events:read"],
  Everything: ["full_access"]
}

const NewToken = () => {
  const client = useClient()
  const create = (form: FormData) =>
    client.tokens.create({ name: String(form.get("name")), scopes: [...(purposes[String(form.get("purpose"))] ?? [])] })
  return (
    <Ask
      button="Make a token"
      tone="primary"
      title="Make a token"
      does="Make"
      act={create}
      shows={({ secret }) => (
        <>
          <p>This is the only time that it is shown.</p>
          <Copy label="the token" text={secret} />
        </>
      )}
    >
      <Input label="Name" name="name" required maxLength={64} />
      <Select label="Purpose" name="purpose" options={Object.keys(purposes).map((purpose) => [purpose, purpose])} />
    </Ask>
  )
}

const Revoke = ({ token }: { readonly token: Token }) => {
  const client = useClient()
  if (token.status !== "active") return null
  return (
    <Ask
      button="Revoke"
      tone="danger"
      title={`Revoke ${token.name}?`}
      note="Programs that use it are refused at once."
      does="Revoke"
      act={() => client.tokens.delete(token.id)}
    />
  )
}

const columns: ReadonlyArray<Column<Token>> = [
  { name: "Name", width: "minmax(8rem, 2fr)", of: ({ name }) => name },
  { name: "State", width: "6rem", narrow: "5rem", of: ({ status }) => <Badge of={status} /> },
  { name: "Scopes", width: "minmax(8rem, 2fr)", of: ({ scopes }) => scopes.join(", "), isMinor: true },
  { name: "Last used", width: "13rem", of: ({ last_used_at }) => <Time at={last_used_at} />, isMinor: true },
  { name: "Actions", width: "6rem", narrow: "5.5rem", of: (token) => <Revoke token={token} /> }
]

export default function Tokens() {
  const client = useClient()
  const list = useList(["tokens"], (cursor) => client.tokens.list({ limit: 100, ...cursor }))
  return (
    <Page title="Tokens" actions={<NewToken />}>
      <ItemTable label="Tokens" list={list} columns={columns} empty={<Empty title="No token">Make one.</Empty>} />
    </Page>
  )
}
