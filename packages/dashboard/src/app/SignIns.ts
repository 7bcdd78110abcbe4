/** How somebody gets in: by a token, by a link that the operator made, or because they are in already. */
import { askOf, type Credentials, clientOf, type Whoami } from "./Credentials.ts"

interface WorkspaceOfPerson {
  readonly id: string
  readonly name: string
  readonly role: "owner" | "member" | "viewer"
}

/** What `POST /v1/sessions` and `GET /v1/session` answer. */
interface SessionAnswer {
  readonly person: { readonly id: string; readonly email: string | null; readonly name: string | null }
  readonly workspaces: ReadonlyArray<WorkspaceOfPerson>
  readonly csrf_token: string
}

export interface SignedIn {
  readonly as: Credentials
  readonly whoami: Whoami
  /** Where else the person may go; none for a token. */
  readonly workspaces: ReadonlyArray<WorkspaceOfPerson>
  readonly role: WorkspaceOfPerson["role"] | null
}

const tokenKey = "limbeck.token"
const placeKey = "limbeck.place"

/** The token is kept for this tab alone, and never in a URL. */
const stored = (key: string) => sessionStorage.getItem(key)

export const forget = () => {
  sessionStorage.removeItem(tokenKey)
  sessionStorage.removeItem(placeKey)
}

export const byToken = async (token: string): Promise<SignedIn> => {
  const as: Credentials = { kind: "token", token }
  const whoami = await clientOf(as).whoami()
  sessionStorage.setItem(tokenKey, token)
  return { as, whoami, workspaces: [], role: null }
}

/** In one of the person's workspaces and modes. */
const inPlace = async (
  { csrf_token, workspaces }: SessionAnswer,
  workspace: WorkspaceOfPerson,
  livemode: boolean
): Promise<SignedIn> => {
  const as: Credentials = { kind: "session", csrfToken: csrf_token, workspace: workspace.id, livemode }
  const whoami = await clientOf(as).whoami()
  sessionStorage.setItem(placeKey, JSON.stringify([workspace.id, livemode]))
  return { as, whoami, workspaces, role: workspace.role }
}

/** Where the person was in this tab, or else their first workspace, live. */
const inUsualPlace = (session: SessionAnswer): Promise<SignedIn> => {
  const [id, livemode] = JSON.parse(stored(placeKey) ?? "[null, true]") as [string | null, boolean]
  const workspace = session.workspaces.find((one) => one.id === id) ?? session.workspaces[0]
  if (workspace === undefined) throw new Error("You have no role in any workspace: ask an owner for one.")
  return inPlace(session, workspace, livemode)
}

const ask = askOf(null)

const bySession = async (): Promise<SignedIn> => inUsualPlace(await ask<SessionAnswer>("GET", "session"))

export const move = async (id: string, livemode: boolean): Promise<SignedIn> => {
  sessionStorage.setItem(placeKey, JSON.stringify([id, livemode]))
  return bySession()
}

const linkPlace = /^#\/sign-in\/(.+)$/

/** The secret of a link stands behind the `#`, which no server sees; it leaves the address before it is used. */
const byLink = async (secret: string): Promise<SignedIn> => {
  history.replaceState(null, "", location.pathname)
  return inUsualPlace(await ask<SessionAnswer>("POST", "sessions", { link: secret }))
}

/** The way in that is open without a question, if there is one. */
export const usual = (): { readonly enter: () => Promise<SignedIn>; readonly isSilent: boolean } => {
  const secret = linkPlace.exec(location.hash)?.[1]
  if (secret !== undefined) return { enter: () => byLink(secret), isSilent: false }
  const token = stored(tokenKey)
  if (token !== null) return { enter: () => byToken(token), isSilent: false }
  // A stranger has no session, and need not be told.
  return { enter: bySession, isSilent: true }
}

export const leave = async ({ as }: SignedIn): Promise<void> => {
  forget()
  if (as.kind === "session") await askOf(as)("DELETE", "session")
}
