/** The workspace, and the people who have a role in it. */
import { pagesOf } from "../app/Credentials.ts"
import { useList } from "../app/Queries.ts"
import { useSession } from "../app/Session.tsx"
import { Ask, Input, Select } from "../parts/Ask.tsx"
import { Copy } from "../parts/Copy.tsx"
import { Empty } from "../parts/Empty.tsx"
import { Facts } from "../parts/Facts.tsx"
import { type Column, ItemTable } from "../parts/ItemTable.tsx"
import { Page, Section } from "../parts/Page.tsx"
import { Time } from "../parts/Time.tsx"

interface Person {
  readonly id: string
  readonly email: string | null
  readonly name: string | null
  readonly role: string
  readonly created_at: string
}

interface Made {
  readonly live_token: string
  readonly test_token: string
}

const roles = [
  ["viewer", "viewer: reads"],
  ["member", "member: reads and changes"],
  ["owner", "owner: people, plans and money too"]
] as const

const nameOf = ({ email, id, name }: Person) => name ?? email ?? id

const RoleOf = ({ person }: { readonly person: Person }) => {
  const { ask } = useSession()
  const change = (form: FormData) => ask("PATCH", `people/${person.id}`, { role: form.get("role") })
  return (
    <div className="actions">
      <Ask button="Role" title={`The role of ${nameOf(person)}`} does="Change" act={change}>
        <Select label="Role" name="role" options={roles} defaultValue={person.role} />
      </Ask>
      <Ask
        button="Remove"
        tone="danger"
        title={`Take the role of ${nameOf(person)} away?`}
        note="They are out of this workspace at once."
        does="Remove"
        act={() => ask("DELETE", `people/${person.id}`)}
      />
    </div>
  )
}

const columns: ReadonlyArray<Column<Person>> = [
  { name: "Who", width: "minmax(8rem, 2fr)", of: nameOf },
  { name: "Role", width: "6rem", narrow: "3.5rem", of: ({ role }) => role },
  { name: "Since", width: "13rem", of: ({ created_at }) => <Time at={created_at} />, isMinor: true },
  { name: "Actions", width: "12rem", narrow: "9.75rem", of: (person) => <RoleOf person={person} /> }
]

const AddPerson = () => {
  const { ask } = useSession()
  const add = (form: FormData) => ask("POST", "people", { email: form.get("email"), role: form.get("role") })
  return (
    <Ask
      button="Add a person"
      tone="primary"
      title="Add a person"
      does="Add"
      act={add}
      note="The operator of the server makes their first sign-in link."
    >
      <Input label="E-mail address" name="email" type="email" required />
      <Select label="Role" name="role" options={roles} />
    </Ask>
  )
}

const PeopleOf = () => {
  const { ask } = useSession()
  const list = useList(["people"], pagesOf<Person>(ask, "people"))
  return (
    <Section title="People">
      <AddPerson />
      <ItemTable label="People" list={list} columns={columns} empty={<Empty title="Nobody" />} />
    </Section>
  )
}

const NewWorkspace = () => {
  const { ask } = useSession()
  return (
    <Ask
      button="New workspace"
      title="Make a workspace"
      does="Make"
      act={(form) => ask<Made>("POST", "workspaces", { name: form.get("name") })}
      shows={(made) => (
        <>
          <p>Its tokens are shown this once. Sign in again to go there.</p>
          <Copy label="the live token" text={made.live_token} />
          <Copy label="the test token" text={made.test_token} />
        </>
      )}
    >
      <Input label="Name" name="name" required maxLength={64} />
    </Ask>
  )
}

export default function Workspace() {
  const { role, whoami } = useSession()
  const { id, name, plan } = whoami.workspace
  return (
    <Page title={name} {...(role === "owner" ? { actions: <NewWorkspace /> } : {})}>
      <Facts
        of={[
          ["Id", <code key="id">{id}</code>],
          ["Plan", plan],
          ["You", role ?? `the token ${whoami.credential.name}`]
        ]}
      />
      {role === "owner" ? (
        <PeopleOf />
      ) : (
        <p className="soft">
          People, plans, top-ups and new workspaces are for owners who signed in by a link (limbeck person link).
        </p>
      )}
    </Page>
  )
}
