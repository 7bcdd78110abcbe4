/** The page while the server cannot be asked who is signed in: it asks again by itself, and on request. */
import { useEffect } from "react"

interface Props {
  readonly why: string
  readonly again: () => void
}

const againMillis = 5_000

export const UnreachableServer = ({ again, why }: Props) => {
  useEffect(() => {
    const timer = setInterval(again, againMillis)
    addEventListener("online", again)
    return () => {
      clearInterval(timer)
      removeEventListener("online", again)
    }
  }, [again])
  return (
    <main className="alone">
      <section className="card sign-in">
        <h1>The server does not answer</h1>
        <p role="alert" className="error-text">
          {why}
        </p>
        <p>The page tries again every few seconds.</p>
        <button type="button" className="primary" onClick={again}>
          Try again
        </button>
      </section>
    </main>
  )
}
