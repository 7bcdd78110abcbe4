/** A person's open invitations, each with buttons to accept and to decline. */
import { useState } from "react"
import { wordsOf } from "../app/Queries.ts"
import type { Invitation } from "../app/SignIns.ts"

interface Props {
  readonly invitations: ReadonlyArray<Invitation>
  readonly accept: (invitation: Invitation) => Promise<unknown>
  readonly decline: (invitation: Invitation) => Promise<unknown>
}

export const InvitationList = ({ accept, decline, invitations }: Props) => {
  const [error, setError] = useState<string | null>(null)
  const [busy, setBusy] = useState(false)
  const press = (settle: Props["accept"], invitation: Invitation) => () => {
    setBusy(true)
    setError(null)
    settle(invitation)
      .catch((failure) => setError(wordsOf(failure)))
      .finally(() => setBusy(false))
  }
  return (
    <>
      <ul className="invitations" aria-label="Your invitations">
        {invitations.map((invitation) => (
          <li key={invitation.id} className="actions">
            <span>
              <strong>{invitation.workspace.name}</strong>, as {invitation.role}
            </span>
            <button type="button" className="primary" disabled={busy} onClick={press(accept, invitation)}>
              Accept
            </button>
            <button type="button" disabled={busy} onClick={press(decline, invitation)}>
              Decline
            </button>
          </li>
        ))}
      </ul>
      <p role="alert" className="error-text">
        {error}
      </p>
    </>
  )
}
