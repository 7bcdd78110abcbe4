/** The people of an installation, for a host without Effect, and for programs without a server. */
import type { StorageError } from "@limbeck/core/errors/Errors"
import { WorkspaceId } from "@limbeck/core/ids/Id"
import * as Ids from "@limbeck/core/ids/Ids"
import { Limits } from "@limbeck/core/Limits"
import { firstPage } from "@limbeck/core/pages/Page"
import * as LinkSecrets from "@limbeck/core/people/LinkSecrets"
import * as CorePeople from "@limbeck/core/people/People"
import type * as CorePerson from "@limbeck/core/people/Person"
import * as Session from "@limbeck/core/people/Session"
import * as Sessions from "@limbeck/core/people/Sessions"
import * as SignInLinks from "@limbeck/core/people/SignInLinks"
import { toIso } from "@limbeck/core/time/Timestamp"
import * as Authentication from "@limbeck/core/tokens/Authentication"
import * as MemberTokens from "@limbeck/core/tokens/MemberTokens"
import { operator } from "@limbeck/core/tokens/Token"
import * as Tokens from "@limbeck/core/tokens/Tokens"
import * as HostWorkspaces from "@limbeck/core/workspaces/HostWorkspaces"
import type { Role } from "@limbeck/core/workspaces/RoleRules"
import * as Workspaces from "@limbeck/core/workspaces/Workspaces"
import * as Crypto from "@limbeck/node/Crypto"
import * as HostSession from "@limbeck/server/HostSession"
import type { StoragePorts } from "@limbeck/server/Layers"
import { ServerSettings } from "@limbeck/server/Settings"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"

/** A person as they are now. */
export interface Person {
  /** `usr_…` */
  readonly id: string
  /** In lower case; null for a person who was added by a name alone. */
  readonly email: string | null
  readonly name: string
  readonly roles: ReadonlyArray<{ readonly workspace: string; readonly role: Role }>
  /** ISO 8601, UTC. */
  readonly createdAt: string
}

/** Somebody who gets a role in a workspace. */
export interface NewPerson {
  /** One person has it, in whatever case: somebody who has it already gets the role, and keeps their name. */
  readonly email?: string
  /** 1 to 200 characters; by default the e-mail address. One of the two is needed. */
  readonly name?: string
  /** The id of the workspace. */
  readonly workspace: string
  readonly role: Role
}

/** A link that signs a person in once. */
export interface Link {
  /** Its secret is behind the `#`, which browsers send to no server. */
  readonly url: string
  /** ISO 8601, UTC: a quarter of an hour after its creation. */
  readonly expiresAt: string
}

/** A session that the host has begun for a person whom it knows by itself. */
export interface HostedSession {
  /** The `Set-Cookie` value for the host's own response, on Limbeck's origin. */
  readonly setCookie: string
  /** Required with each request other than GET, as `X-CSRF-Token`; `GET /v1/session` returns it too. */
  readonly csrfToken: string
  /** ISO 8601, UTC: a week after it began. Without a request it ends after 12 hours. */
  readonly expiresAt: string
}

/** Options for tokens beyond the new role. */
export interface TokenOptions {
  /** `end` (default) disables the tokens; `keep` hands the tokens to the operator. */
  readonly tokens?: "end" | "keep"
}

/** A page of the list. */
export interface PersonPage {
  readonly people: ReadonlyArray<Person>
  /** Whether more follow the last of them. */
  readonly hasMore: boolean
}

/**
 * People who may sign in to pages of this server, and their roles. `person` is an id or an e-mail address. Each rejects with `StorageError`
 * when storage does not answer, and with `NotFound` where there is no such person or workspace.
 */
export interface People {
  /** Rejects with `InvalidInput` for an address or a name that cannot be. The same again changes nothing. */
  readonly add: (person: NewPerson) => Promise<Person>
  readonly find: (person: string) => Promise<Person>
  /** The newest first, 100 at a time; the next page begins after the id `after`. `workspace`: those with a role there. */
  readonly list: (request?: { readonly workspace?: string; readonly after?: string }) => Promise<PersonPage>
  /**
   * Null removes the role. Open sessions follow at once, in other processes within a second. Tokens made by the person there, or by
   * their tokens, are disabled if they exceed the new role, unless `tokens` is `keep`.
   */
  readonly setRole: (person: string, workspace: string, role: Role | null, options?: TokenOptions) => Promise<Person>
  /** Ends sessions and, like `setRole`, tokens at once, in other processes within a second. */
  readonly remove: (person: string, options?: TokenOptions) => Promise<void>
  readonly link: (person: string) => Promise<Link>
  /**
   * Signs in a person whom the host has authenticated itself.
   *
   * @example
   * const { setCookie } = await limbeck.people.session("ann@example.com")
   * response.setHeader("Set-Cookie", setCookie)
   */
  readonly session: (person: string) => Promise<HostedSession>
}

type Services = CorePeople.People | Sessions.Sessions | SignInLinks.SignInLinks

/** The people of a storage, for a program that serves nothing: no worker runs, and nothing listens. */
export const layer = (storage: Layer.Layer<StoragePorts, StorageError>): Layer.Layer<Services, StorageError> =>
  CorePeople.layer.pipe(
    Layer.provideMerge(SignInLinks.layer),
    Layer.provideMerge(Sessions.layer),
    Layer.provide(LinkSecrets.layer),
    Layer.provide(MemberTokens.layer),
    Layer.provide(HostWorkspaces.layer),
    Layer.provide(Workspaces.layer),
    Layer.provide(Tokens.layer),
    Layer.provide(Authentication.layer),
    Layer.provide(Ids.layer),
    Layer.provide(storage),
    Layer.provide(Crypto.layer)
  )

const decodeWorkspace = Schema.decodeUnknownSync(WorkspaceId)

const shown = ({ createdAt, email, id, name, roles }: CorePerson.Person): Person => ({
  id,
  email,
  name,
  roles,
  createdAt: toIso(createdAt)
})

export const add = Effect.fnUntraced(function* ({ email, name, role, workspace }: NewPerson) {
  const people = yield* CorePeople.People
  return shown(yield* people.add({ email: email ?? null, name, role, workspace: decodeWorkspace(workspace) }))
})

export const find = Effect.fnUntraced(function* (person: string) {
  return shown(yield* (yield* CorePeople.People).find(person))
})

export const list = Effect.fnUntraced(function* ({
  after,
  workspace
}: {
  readonly workspace?: string
  readonly after?: string
} = {}) {
  const people = yield* CorePeople.People
  const within = workspace === undefined ? null : decodeWorkspace(workspace)
  const page = yield* people.page(within, { ...firstPage(Limits.pageMax), after: after ?? null })
  return { people: page.items.map(shown), hasMore: page.hasMore }
})

const keeperOf = ({ tokens }: TokenOptions = {}) => (tokens === "keep" ? operator : null)

export const setRole = Effect.fnUntraced(function* (
  person: string,
  workspace: string,
  role: Role | null,
  options?: TokenOptions
) {
  const people = yield* CorePeople.People
  const { id } = yield* people.find(person)
  return shown(yield* people.setRole(id, decodeWorkspace(workspace), role, keeperOf(options)))
})

export const remove = Effect.fnUntraced(function* (person: string, options?: TokenOptions) {
  const people = yield* CorePeople.People
  yield* people.remove((yield* people.find(person)).id, keeperOf(options))
})

export const link = Effect.fnUntraced(function* (person: string) {
  const { id } = yield* (yield* CorePeople.People).find(person)
  const { expiresAt, secret } = yield* (yield* SignInLinks.SignInLinks).make(id)
  const { publicUrl } = yield* ServerSettings
  return { url: `${publicUrl}/#/sign-in/${secret}`, expiresAt: toIso(expiresAt) }
})

export const session = Effect.fnUntraced(function* (person: string) {
  const { id } = yield* (yield* CorePeople.People).find(person)
  const sessions = yield* Sessions.Sessions
  const begun = yield* sessions.begin(id)
  return {
    setCookie: HostSession.cookieOf(yield* ServerSettings, begun.secret),
    csrfToken: yield* sessions.csrfOf(begun.secret),
    expiresAt: toIso(Session.endsAt(begun.session))
  }
})

/** People as promises: `run` runs the effects. */
export const make = (run: <A, E>(effect: Effect.Effect<A, E, Services>) => Promise<A>): People => ({
  add: async (person) => run(add(person)),
  find: async (person) => run(find(person)),
  list: async (request) => run(list(request)),
  setRole: async (person, workspace, role, options) => run(setRole(person, workspace, role, options)),
  remove: async (person, options) => run(remove(person, options)),
  link: async (person) => run(link(person)),
  session: async (person) => run(session(person))
})
