/** The whole page: signed out, or the shell with the routes. */
import { AuthenticationError } from "@limbeck/client"
import { QueryClientProvider } from "@tanstack/react-query"
import { useCallback, useEffect, useMemo, useState } from "react"
import { Router } from "wouter"
import { useHashLocation } from "wouter/use-hash-location"
import { makeQueryClient, wordsOf } from "./Queries.ts"
import { Routes } from "./Routes.tsx"
import { clientOf, SessionProvider, stored, type Whoami } from "./Session.tsx"
import { Shell } from "./Shell.tsx"
import { SignIn } from "./SignIn.tsx"

interface SignedIn {
  readonly token: string
  readonly whoami: Whoami
}

type State =
  | { readonly is: "checking" }
  | { readonly is: "out"; readonly why: string | null }
  | ({ readonly is: "in" } & SignedIn)

/** Asks who the token is, and keeps it when it is someone. */
const enter = async (token: string): Promise<SignedIn> => {
  const whoami = await clientOf(token).whoami()
  stored.write(token)
  return { token, whoami }
}

const useSignIn = () => {
  const [state, setState] = useState<State>(() =>
    stored.read() === null ? { is: "out", why: null } : { is: "checking" }
  )
  const signIn = useCallback(async (token: string) => setState({ is: "in", ...(await enter(token)) }), [])
  const signOut = useCallback((why: string | null = null) => {
    stored.clear()
    setState({ is: "out", why })
  }, [])
  useEffect(() => {
    const token = stored.read()
    if (token !== null) signIn(token).catch((error) => signOut(wordsOf(error)))
  }, [signIn, signOut])
  return { state, signIn, signOut }
}

export const App = () => {
  const { signIn, signOut, state } = useSignIn()
  const token = state.is === "in" ? state.token : null
  // Another token sees other things: nothing of the one before is kept.
  const queries = useMemo(() => {
    const client = makeQueryClient()
    if (token === null) return client
    const leave = (error: unknown) => {
      if (error instanceof AuthenticationError) signOut("Your token is no longer valid.")
    }
    client.getQueryCache().subscribe((event) => {
      if (event.type === "updated" && event.action.type === "error") leave(event.action.error)
    })
    return client
  }, [token, signOut])

  if (state.is === "checking") return <main className="alone" aria-busy="true" />
  if (state.is === "out") return <SignIn why={state.why} signIn={signIn} />
  return (
    <QueryClientProvider client={queries}>
      <SessionProvider token={state.token} whoami={state.whoami} signOut={signOut}>
        <Router hook={useHashLocation}>
          <Shell>
            <Routes />
          </Shell>
        </Router>
      </SessionProvider>
    </QueryClientProvider>
  )
}
