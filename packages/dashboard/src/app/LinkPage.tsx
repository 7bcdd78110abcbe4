/** Asks before using a link: shows the person or the invitation behind the link, without using it up. */
import { type ReactNode, useEffect, useState } from "react"
import type { Link } from "./Links.ts"
import { wordsOf } from "./Queries.ts"
import * as SignIns from "./SignIns.ts"

interface Props {
  readonly link: Link
  /** Who is signed in, if anybody is. */
  readonly entered: SignIns.Entry | null
  /** Signs in or settles the invitation; rejects on failure. */
  readonly use: (way: () => Promise<SignIns.Entry>) => Promise<void>
  readonly close: () => void
}

const nameOf = ({ email, name }: { readonly email: string | null; readonly name: string }) =>
  email === null || email === name ? name : `${name} (${email})`

const whoIsIn = (entered: SignIns.Entry): string => {
  const person = SignIns.personOf(entered)
  if (person !== null) return nameOf(person)
  return SignIns.isLobby(entered) ? "" : `the token ${entered.whoami.credential.name}`
}

interface QuestionProps extends Omit<Props, "use"> {
  readonly seen: SignIns.LinkPreview
  readonly press: (way: () => Promise<SignIns.Entry>) => () => void
  readonly busy: boolean
}

const SignInQuestion = ({
  busy,
  entered,
  link,
  press,
  person
}: QuestionProps & { readonly person: Pick<SignIns.Person, "email" | "name"> }) => (
  <>
    <h1>Sign in as {nameOf(person)}?</h1>
    {entered !== null && (
      <p>
        You are signed in as <strong>{whoIsIn(entered)}</strong>. Signing in as {nameOf(person)} ends that in this
        browser.
      </p>
    )}
    <p className="soft">Sign in only if you asked for this link. It works once.</p>
    <button
      type="button"
      className="primary"
      disabled={busy}
      onClick={press(async () => SignIns.enter(await SignIns.byLink(link)))}
    >
      Sign in as {nameOf(person)}
    </button>
  </>
)

const Answers = ({ children }: { readonly children: ReactNode }) => <div className="actions">{children}</div>

const InvitationQuestion = ({
  busy,
  entered,
  invitation,
  link,
  press
}: QuestionProps & { readonly invitation: SignIns.Invitation & { readonly email: string } }) => {
  const person = entered === null ? null : SignIns.personOf(entered)
  const isTheirs = person?.email === invitation.email
  const inSession = (settle: (session: SignIns.SessionAnswer) => Promise<SignIns.Entry>) =>
    press(async () => settle(await SignIns.currentSession()))
  const accept = (session: SignIns.SessionAnswer) => SignIns.accept(session, invitation, link.secret)
  return (
    <>
      <h1>
        Join {invitation.workspace.name} as {invitation.role}?
      </h1>
      <p>
        The invitation is for <strong>{invitation.email}</strong>.
      </p>
      {person !== null && !isTheirs && (
        <p>You are signed in as {nameOf(person)}: sign out, and open the link again to accept it.</p>
      )}
      {isTheirs && (
        <Answers>
          <button type="button" className="primary" disabled={busy} onClick={inSession(accept)}>
            Accept
          </button>
          <button type="button" disabled={busy} onClick={inSession((session) => SignIns.decline(session, invitation))}>
            Decline
          </button>
        </Answers>
      )}
      {person === null && (
        <button
          type="button"
          className="primary"
          disabled={busy}
          onClick={press(async () => accept(await SignIns.byLink(link)))}
        >
          Accept, and sign in
        </button>
      )}
    </>
  )
}

/** The preview of the link; both members are absent until the server responds. */
const usePreview = (link: Link) => {
  const [seen, setSeen] = useState<{ readonly is?: SignIns.LinkPreview; readonly error?: string }>({})
  useEffect(() => {
    let isShown = true
    setSeen({})
    SignIns.preview(link).then(
      (is) => isShown && setSeen({ is }),
      (error) => isShown && setSeen({ error: wordsOf(error) })
    )
    return () => {
      isShown = false
    }
  }, [link])
  return seen
}

export const LinkPage = ({ close, entered, link, use }: Props) => {
  const { error: unusable, is: seen } = usePreview(link)
  const [error, setError] = useState<string | null>(null)
  const [busy, setBusy] = useState(false)
  const press = (way: () => Promise<SignIns.Entry>) => () => {
    setBusy(true)
    setError(null)
    use(way).catch((failure) => {
      setError(wordsOf(failure))
      setBusy(false)
    })
  }
  const question = { busy, close, entered, link, press }
  return (
    <main className="alone" aria-busy={seen === undefined && unusable === undefined}>
      <section className="card sign-in">
        {seen?.object === "sign_in_link" && <SignInQuestion {...question} seen={seen} person={seen.person} />}
        {seen?.object === "invitation" && <InvitationQuestion {...question} seen={seen} invitation={seen} />}
        {unusable !== undefined && <h1>This link cannot be used</h1>}
        <p role="alert" className="error-text">
          {unusable ?? error}
        </p>
        <button type="button" className="quiet" disabled={busy} onClick={close}>
          {entered === null ? "Do not use the link" : `Stay signed in as ${whoIsIn(entered)}`}
        </button>
      </section>
    </main>
  )
}
