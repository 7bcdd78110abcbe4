/** Tokens: who may do what by the API. */
import type { Token } from "@limbeck/client"
import { useMemo } from "react"
import { pagesOf } from "../app/Credentials.ts"
import { useAnswer, useList } from "../app/Queries.ts"
import { useClient, useSession } from "../app/Session.tsx"
import type { Role } from "../app/SignIns.ts"
import { Ask, Input, Select } from "../parts/Ask.tsx"
import { Badge } from "../parts/Badge.tsx"
import { Copy } from "../parts/Copy.tsx"
import { Empty } from "../parts/Empty.tsx"
import { type Column, ItemTable } from "../parts/ItemTable.tsx"
import { Page } from "../parts/Page.tsx"
import { Time } from "../parts/Time.tsx"
import { count, usd } from "../parts/Words.ts"
import { type Member, nameOf } from "./People.tsx"

type Scope = Parameters<ReturnType<typeof useClient>["tokens"]["create"]>[0]["scopes"][number]

/** What people make tokens for. */
const purposes: Readonly<Record<string, ReadonlyArray<Scope>>> = {
  "Send calls through the proxy": ["proxy:write"],
  "Look, and change nothing": ["distill:read", "events:read", "webhooks:read", "sources:read", "billing:read"],
  "Build and deploy students": ["distill:write", "sources:read", "events:read"],
  "Receive and manage webhooks": ["webhooks:write", "events:read"],
  Everything: ["full_access"]
}

/** Members cannot grant full access. `role` is null for a token. */
const purposesOf = (role: Role | null) =>
  Object.keys(purposes).filter((purpose) => role !== "member" || !purposes[purpose]?.includes("full_access"))

/** Of calls through the proxy; an empty field does not limit. */
const limitsOf = (form: FormData): NonNullable<Token["limits"]> | null => {
  const [models, perMinute, perDay] = ["models", "requests", "cost"].map((name) => String(form.get(name) ?? "").trim())
  const limits = {
    ...(models ? { models: models.split(",").map((pattern) => pattern.trim()) } : {}),
    ...(perMinute ? { requests_per_minute: Number(perMinute) } : {}),
    ...(perDay ? { max_cost_usd_per_day: Number(perDay) } : {})
  }
  return Object.keys(limits).length === 0 ? null : limits
}

const NewToken = () => {
  const client = useClient()
  const { role } = useSession()
  const create = (form: FormData) =>
    client.tokens.create({
      name: String(form.get("name")),
      scopes: [...(purposes[String(form.get("purpose"))] ?? [])],
      limits: limitsOf(form)
    })
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
      <Select label="Purpose" name="purpose" options={purposesOf(role).map((purpose) => [purpose, purpose])} />
      <Input label="Models" name="models" hint="Names, or beginnings such as gpt-*, with commas; empty: all." />
      <Input label="Requests a minute" name="requests" type="number" min={1} hint="Empty: no limit." />
      <Input label="US dollars a day" name="cost" type="number" min={0} step="any" hint="Empty: no limit." />
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

type Names = ReadonlyMap<string, string>

/** The maker's name, or the id if the page has no name. */
const makerOf = ({ created_by }: Token, names: Names): string => {
  if (created_by === null) return "–"
  if (created_by.id === null) return "the operator"
  const name = names.get(created_by.id) ?? created_by.id
  return created_by.kind === "token" ? `the token ${name}` : name
}

const limitText = ({ limits }: Token): string => {
  const { max_cost_usd_per_day: perDay, models, requests_per_minute: perMinute } = limits ?? {}
  const parts = [
    models === undefined ? [] : [models.join(", ")],
    perMinute === undefined ? [] : [`${count(perMinute)} a minute`],
    perDay === undefined ? [] : [`${usd(perDay)} a day`]
  ].flat()
  return parts.join("; ") || "–"
}

const columnsOf = (names: Names): ReadonlyArray<Column<Token>> => [
  { name: "Name", width: "minmax(8rem, 2fr)", of: ({ name }) => name },
  { name: "State", width: "6rem", narrow: "5rem", of: ({ status }) => <Badge of={status} /> },
  { name: "Scopes", width: "minmax(8rem, 2fr)", of: ({ scopes }) => scopes.join(", "), isMinor: true },
  { name: "Limits", width: "minmax(6rem, 1fr)", of: limitText, isMinor: true },
  { name: "Made by", width: "minmax(6rem, 1fr)", of: (token) => makerOf(token, names), isMinor: true },
  { name: "Last used", width: "13rem", of: ({ last_used_at }) => <Time at={last_used_at} />, isMinor: true },
  { name: "Actions", width: "6rem", narrow: "5.5rem", of: (token) => <Revoke token={token} /> }
]

/** Names of possible makers by id. Only owners can list people. */
const useNames = (tokens: ReadonlyArray<Token>): Names => {
  const { ask, person, role } = useSession()
  const people = useAnswer(["people", "names"], () => pagesOf<Member>(ask, "people")({}).page(), {
    enabled: role === "owner"
  })
  return useMemo(
    () =>
      new Map([
        ...tokens.map(({ id, name }) => [id, name] as const),
        ...(people.data?.data ?? []).map((member) => [member.id, nameOf(member)] as const),
        ...(person === null ? [] : [[person.id, "you"] as const])
      ]),
    [tokens, people.data, person]
  )
}

export default function Tokens() {
  const client = useClient()
  const list = useList(["tokens"], (cursor) => client.tokens.list({ limit: 100, ...cursor }))
  const names = useNames(list.items)
  const columns = useMemo(() => columnsOf(names), [names])
  return (
    <Page title="Tokens" actions={<NewToken />}>
      <ItemTable label="Tokens" list={list} columns={columns} empty={<Empty title="No token">Make one.</Empty>} />
    </Page>
  )
}
