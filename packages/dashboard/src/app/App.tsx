/** The whole page: signed out, or the shell with the routes. */
import { ApiError, AuthenticationError } from "@limbeck/client"
import { QueryClientProvider } from "@tanstack/react-query"
import { useCallback, useEffect, useMemo, useState } from "react"
import { Router } from "wouter"
import { usePlaces } from "./Places.ts"
import { makeQueryClient, wordsOf } from "./Queries.ts"
import { Routes } from "./Routes.tsx"
import { SessionProvider } from "./Session.tsx"
import { Shell } from "./Shell.tsx"
import { SignIn } from "./SignIn.tsx"
import * as SignIns from "./SignIns.ts"

type State =
  | { readonly is: "checking" }
  | { readonly is: "out"; readonly why: string | null }
  | { readonly is: "in"; readonly signedIn: SignIns.SignedIn }

const useSignIn = () => {
  const [state, setState] = useState<State>({ is: "checking" })
  const enter = useCallback(async (way: () => Promise<SignIns.SignedIn>) => {
    setState({ is: "in", signedIn: await way() })
  }, [])
  const leave = useCallback((why: string | null) => {
    SignIns.forget()
    setState({ is: "out", why })
  }, [])
  useEffect(() => {
    const { enter: way, isSilent } = SignIns.usual()
    enter(way).catch((error) => {
      const isStranger = isSilent && error instanceof ApiError && error.status === 401
      leave(isStranger ? null : wordsOf(error))
    })
  }, [enter, leave])
  return { state, enter, leave }
}

export const App = () => {
  const { enter, leave, state } = useSignIn()
  const signedIn = state.is === "in" ? state.signedIn : null
  // Somebody else, and another place, see other things: nothing of the one before is kept.
  const queries = useMemo(() => {
    const client = makeQueryClient()
    if (signedIn === null) return client
    client.getQueryCache().subscribe((event) => {
      if (event.type !== "updated" || event.action.type !== "error") return
      if (event.action.error instanceof AuthenticationError) leave("You are signed out: sign in again.")
    })
    return client
  }, [signedIn, leave])
  const move = useCallback(
    (workspace: string, livemode: boolean) => {
      enter(() => SignIns.move(workspace, livemode)).catch((error) => leave(wordsOf(error)))
    },
    [enter, leave]
  )
  const signOut = useCallback(() => {
    if (signedIn !== null) SignIns.leave(signedIn).catch(() => undefined)
    leave(null)
  }, [signedIn, leave])

  if (state.is === "checking") return <main className="alone" aria-busy="true" />
  if (state.is === "out") return <SignIn why={state.why} signIn={(token) => enter(() => SignIns.byToken(token))} />
  return (
    <QueryClientProvider client={queries}>
      <SessionProvider signedIn={state.signedIn} move={move} signOut={signOut}>
        <Router hook={usePlaces}>
          <Shell>
            <Routes />
          </Shell>
        </Router>
      </SessionProvider>
    </QueryClientProvider>
  )
}
