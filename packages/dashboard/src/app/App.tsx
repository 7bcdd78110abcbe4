/** The whole page: signed out, or the shell with the routes. */
import { ApiError, AuthenticationError } from "@limbeck/client"
import { QueryClientProvider } from "@tanstack/react-query"
import { useCallback, useEffect, useRef, useState } from "react"
import { Router } from "wouter"
import { Waiting } from "../parts/Waiting.tsx"
import { LinkPage } from "./LinkPage.tsx"
import * as Links from "./Links.ts"
import { Lobby } from "./Lobby.tsx"
import { openSection, usePlaces } from "./Places.ts"
import { makeQueryClient, wordsOf } from "./Queries.ts"
import { Routes } from "./Routes.tsx"
import { type Session, SessionProvider } from "./Session.tsx"
import { Shell } from "./Shell.tsx"
import { SignIn } from "./SignIn.tsx"
import * as SignIns from "./SignIns.ts"
import * as Tabs from "./Tabs.ts"
import { UnreachableServer } from "./UnreachableServer.tsx"

type State =
  | { readonly is: "checking" }
  /** Whether anybody is signed in is not known: the server does not answer. */
  | { readonly is: "unreached"; readonly why: string }
  | { readonly is: "out"; readonly why: string | null }
  | { readonly is: "in"; readonly entered: SignIns.Entry }

const useSignIn = () => {
  const [state, setState] = useState<State>({ is: "checking" })
  /** Of two switches in a row the later one counts, in any order of responses. */
  const turn = useRef(0)
  const enter = useCallback(async (way: () => Promise<SignIns.Entry>) => {
    const own = ++turn.current
    const entered = await way()
    if (own === turn.current) setState({ is: "in", entered })
  }, [])
  const leave = useCallback((why: string | null) => {
    turn.current++
    SignIns.forget()
    setState({ is: "out", why })
  }, [])
  /** A refusal signs out. Without an answer nothing is forgotten. */
  const failed = useCallback(
    (error: unknown, isSilent = false) => {
      const isRefusal = error instanceof ApiError && error.status < 500
      if (!isRefusal) return setState({ is: "unreached", why: wordsOf(error) })
      leave(isSilent && [401, 404].includes(error.status) ? null : wordsOf(error))
    },
    [leave]
  )
  /** A check under way is not begun again: a later one would undo its success, and on a slow server none would count. */
  const isStarting = useRef(false)
  const start = useCallback(async () => {
    if (isStarting.current) return
    isStarting.current = true
    const { enter: way, isSilent } = SignIns.usual()
    await enter(way).catch((error) => failed(error, isSilent))
    isStarting.current = false
  }, [enter, failed])
  useEffect(() => void start(), [start])
  /** Clears the page, then enters the new session. */
  const renew = useCallback(() => {
    setState({ is: "checking" })
    enter(SignIns.bySession).catch((error) => failed(error))
  }, [enter, failed])
  return { state, enter, failed, leave, renew, start }
}

/** All tabs of a browser share one session: each tab follows when another tab ends or replaces the session. */
const useOtherTabs = (entered: SignIns.Entry | null, leave: (why: string) => void, renew: () => void) => {
  const isPerson = entered !== null && SignIns.personOf(entered) !== null
  useEffect(() => {
    if (!isPerson) return
    return Tabs.onNotice((notice) => (notice === "ended" ? leave("You signed out in another tab.") : renew()))
  }, [isPerson, leave, renew])
}

/**
 * The state of one credential in one workspace and mode. Another place gets a new instance by its key: no response, form or
 * dialog survives a switch.
 */
const keyOf = ({ whoami: { credential, livemode, workspace } }: SignIns.OpenSession): string =>
  [workspace.id, livemode ? "live" : "test", credential.id].join(" ")

interface PlaceProps extends Pick<Session, "move" | "signOut"> {
  readonly signedIn: SignIns.OpenSession
  readonly leave: (why: string) => void
}

const Place = ({ leave, move, signedIn, signOut }: PlaceProps) => {
  const [queries] = useState(makeQueryClient)
  useEffect(() => {
    const heard = (error: unknown) => {
      if (error instanceof AuthenticationError) leave("You are signed out: sign in again.")
    }
    const ends = [
      queries.getQueryCache().subscribe((event) => {
        if (event.type === "updated" && event.action.type === "error") heard(event.action.error)
      }),
      queries.getMutationCache().subscribe((event) => {
        if (event.type === "updated" && event.action.type === "error") heard(event.action.error)
      })
    ]
    return () => {
      for (const end of ends) end()
    }
  }, [queries, leave])
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
  const { enter, failed, leave, renew, start, state } = useSignIn()
  const link = Links.useLink()
  const entered = state.is === "in" ? state.entered : null
  useOtherTabs(entered, leave, renew)
  const move = useCallback(
    (workspace: string, livemode: boolean) => {
      const moved = async () => {
        const there = await SignIns.move(workspace, livemode)
        openSection()
        return there
      }
      enter(moved).catch((error) => failed(error))
    },
    [enter, failed]
  )
  const signOut = useCallback(() => {
    if (entered !== null) {
      SignIns.leave(entered).catch(() => undefined)
      if (SignIns.personOf(entered) !== null) Tabs.announce("ended")
    }
    leave(null)
  }, [entered, leave])
  const answerLink = async (way: () => Promise<SignIns.Entry>) => {
    await enter(way)
    Links.close()
    Tabs.announce("replaced")
  }

  if (state.is === "checking")
    return (
      <main className="alone" aria-busy="true">
        <Waiting />
      </main>
    )
  if (state.is === "unreached") return <UnreachableServer why={state.why} again={start} />
  if (link !== null) return <LinkPage link={link} entered={entered} use={answerLink} close={Links.close} />
  if (entered === null) {
    const why = state.is === "out" ? state.why : null
    return <SignIn why={why} signIn={(token) => enter(() => SignIns.byToken(token))} />
  }
  if (SignIns.isLobby(entered)) return <Lobby session={entered.session} enter={enter} signOut={signOut} />
  return <Place key={keyOf(entered)} signedIn={entered} leave={leave} move={move} signOut={signOut} />
}
