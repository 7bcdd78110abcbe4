/** The whole page: signed out, or the shell with the routes. */
import { ApiError, AuthenticationError } from "@limbeck/client"
import { QueryClientProvider } from "@tanstack/react-query"
import { useCallback, useEffect, useRef, useState } from "react"
import { Router } from "wouter"
import { openSection, usePlaces } from "./Places.ts"
import { makeQueryClient, wordsOf } from "./Queries.ts"
import { Routes } from "./Routes.tsx"
import { type Session, SessionProvider } from "./Session.tsx"
import { Shell } from "./Shell.tsx"
import { SignIn } from "./SignIn.tsx"
import * as SignIns from "./SignIns.ts"

type State =
  | { readonly is: "checking" }
  | { readonly is: "out"; readonly why: string | null }
  | { readonly is: "in"; readonly signedIn: SignIns.SignedIn }

const useSignIn = () => {
  const [state, setState] = useState<State>({ is: "checking" })
  /** Of two switches in a row the later one counts, whichever is answered first. */
  const turn = useRef(0)
  const enter = useCallback(async (way: () => Promise<SignIns.SignedIn>) => {
    const own = ++turn.current
    const signedIn = await way()
    if (own === turn.current) setState({ is: "in", signedIn })
  }, [])
  const leave = useCallback((why: string | null) => {
    turn.current++
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

/**
 * What belongs to one credential in one workspace and mode. Another place gets a new instance by its key: no answer, form or dialog
 * outlives a switch.
 */
const keyOf = ({ whoami: { credential, livemode, workspace } }: SignIns.SignedIn): string =>
  [workspace.id, livemode ? "live" : "test", credential.id].join(" ")

interface PlaceProps extends Pick<Session, "move" | "signOut"> {
  readonly signedIn: SignIns.SignedIn
  readonly leave: (why: string) => void
}

const Place = ({ leave, move, signedIn, signOut }: PlaceProps) => {
  const [queries] = useState(makeQueryClient)
  useEffect(
    () =>
      queries.getQueryCache().subscribe((event) => {
        if (event.type !== "updated" || event.action.type !== "error") return
        if (event.action.error instanceof AuthenticationError) leave("You are signed out: sign in again.")
      }),
    [queries, leave]
  )
  return (
    <QueryClientProvider client={queries}>
      <SessionProvider signedIn={signedIn} move={move} signOut={signOut}>
        <Router hook={usePlaces}>
          <Shell>
            <Routes />
          </Shell>
        </Router>
      </SessionProvider>
    </QueryClientProvider>
  )
}

export const App = () => {
  const { enter, leave, state } = useSignIn()
  const signedIn = state.is === "in" ? state.signedIn : null
  const move = useCallback(
    (workspace: string, livemode: boolean) => {
      const moved = async () => {
        const there = await SignIns.move(workspace, livemode)
        openSection()
        return there
      }
      enter(moved).catch((error) => leave(wordsOf(error)))
    },
    [enter, leave]
  )
  const signOut = useCallback(() => {
    if (signedIn !== null) SignIns.leave(signedIn).catch(() => undefined)
    leave(null)
  }, [signedIn, leave])

  if (state.is === "checking") return <main className="alone" aria-busy="true" />
  if (state.is === "out") return <SignIn why={state.why} signIn={(token) => enter(() => SignIns.byToken(token))} />
  return <Place key={keyOf(state.signedIn)} signedIn={state.signedIn} leave={leave} move={move} signOut={signOut} />
}
