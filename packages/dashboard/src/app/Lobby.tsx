/** The page of a person without any workspace: their invitations. */
import { InvitationList } from "../access/InvitationList.tsx"
import * as SignIns from "./SignIns.ts"

interface Props {
  readonly session: SignIns.SessionAnswer
  readonly enter: (way: () => Promise<SignIns.Entry>) => Promise<void>
  readonly signOut: () => void
}

export const Lobby = ({ enter, session, signOut }: Props) => {
  const { invitations, person } = session
  return (
    <main className="alone">
      <section className="card sign-in">
        <h1>{invitations.length === 0 ? "No workspace yet" : "Your invitations"}</h1>
        <p>
          You are signed in as <strong>{person.name}</strong> and have no role in any workspace.
        </p>
        {invitations.length === 0 && <p>Ask an owner to invite {person.email ?? "you"}.</p>}
        <InvitationList
          invitations={invitations}
          accept={(invitation) => enter(() => SignIns.accept(session, invitation))}
          decline={(invitation) => enter(() => SignIns.decline(session, invitation))}
        />
        <button type="button" className="quiet" onClick={signOut}>
          Sign out
        </button>
      </section>
    </main>
  )
}
