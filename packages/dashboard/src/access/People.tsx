/** People and open invitations of a workspace, for its owners. */
import type { Token } from "@limbeck/client"
import { pagesOf } from "../app/Credentials.ts"
import { useAnswer, useList } from "../app/Queries.ts"
import { useSession } from "../app/Session.tsx"
import type { Role } from "../app/SignIns.ts"
import { Ask, Input, Select } from "../parts/Ask.tsx"
import { Copy } from "../parts/Copy.tsx"
import { Empty } from "../parts/Empty.tsx"
import { type Column, ItemTable } from "../parts/ItemTable.tsx"
import { QueryContent, Section } from "../parts/Page.tsx"
import { Time } from "../parts/Time.tsx"

export interface Member {
  readonly id: string
  readonly email: string | null
  readonly name: string | null
  readonly role: Role
  readonly created_at: string
}

interface OpenInvitation {
  readonly id: string
  readonly email: string
  readonly role: Role
  readonly expires_at: string
}

const roles = [
  ["viewer", "viewer: reads"],
  ["member", "member: reads and changes"],
  ["owner", "owner: people, plans and money too"]
] as const

export const nameOf = ({ email, id, name }: Member) => name ?? email ?? id

interface EndingProps {
  readonly of: Member
  readonly ends: string
}

/** Lists the tokens that end with the role, and offers to keep them. */
const EndingTokens = ({ ends, of }: EndingProps) => {
  const { ask } = useSession()
  const tokens = useAnswer(["people", of.id, "tokens"], () =>
    ask<{ readonly data: ReadonlyArray<Token> }>("GET", `people/${of.id}/tokens`)
  )
  return (
    <QueryContent query={tokens}>
      {({ data }) =>
        data.length === 0 ? null : (
          <>
            <p>{ends}</p>
            <ul aria-label="Their tokens">
              {data.map(({ environment, id, name, scopes }) => (
                <li key={id}>
                  {name}, {environment}: {scopes.join(", ")}
                </li>
              ))}
            </ul>
            <Select
              label="These tokens"
              name="tokens"
              options={[
                ["end", "end at once"],
                ["keep", "stay, and are yours"]
              ]}
            />
          </>
        )
      }
    </QueryContent>
  )
}

const tokensOf = (form: FormData) => (form.get("tokens") === "keep" ? "?tokens=keep" : "")

const RoleOf = ({ person }: { readonly person: Member }) => {
  const { ask } = useSession()
  const change = (form: FormData) => ask("PATCH", `people/${person.id}${tokensOf(form)}`, { role: form.get("role") })
  return (
    <div className="actions">
      <Ask button="Role" title={`The role of ${nameOf(person)}`} does="Change" act={change}>
        <Select label="Role" name="role" options={roles} defaultValue={person.role} />
        <EndingTokens of={person} ends="Those of their tokens that exceed a lower role end with it:" />
      </Ask>
      <Ask
        button="Remove"
        tone="danger"
        title={`Take the role of ${nameOf(person)} away?`}
        note="They are out of this workspace at once."
        does="Remove"
        act={(form) => ask("DELETE", `people/${person.id}${tokensOf(form)}`)}
      >
        <EndingTokens of={person} ends="Tokens that they made, or that their tokens made, end too:" />
      </Ask>
    </div>
  )
}

const columns: ReadonlyArray<Column<Member>> = [
  { name: "Who", width: "minmax(8rem, 2fr)", of: nameOf },
  { name: "Role", width: "6rem", narrow: "3.5rem", of: ({ role }) => role },
  { name: "Since", width: "13rem", of: ({ created_at }) => <Time at={created_at} />, isMinor: true },
  { name: "Actions", width: "12rem", narrow: "9.75rem", of: (person) => <RoleOf person={person} /> }
]

const Withdraw = ({ invitation: { email, id } }: { readonly invitation: OpenInvitation }) => {
  const { ask } = useSession()
  return (
    <Ask
      button="Withdraw"
      tone="danger"
      title={`Withdraw the invitation of ${email}?`}
      note="Its link is good for nothing from then on."
      does="Withdraw"
      act={() => ask("DELETE", `people/invitations/${id}`)}
    />
  )
}

const invitationColumns: ReadonlyArray<Column<OpenInvitation>> = [
  { name: "Invited", width: "minmax(8rem, 2fr)", of: ({ email }) => email },
  { name: "Role", width: "6rem", narrow: "3.5rem", of: ({ role }) => role },
  { name: "Until", width: "13rem", of: ({ expires_at }) => <Time at={expires_at} />, isMinor: true },
  { name: "Actions", width: "12rem", narrow: "9.75rem", of: (invitation) => <Withdraw invitation={invitation} /> }
]

const Invite = () => {
  const { ask } = useSession()
  const invite = (form: FormData) =>
    ask<{ readonly url: string }>("POST", "people", { email: form.get("email"), role: form.get("role") })
  return (
    <Ask
      button="Invite a person"
      tone="primary"
      title="Invite a person"
      does="Invite"
      act={invite}
      note="They are in the workspace once they have accepted."
      shows={({ url }) => (
        <>
          <p>Send them this link, which is shown this once. It is good for a week.</p>
          <Copy label="the link" text={url} />
        </>
      )}
    >
      <Input label="E-mail address" name="email" type="email" required />
      <Select label="Role" name="role" options={roles} />
    </Ask>
  )
}

export const People = () => {
  const { ask } = useSession()
  const list = useList(["people"], pagesOf<Member>(ask, "people"))
  const invitations = useList(["invitations"], pagesOf<OpenInvitation>(ask, "people/invitations"))
  return (
    <Section title="People">
      <Invite />
      <ItemTable label="People" list={list} columns={columns} empty={<Empty title="Nobody" />} />
      <ItemTable
        label="Invitations"
        list={invitations}
        columns={invitationColumns}
        empty={<Empty title="Nobody is invited" />}
      />
    </Section>
  )
}
