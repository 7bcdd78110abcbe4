/** Tokens: who may do what by the API. */
import type { Token } from "@limbeck/client"
import { useMemo } from "react"
import { pagesOf } from "../app/Credentials.ts"
import { useAnswer, useList } from "../app/Queries.ts"
import { useClient, useSession } from "../app/Session.tsx"
import { Ask, Select } from "../parts/Ask.tsx"
import { Badge } from "../parts/Badge.tsx"
import { Empty } from "../parts/Empty.tsx"
import { textOf } from "../parts/Forms.ts"
import { type Column, ItemTable } from "../parts/ItemTable.tsx"
import { Page } from "../parts/Page.tsx"
import { Day } from "../parts/Time.tsx"
import { count, usd } from "../parts/Words.ts"
import { NewToken, TokenSecret } from "./NewToken.tsx"
import { type Member, nameOf } from "./People.tsx"

/** How long both tokens work, in seconds, as values of a form. */
const overlaps = [
  ["86400", "for a day"],
  ["604800", "for a week"],
  ["0", "no longer: it ends at once"]
] as const

const Rotate = ({ token }: { readonly token: Token }) => {
  const client = useClient()
  const rotate = (form: FormData) =>
    client.tokens.rotate(token.id, { expires_in_seconds: Number(textOf(form, "overlap")) })
  return (
    <Ask
      button="Rotate"
      title={`Rotate ${token.name}?`}
      note="A new token with the same name, scopes and limits takes its place."
      does="Rotate"
      act={rotate}
      shows={({ secret }) => <TokenSecret secret={secret} />}
    >
      <Select label="The old one works" name="overlap" options={overlaps} />
    </Ask>
  )
}

const Revoke = ({ token }: { readonly token: Token }) => {
  const client = useClient()
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
  return parts.join("; ")
}

const Actions = ({ token }: { readonly token: Token }) =>
  token.status === "active" ? (
    <div className="actions">
      <Rotate token={token} />
      <Revoke token={token} />
    </div>
  ) : null

const Rights = ({ token }: { readonly token: Token }) => (
  <>
    {token.scopes.join(", ")} <span className="soft">{limitText(token)}</span>
  </>
)

const columnsOf = (names: Names): ReadonlyArray<Column<Token>> => [
  { name: "Name", width: "minmax(7rem, 2fr)", of: ({ name }) => name },
  { name: "State", width: "5.5rem", narrow: "5rem", of: ({ status }) => <Badge of={status} /> },
  { name: "Scopes, limits", width: "minmax(8rem, 3fr)", of: (token) => <Rights token={token} />, isMinor: true },
  { name: "Made by", width: "minmax(5rem, 1fr)", of: (token) => makerOf(token, names), isMinor: true },
  { name: "Made", width: "6.5rem", of: ({ created_at }) => <Day at={created_at} />, isMinor: true },
  { name: "Last used", width: "6.5rem", of: ({ last_used_at }) => <Day at={last_used_at} />, isMinor: true },
  { name: "Expires", width: "6.5rem", of: ({ expires_at }) => <Day at={expires_at} none="never" />, isMinor: true },
  { name: "Actions", width: "10.25rem", narrow: "10.25rem", of: (token) => <Actions token={token} /> }
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
