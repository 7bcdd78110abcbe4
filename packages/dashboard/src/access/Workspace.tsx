/** The workspace, and the people who have a role in it. */
import { useAnswer } from "../app/Queries.ts"
import { useSession } from "../app/Session.tsx"
import type { Invitation, SessionAnswer } from "../app/SignIns.ts"
import { Ask, Input } from "../parts/Ask.tsx"
import { Copy } from "../parts/Copy.tsx"
import { Facts } from "../parts/Facts.tsx"
import { Page, Section } from "../parts/Page.tsx"
import { InvitationList } from "./InvitationList.tsx"
import { People } from "./People.tsx"

interface NewTokens {
  readonly live_token: string
  readonly test_token: string
}

/** The signed-in person's own invitations, also for viewers. */
const OwnInvitations = () => {
  const { ask, move, whoami } = useSession()
  const session = useAnswer(["session"], () => ask<SessionAnswer>("GET", "session"))
  const invitations = session.data?.invitations ?? []
  if (invitations.length === 0) return null
  const settle = ({ id }: Invitation, verb: "accept" | "decline") =>
    ask("POST", `session/invitations/${id}/${verb}`, {})
  return (
    <Section title="Your invitations">
      <InvitationList
        invitations={invitations}
        accept={async (invitation) => {
          await settle(invitation, "accept")
          move(invitation.workspace.id, true)
        }}
        decline={async (invitation) => {
          await settle(invitation, "decline")
          // The header shows how many are left.
          move(whoami.workspace.id, whoami.livemode)
        }}
      />
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
      act={(form) => ask<NewTokens>("POST", "workspaces", { name: form.get("name") })}
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
  const { person, role, whoami } = useSession()
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
      {person !== null && <OwnInvitations />}
      {role === "owner" ? (
        <People />
      ) : (
        <p className="soft">
          People, plans, top-ups and new workspaces are for owners who signed in by a link (limbeck person link).
        </p>
      )}
    </Page>
  )
}
