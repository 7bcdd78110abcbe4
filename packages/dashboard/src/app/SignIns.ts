/** Signs in with a token, with a link, or with the session of the browser. */
import { askInSession, askOf, type Credentials, clientOf, type Whoami } from "./Credentials.ts"
import type { Link } from "./Links.ts"
import type { Service } from "./PageTable.ts"

export type Role = "owner" | "member" | "viewer"

interface WorkspaceOfPerson {
  readonly id: string
  readonly name: string
  readonly role: Role
}

export interface Invitation {
  readonly id: string
  readonly workspace: { readonly id: string; readonly name: string }
  readonly role: Role
}

export interface Person {
  readonly id: string
  readonly email: string | null
  readonly name: string
}

/** The response of `POST /v1/sessions` and `GET /v1/session`. */
export interface SessionAnswer {
  readonly person: Person
  readonly workspaces: ReadonlyArray<WorkspaceOfPerson>
  readonly invitations: ReadonlyArray<Invitation>
  readonly csrf_token: string
}

/** The response of `POST /v1/sessions/preview`. */
export type LinkPreview =
  | { readonly object: "sign_in_link"; readonly person: Pick<Person, "email" | "name"> }
  | (Invitation & { readonly object: "invitation"; readonly email: string })

/** In a workspace and mode. */
export interface OpenSession {
  readonly as: Credentials
  readonly whoami: Whoami
  readonly service: Service
  /** Null: a token is signed in. */
  readonly person: Person | null
  /** Where else the person may go; none for a token. */
  readonly workspaces: ReadonlyArray<WorkspaceOfPerson>
  /** Open invitations at the time of the sign-in. */
  readonly invitations: ReadonlyArray<Invitation>
  readonly role: Role | null
}

/** Signed in, without a role in any workspace. */
export interface Lobby {
  readonly session: SessionAnswer
}

export type Entry = OpenSession | Lobby

export const isLobby = (entered: Entry): entered is Lobby => "session" in entered

/** Null: a token is signed in. */
export const personOf = (entered: Entry): Person | null => (isLobby(entered) ? entered.session.person : entered.person)

const tokenKey = "limbeck.token"
const placeKey = "limbeck.place"

/** The token is kept for this tab alone, and never in a URL. */
const stored = (key: string) => sessionStorage.getItem(key)

export const forget = () => {
  sessionStorage.removeItem(tokenKey)
  sessionStorage.removeItem(placeKey)
}

/** In the catalog of every server with runs. */
const typeOfRuns = "distill.run.created"

const introduce = async (as: Credentials): Promise<Pick<OpenSession, "as" | "whoami" | "service">> => {
  const client = clientOf(as)
  const [whoami, types] = await Promise.all([client.whoami(), client.events.types().all()])
  return { as, whoami, service: types.some(({ type }) => type === typeOfRuns) ? "whole" : "webhooks" }
}

export const byToken = async (token: string): Promise<OpenSession> => {
  const as: Credentials = { kind: "token", token }
  const introduced = await introduce(as)
  sessionStorage.setItem(tokenKey, token)
  return { ...introduced, person: null, workspaces: [], invitations: [], role: null }
}

/** Signs in to one of the person's workspaces and modes. */
const inPlace = async (
  { csrf_token, invitations, person, workspaces }: SessionAnswer,
  workspace: WorkspaceOfPerson,
  livemode: boolean
): Promise<OpenSession> => {
  const as: Credentials = { kind: "session", csrfToken: csrf_token, workspace: workspace.id, livemode }
  const introduced = await introduce(as)
  sessionStorage.setItem(placeKey, JSON.stringify([workspace.id, livemode]))
  return { ...introduced, person, workspaces, invitations, role: workspace.role }
}

/** Where the person was in this tab, or else their first workspace, live. */
const inUsualPlace = async (session: SessionAnswer): Promise<Entry> => {
  const [id, livemode] = JSON.parse(stored(placeKey) ?? "[null, true]") as [string | null, boolean]
  const workspace = session.workspaces.find((one) => one.id === id) ?? session.workspaces[0]
  return workspace === undefined ? { session } : inPlace(session, workspace, livemode)
}

const ask = askOf(null)

export const bySession = async (): Promise<Entry> => inUsualPlace(await ask<SessionAnswer>("GET", "session"))

export const move = async (id: string, livemode: boolean): Promise<Entry> => {
  sessionStorage.setItem(placeKey, JSON.stringify([id, livemode]))
  return bySession()
}

const bodyOf = ({ kind, secret }: Link) => (kind === "sign-in" ? { link: secret } : { invitation: secret })

/** Describes a link without using it up. */
export const preview = (link: Link): Promise<LinkPreview> => ask("POST", "sessions/preview", bodyOf(link))

/** Uses a link, in place of a token or a session of this browser. */
export const byLink = async (link: Link): Promise<SessionAnswer> => {
  const session = await ask<SessionAnswer>("POST", "sessions", bodyOf(link))
  forget()
  return session
}

/** Accepts an invitation and enters its workspace. `secret`: the secret of its link, if the page has one. */
export const accept = async ({ csrf_token }: SessionAnswer, { id, workspace }: Invitation, secret?: string) => {
  const body = secret === undefined ? {} : { link: secret }
  await askInSession(csrf_token)("POST", `session/invitations/${id}/accept`, body)
  return move(workspace.id, true)
}

export const decline = async ({ csrf_token }: SessionAnswer, { id }: Invitation) => {
  await askInSession(csrf_token)("POST", `session/invitations/${id}/decline`)
  return bySession()
}

export const currentSession = (): Promise<SessionAnswer> => ask("GET", "session")

export const enter = inUsualPlace

/** Signs in with the stored token or the cookie, without asking. */
export const usual = (): { readonly enter: () => Promise<Entry>; readonly isSilent: boolean } => {
  const token = stored(tokenKey)
  if (token !== null) return { enter: () => byToken(token), isSilent: false }
  // A stranger has no session, and a server of webhooks alone knows no sessions: neither is an error.
  return { enter: bySession, isSilent: true }
}

export const leave = async (entered: Entry): Promise<void> => {
  forget()
  if (isLobby(entered)) await askInSession(entered.session.csrf_token)("DELETE", "session")
  else if (entered.as.kind === "session") await askOf(entered.as)("DELETE", "session")
}
