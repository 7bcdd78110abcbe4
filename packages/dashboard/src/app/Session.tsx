/** The signed-in caller, their permissions, and their client. */
import type { Client } from "@limbeck/client"
import { createContext, type ReactNode, useContext, useEffect, useMemo, useRef } from "react"
import { type Ask, askOf, clientOf, type Download, downloadOf } from "./Credentials.ts"
import type { OpenSession } from "./SignIns.ts"

export interface Session extends OpenSession {
  readonly client: Client
  readonly ask: Ask
  readonly download: Download
  /** Goes to another workspace or mode of the same person. */
  readonly move: (workspace: string, livemode: boolean) => void
  readonly signOut: () => void
  /** Whether the page still shows this workspace and mode: what was begun there leads nowhere afterwards. */
  readonly isShown: () => boolean
}

const SessionContext = createContext<Session | null>(null)

export const useSession = (): Session => {
  const session = useContext(SessionContext)
  if (session === null) throw new Error("No session above this component")
  return session
}

export const useClient = (): Client => useSession().client

/** Viewers only read. The API itself enforces a token's scopes. */
export const useMayWrite = (): boolean => useSession().role !== "viewer"

/** The assistant acts for a signed-in person who may write. */
export const useHasAssistant = (): boolean => {
  const { as, role } = useSession()
  return as.kind === "session" && role !== "viewer"
}

interface ProviderProps extends Pick<Session, "move" | "signOut"> {
  readonly signedIn: OpenSession
  readonly children: ReactNode
}

export const SessionProvider = ({ children, move, signedIn, signOut }: ProviderProps) => {
  const shown = useRef(false)
  useEffect(() => {
    shown.current = true
    return () => {
      shown.current = false
    }
  }, [])
  const session = useMemo<Session>(
    () => ({
      ...signedIn,
      client: clientOf(signedIn.as),
      ask: askOf(signedIn.as),
      download: downloadOf(signedIn.as),
      move,
      signOut,
      isShown: () => shown.current
    }),
    [signedIn, move, signOut]
  )
  return <SessionContext value={session}>{children}</SessionContext>
}
