/** People: let in, listed, given roles, removed. Who may do so is looked at before. */
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
import type { Page, PageRequest } from "../pages/Page.ts"
import * as Partition from "../partition/Partition.ts"
import { ResourceStore, type RevisionConflict } from "../resources/ResourceStore.ts"
import * as Resources from "../resources/Resources.ts"
import * as Writers from "../resources/Writers.ts"
import { Storage } from "../storage/Storage.ts"
import type { SignedIn } from "../tokens/Caller.ts"
import { type CreatedWorkspace, type HostWorkspaceRequest, HostWorkspaces } from "../workspaces/HostWorkspaces.ts"
import type { Role } from "../workspaces/RoleRules.ts"
import { Workspaces } from "../workspaces/Workspaces.ts"
import * as Rules from "./PeopleRules.ts"
import * as Person from "./Person.ts"
import { Sessions } from "./Sessions.ts"
import { SignInLinks } from "./SignInLinks.ts"

/** Who gets a role. An e-mail address that somebody has already names that person, whose name stays. */
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
    /** The person with the role; made, if there is nobody of this address. The same again changes nothing. */
    readonly add: (request: NewPerson) => Effect.Effect<Person.Person, ChangeError>
    /** By the id, or by the e-mail address in whatever case. */
    readonly find: (idOrEmail: string) => Effect.Effect<Person.Person, NotFound | StorageError>
    /** Newest first; null: all of the installation. */
    readonly page: (
      workspace: WorkspaceId | null,
      request: PageRequest
    ) => Effect.Effect<Page<Person.Person>, StorageError>
    /** Null takes the role away. The next request of each of the person's sessions is held to it. */
    readonly setRole: (
      id: string,
      workspace: WorkspaceId,
      role: Role | null
    ) => Effect.Effect<Person.Person, ChangeError>
    /**
     * `change` in a transaction, made by this person as an owner of the workspace, which they still are at its commit: of two
     * owners who demote each other the second is refused, so that one always remains.
     */
    readonly asOwner: (
      owner: string,
      workspace: WorkspaceId
    ) => <A, E>(
      change: Effect.Effect<A, E>
    ) => Effect.Effect<A, Exclude<E, RevisionConflict> | ChangedMeanwhile | PermissionDenied | StorageError>
    /** With all sessions and links, which end at once. */
    readonly remove: (id: string) => Effect.Effect<void, NotFound | StorageError>
    /** A new workspace with its tokens, of which this person is the first owner, or nothing. */
    readonly createWorkspace: (
      by: SignedIn,
      request: HostWorkspaceRequest
    ) => Effect.Effect<CreatedWorkspace, ChangeError | PermissionDenied>
  }
>()("@limbeck/core/people/People") {}

const { system } = Partition

const noOwner = new PermissionDenied({ message: "You are no owner of this workspace any more", param: null })

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: methods of one service, each short
const make = Effect.gen(function* () {
  const resources = yield* ResourceStore
  const storage = yield* Storage
  const sessions = yield* Sessions
  const links = yield* SignInLinks
  const workspaces = yield* Workspaces
  const hostWorkspaces = yield* HostWorkspaces
  const ids = yield* Ids

  const setRole = Effect.fn("People.setRole")(
    function* (id: string, workspace: WorkspaceId, role: Role | null) {
      const { revision, value } = yield* Resources.require(resources, system, Person.kind, id)
      if (Person.roleIn(value, workspace) === (role ?? undefined)) return value
      const roles = yield* Effect.fromResult(Rules.withRole(value.roles, workspace, role))
      const changed: Person.Person = { ...value, roles, updatedAt: yield* Clock.currentTimeMillis }
      yield* resources.compareAndSet(system, Person.kind, { revision, value: changed })
      yield* sessions.changed(changed)
      return changed
    },
    (change, id) => Writers.inTurn(Person.kind, id)(change)
  )

  const made = Effect.fnUntraced(function* (email: string | null, { name, role, workspace }: NewPerson) {
    const now = yield* Clock.currentTimeMillis
    const person: Person.Person = {
      id: yield* ids.make("usr"),
      email,
      name: name === undefined && email !== null ? email : yield* Effect.fromResult(Rules.name(name ?? "")),
      roles: [{ workspace, role }],
      createdAt: now,
      updatedAt: now
    }
    return yield* Effect.as(resources.insert(system, Person.kind, person), person)
  })

  const byEmail = (email: string) => resources.findUnique(system, Person.kind, email)

  const add = Effect.fn("People.add")(function* (request: NewPerson) {
    if (request.email === null && request.name === undefined) {
      return yield* invalid("email", "A person has an e-mail address, or a name")
    }
    const email = request.email === null ? null : yield* Effect.fromResult(Rules.email(request.email))
    const { id: workspace } = yield* workspaces.get(request.workspace)
    const known = email === null ? Option.none() : yield* byEmail(email)
    if (Option.isSome(known)) return yield* setRole(known.value.value.id, workspace, request.role)
    return yield* Effect.catchTag(made(email, request), "AlreadyExists", () =>
      // Somebody else has let the same person in at the same time.
      Effect.flatMap(byEmail(email ?? ""), (found) =>
        setRole(Option.getOrThrow(found).value.id, workspace, request.role)
      )
    )
  })

  const find = Effect.fnUntraced(function* (idOrEmail: string) {
    const found = idOrEmail.includes("@")
      ? yield* byEmail(idOrEmail.trim().toLowerCase())
      : yield* resources.find(system, Person.kind, idOrEmail)
    return Option.isSome(found) ? found.value.value : yield* notFound(Person.kind.noun, idOrEmail)
  })

  const remove = Effect.fn("People.remove")(function* (id: string) {
    yield* storage.transaction(
      Effect.gen(function* () {
        if (!(yield* resources.remove(system, Person.kind, id))) return yield* notFound(Person.kind.noun, id)
        yield* links.revokeAll(id)
        yield* sessions.endAll(id)
      })
    )
  })

  /** Nobody changes their own role, so whoever is an owner here remains one. */
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

  return People.of({
    add,
    asOwner,
    find,
    setRole,
    remove,
    page: (workspace, request) =>
      resources.page(system, Person.kind, workspace === null ? [] : [Person.labelOf(workspace)], request),
    createWorkspace: ({ person, role }, request) =>
      storage.transaction(
        Effect.tap(hostWorkspaces.create(role, request), ({ workspace }) => setRole(person.id, workspace.id, "owner"))
      )
  })
})

export const layer: Layer.Layer<
  People,
  never,
  ResourceStore | Storage | Sessions | SignInLinks | Workspaces | HostWorkspaces | Ids
> = Layer.effect(People, make)
