/** People: adding, listing, roles, removal. Callers check permissions before. */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import {
  type ChangedMeanwhile,
  type InvalidInput,
  invalid,
  type NotFound,
  notFound,
  PermissionDenied,
  type StorageError
} from "../errors/Errors.ts"
import type { WorkspaceId } from "../ids/Id.ts"
import { Ids } from "../ids/Ids.ts"
import { Limits } from "../Limits.ts"
import type { Page, PageRequest } from "../pages/Page.ts"
import * as Partition from "../partition/Partition.ts"
import { type AlreadyExists, ResourceStore, type RevisionConflict } from "../resources/ResourceStore.ts"
import * as Resources from "../resources/Resources.ts"
import * as Writers from "../resources/Writers.ts"
import { Storage } from "../storage/Storage.ts"
import type { PersonCaller } from "../tokens/Caller.ts"
import { MemberTokens } from "../tokens/MemberTokens.ts"
import type { TokenMaker } from "../tokens/Token.ts"
import { type CreatedWorkspace, type HostWorkspaceRequest, HostWorkspaces } from "../workspaces/HostWorkspaces.ts"
import type { Role } from "../workspaces/RoleRules.ts"
import { Workspaces } from "../workspaces/Workspaces.ts"
import * as Invitation from "./Invitation.ts"
import * as Rules from "./PeopleRules.ts"
import * as Person from "./Person.ts"
import { Sessions } from "./Sessions.ts"
import { SignInLinks } from "./SignInLinks.ts"

/** A role given by the operator or a host. An existing e-mail address selects its person and keeps the name. */
export interface NewPerson {
  readonly email: string | null
  /** By default the e-mail address. */
  readonly name?: string | undefined
  readonly workspace: WorkspaceId
  readonly role: Role
}

type ChangeError = InvalidInput | NotFound | ChangedMeanwhile | StorageError

export class People extends Context.Service<
  People,
  {
    /** Gives the person the role, creating the person for an unknown address. Repeating it changes nothing. */
    readonly add: (request: NewPerson) => Effect.Effect<Person.Person, ChangeError>
    /** By the id, or by the e-mail address in whatever case. */
    readonly find: (idOrEmail: string) => Effect.Effect<Person.Person, NotFound | StorageError>
    /** Newest first; null: all of the installation. */
    readonly page: (
      workspace: WorkspaceId | null,
      request: PageRequest
    ) => Effect.Effect<Page<Person.Person>, StorageError>
    /**
     * Null removes the role. Open sessions follow with their next request. Tokens of the person beyond the new role are disabled, or
     * handed to the keeper. Losing the role `owner` withdraws the person's invitations.
     */
    readonly setRole: (
      id: string,
      workspace: WorkspaceId,
      role: Role | null,
      keeper?: TokenMaker | null
    ) => Effect.Effect<Person.Person, ChangeError>
    /** Creates a person without a role. */
    readonly make: (
      request: Pick<Person.Person, "email"> & { readonly name: string | null; readonly vouchedBy: WorkspaceId }
    ) => Effect.Effect<Person.Person, InvalidInput | AlreadyExists | StorageError>
    /**
     * Runs `change` in a transaction, as an owner of the workspace, still an owner at the commit: when two owners demote
     * each other, the second change fails, so that an owner always remains.
     */
    readonly asOwner: (
      owner: string,
      workspace: WorkspaceId
    ) => <A, E>(
      change: Effect.Effect<A, E>
    ) => Effect.Effect<A, Exclude<E, RevisionConflict> | ChangedMeanwhile | PermissionDenied | StorageError>
    /** Ends all sessions and links at once, and tokens in all workspaces like `setRole`. */
    readonly remove: (
      id: string,
      keeper?: TokenMaker | null
    ) => Effect.Effect<void, NotFound | ChangedMeanwhile | StorageError>
    /** Creates a workspace with its tokens and this person as first owner, atomically; at most `createdWorkspacesMax` per person. */
    readonly createWorkspace: (
      by: PersonCaller,
      request: HostWorkspaceRequest
    ) => Effect.Effect<CreatedWorkspace, ChangeError | PermissionDenied>
  }
>()("@limbeck/core/people/People") {}

const { system } = Partition

const noOwner = new PermissionDenied({ message: "You are no owner of this workspace any more", param: null })

const enough = new PermissionDenied({
  message: `A person makes at most ${Limits.createdWorkspacesMax} workspaces: the operator of the server makes others`,
  param: null
})

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: methods of one service, each short
const make = Effect.gen(function* () {
  const resources = yield* ResourceStore
  const storage = yield* Storage
  const sessions = yield* Sessions
  const links = yield* SignInLinks
  const workspaces = yield* Workspaces
  const hostWorkspaces = yield* HostWorkspaces
  const tokens = yield* MemberTokens
  const ids = yield* Ids

  const withdrawInvitations = Effect.fnUntraced(function* (id: string, workspace: WorkspaceId) {
    const made = yield* resources.findByLabels(system, Invitation.kind, [Invitation.labelOfMaker(id)])
    yield* Effect.forEach(
      made.filter((invitation) => invitation.workspace === workspace),
      (invitation) => resources.remove(system, Invitation.kind, invitation.id),
      { discard: true }
    )
  })

  /** Ends the effects of a former role in the workspace: tokens and invitations. */
  const endOf = (id: string, workspace: WorkspaceId, role: Role | null, keeper: TokenMaker | null) =>
    Effect.andThen(
      tokens.limit(workspace, id, role, keeper),
      role === "owner" ? Effect.void : withdrawInvitations(id, workspace)
    )

  const setRole = Effect.fn("People.setRole")(
    function* (id: string, workspace: WorkspaceId, role: Role | null, keeper: TokenMaker | null = null) {
      const { revision, value } = yield* Resources.require(resources, system, Person.kind, id)
      if (Person.roleIn(value, workspace) === (role ?? undefined)) return value
      const roles = yield* Effect.fromResult(Rules.withRole(value.roles, workspace, role))
      const changed: Person.Person = { ...value, roles, updatedAt: yield* Clock.currentTimeMillis }
      yield* resources.compareAndSet(system, Person.kind, { revision, value: changed })
      yield* endOf(id, workspace, role, keeper)
      yield* sessions.refresh(changed)
      return changed
    },
    storage.transaction,
    (change, id) => Writers.inTurn(Person.kind, id)(change)
  )

  const made = Effect.fnUntraced(function* (
    email: string | null,
    name: string | null | undefined,
    of: Pick<Person.Person, "roles" | "vouchedBy">
  ) {
    const now = yield* Clock.currentTimeMillis
    const person: Person.Person = {
      ...of,
      id: yield* ids.make("usr"),
      email,
      name: email !== null && (name ?? null) === null ? email : yield* Effect.fromResult(Rules.name(name ?? "")),
      createdAt: now,
      updatedAt: now
    }
    return yield* Effect.as(resources.insert(system, Person.kind, person), person)
  })

  const byEmail = (email: string) => resources.findUnique(system, Person.kind, email)

  /** Records that the operator or a host vouches for the address. */
  const vouch = Effect.fnUntraced(
    function* (id: string) {
      const { revision, value } = yield* Resources.require(resources, system, Person.kind, id)
      const { vouchedBy, ...vouched } = value
      if (vouchedBy === undefined) return
      yield* resources.compareAndSet(system, Person.kind, { revision, value: vouched })
      yield* sessions.refresh(vouched)
    },
    (change, id) => Writers.inTurn(Person.kind, id)(change)
  )

  const add = Effect.fn("People.add")(function* ({ email: address, name, role, workspace: named }: NewPerson) {
    if (address === null && name === undefined) {
      return yield* invalid("email", "A person has an e-mail address, or a name")
    }
    const email = address === null ? null : yield* Effect.fromResult(Rules.email(address))
    const { id: workspace } = yield* workspaces.get(named)
    const known = email === null ? Option.none() : yield* byEmail(email)
    const given = (id: string) => Effect.andThen(vouch(id), setRole(id, workspace, role))
    if (Option.isSome(known)) return yield* given(known.value.value.id)
    return yield* Effect.catchTag(made(email, name, { roles: [{ workspace, role }] }), "AlreadyExists", () =>
      // Somebody else has let the same person in at the same time.
      Effect.flatMap(byEmail(email ?? ""), (found) => given(Option.getOrThrow(found).value.id))
    )
  })

  const find = Effect.fnUntraced(function* (idOrEmail: string) {
    const found = idOrEmail.includes("@")
      ? yield* byEmail(idOrEmail.trim().toLowerCase())
      : yield* resources.find(system, Person.kind, idOrEmail)
    return Option.isSome(found) ? found.value.value : yield* notFound(Person.kind.noun, idOrEmail)
  })

  const remove = Effect.fn("People.remove")(
    function* (id: string, keeper: TokenMaker | null = null) {
      // Locked against concurrent role changes and new tokens.
      yield* Writers.hold(resources, system, Person.kind, id)
      const { roles } = yield* Resources.requireValue(resources, system, Person.kind, id)
      yield* Effect.forEach(roles, ({ workspace }) => endOf(id, workspace, null, keeper), { discard: true })
      yield* resources.remove(system, Person.kind, id)
      yield* links.revokeAll(id)
      yield* sessions.endAll(id)
    },
    storage.transaction,
    (change, id) => Writers.inTurn(Person.kind, id)(change)
  )

  /** Nobody changes their own role, so an owner here remains one. */
  const asOwner =
    (owner: string, workspace: WorkspaceId) =>
    <A, E>(change: Effect.Effect<A, E>) => {
      const held = Effect.gen(function* () {
        yield* workspaces.hold(workspace)
        const person = yield* resources.find(system, Person.kind, owner)
        const isOwner = Option.isSome(person) && Person.roleIn(person.value.value, workspace) === "owner"
        return isOwner ? yield* change : yield* noOwner
      })
      return Writers.inTurn(Person.kind, owner)(storage.transaction(held))
    }

  const createWorkspace = ({ partition, person, role }: PersonCaller, request: HostWorkspaceRequest) => {
    const created = Effect.gen(function* () {
      // Locked so that concurrent requests count each other's workspaces.
      yield* Writers.hold(resources, system, Person.kind, person.id)
      if ((yield* workspaces.countMadeBy(person.id)) >= Limits.createdWorkspacesMax) return yield* enough
      const made = yield* hostWorkspaces.create(role, request, person.id)
      yield* setRole(person.id, made.workspace.id, "owner")
      return made
    })
    return asOwner(person.id, partition.workspace)(created)
  }

  return People.of({
    add,
    asOwner,
    createWorkspace,
    find,
    setRole,
    remove,
    make: ({ email, name, vouchedBy }) => made(email, name, { roles: [], vouchedBy }),
    page: (workspace, request) =>
      resources.page(system, Person.kind, workspace === null ? [] : [Person.labelOf(workspace)], request)
  })
})

export const layer: Layer.Layer<
  People,
  never,
  ResourceStore | Storage | Sessions | SignInLinks | Workspaces | HostWorkspaces | MemberTokens | Ids
> = Layer.effect(People, make)
