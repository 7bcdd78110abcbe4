/** The first page for strangers. */
import { type FormEvent, useState } from "react"
import { wordsOf } from "./Queries.ts"

interface Props {
  readonly why: string | null
  readonly signIn: (token: string) => Promise<void>
}

export const SignIn = ({ signIn, why }: Props) => {
  const [error, setError] = useState(why)
  const [busy, setBusy] = useState(false)

  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const token = String(new FormData(event.currentTarget).get("token") ?? "").trim()
    setBusy(true)
    try {
      await signIn(token)
    } catch (failure) {
      setError(wordsOf(failure))
      setBusy(false)
    }
  }

  return (
    <main className="alone">
      <form className="card sign-in" onSubmit={submit}>
        <h1>Limbeck</h1>
        <label className="field">
          <span>API token</span>
          <input name="token" type="password" required autoComplete="off" placeholder="svc_live_… or svc_test_…" />
        </label>
        <p className="soft">
          The server prints its first tokens when it starts for the first time; <code>limbeck token</code> makes others.
          The token stays in this tab.
        </p>
        <button type="submit" className="primary" disabled={busy}>
          Sign in
        </button>
        <p role="alert" className="error-text">
          {error}
        </p>
        <p className="soft">
          People sign in by a link: the operator makes one with <code>limbeck person link</code>, or an owner invites
          you.
        </p>
      </form>
    </main>
  )
}
