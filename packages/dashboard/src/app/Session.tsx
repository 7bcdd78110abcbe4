/** Who is signed in: the token, what it may do, and the client that speaks for it. */
import { type Client, makeClient } from "@limbeck/client"
import { createContext, type ReactNode, useContext, useMemo } from "react"

/** What `GET /v1/whoami` answers. */
export type Whoami = Awaited<ReturnType<Client["whoami"]>>

/** The API stands where the page stands. */
export const apiBase = () => new URL(".", document.baseURI).href.replace(/\/$/, "")

export const clientOf = (token: string): Client => makeClient({ baseUrl: apiBase(), token })

const key = "limbeck.token"

/** The token is kept for this tab alone, and never in a URL. */
export const stored = {
  read: (): string | null => sessionStorage.getItem(key),
  write: (token: string) => sessionStorage.setItem(key, token),
  clear: () => sessionStorage.removeItem(key)
}

export interface Session {
  readonly client: Client
  readonly token: string
  readonly whoami: Whoami
  readonly signOut: () => void
  /** Whether the token has the scope. */
  readonly may: (scope: string) => boolean
}

const SessionContext = createContext<Session | null>(null)

export const useSession = (): Session => {
  const session = useContext(SessionContext)
  if (session === null) throw new Error("No session above this component")
  return session
}

export const useClient = (): Client => useSession().client

/** `full_access` has every scope, and a scope to write has the one to read. */
const allows = (scopes: ReadonlyArray<string>, scope: string) =>
  scopes.includes("full_access") || scopes.includes(scope) || scopes.includes(scope.replace(":read", ":write"))

interface ProviderProps {
  readonly token: string
  readonly whoami: Whoami
  readonly signOut: () => void
  readonly children: ReactNode
}

export const SessionProvider = ({ children, signOut, token, whoami }: ProviderProps) => {
  const session = useMemo<Session>(
    () => ({
      client: clientOf(token),
      token,
      whoami,
      signOut,
      may: (scope) => allows(whoami.credential.scopes, scope)
    }),
    [token, whoami, signOut]
  )
  return <SessionContext value={session}>{children}</SessionContext>
}
