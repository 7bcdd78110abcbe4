/**
 * Invitations: an owner invites an e-mail address, and the person with the address accepts or declines in their own session. No
 * result tells an owner whether a person with the address exists.
 *
 * ```
 *  invite ──▶ open ──▶ accept    by the session of the address: the person has the role
 *              │ ├───▶ decline   by that session
 *              │ ├───▶ withdraw  by an owner; by a newer invitation of the address; when the inviter loses the role of owner
 *              │ └───▶ expired   after a week
 *              └─ admit: the link creates the person of an unused address; the invitation stays open
 * ```
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import {
  AlreadyMember,
  type ChangedMeanwhile,
  type InvalidInput,
  invalid,
  type NotFound,
  notFound,
  PermissionDenied,
  SignInRefused,
  type StorageError
} from "../errors/Errors.ts"
import type { WorkspaceId } from "../ids/Id.ts"
import { Ids } from "../ids/Ids.ts"
import { Limits } from "../Limits.ts"
import * as Page from "../pages/Page.ts"
import { system } from "../partition/Partition.ts"
import { ResourceStore } from "../resources/ResourceStore.ts"
import * as Writers from "../resources/Writers.ts"
import { Storage } from "../storage/Storage.ts"
import type { Role } from "../workspaces/RoleRules.ts"
import * as Invitation from "./Invitation.ts"
import { LinkSecrets } from "./LinkSecrets.ts"
import { People } from "./People.ts"
import * as Rules from "./PeopleRules.ts"
import * as Person from "./Person.ts"
import { type NewSession, Sessions } from "./Sessions.ts"

export interface InvitationRequest {
  readonly email: string
  readonly name?: string | undefined
  readonly role: Role
}

/** Returned once; the secret cannot be read again. */
export interface MadeInvitation {
  readonly invitation: Invitation.Invitation
  readonly secret: string
}

type OwnerError = ChangedMeanwhile | PermissionDenied | StorageError

export class Invitations extends Context.Service<
  Invitations,
  {
    /** Replaces an open invitation of the address to the workspace. Fails if the address has a role in the workspace. */
    readonly invite: (
      owner: Person.Person,
      workspace: WorkspaceId,
      request: InvitationRequest
    ) => Effect.Effect<MadeInvitation, InvalidInput | AlreadyMember | OwnerError>
    /** Open invitations of a workspace, newest first. */
    readonly page: (
      workspace: WorkspaceId,
      request: Page.PageRequest
    ) => Effect.Effect<Page.Page<Invitation.Invitation>, StorageError>
    readonly withdraw: (
      owner: Person.Person,
      workspace: WorkspaceId,
      id: string
    ) => Effect.Effect<void, NotFound | OwnerError>
    /** Open invitations of the person's address, newest first, at most `shownInvitationsMax`. */
    readonly ofPerson: (person: Person.Person) => Effect.Effect<ReadonlyArray<Invitation.Invitation>, StorageError>
    /**
     * Gives the role and removes the invitation, atomically; an existing role stays. A person created by a link of another workspace
     * must prove the address with the secret of this link.
     */
    readonly accept: (
      person: string,
      id: string,
      secret: string | undefined
    ) => Effect.Effect<
      Invitation.Invitation,
      InvalidInput | NotFound | PermissionDenied | ChangedMeanwhile | StorageError
    >
    readonly decline: (
      person: Person.Person,
      id: string
    ) => Effect.Effect<Invitation.Invitation, NotFound | StorageError>
    /** Returns the open invitation of a link without consuming it. */
    readonly look: (secret: string) => Effect.Effect<Invitation.Invitation, SignInRefused | StorageError>
    /**
     * Creates the person of an unused address, without a role, and begins a session. Never signs in an existing person: a taken
     * address, a wrong link and an expired link fail with the same error.
     */
    readonly admit: (
      secret: string
    ) => Effect.Effect<NewSession, InvalidInput | SignInRefused | ChangedMeanwhile | StorageError>
  }
>()("@limbeck/core/people/Invitations") {}

const refused = new SignInRefused({})

const unproven = new PermissionDenied({
  message: "Open the link of this invitation to accept it: it shows that the address is yours",
  param: "invitation"
})

const noRoom = invalid(
  null,
  `A workspace has at most ${Limits.workspaceInvitationsMax} open invitations, and one person ` +
    `has made at most ${Limits.personInvitationsMax}: withdraw some`
)

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: methods of one service, each short
const make = Effect.gen(function* () {
  const resources = yield* ResourceStore
  const storage = yield* Storage
  const people = yield* People
  const sessions = yield* Sessions
  const secrets = yield* LinkSecrets
  const ids = yield* Ids

  const remove = (id: string) => resources.remove(system, Invitation.kind, id)

  const open = Effect.fnUntraced(function* (label: string) {
    const now = yield* Clock.currentTimeMillis
    const all = yield* resources.findByLabels(system, Invitation.kind, [label])
    return all.filter((invitation) => Invitation.isOpen(invitation, now))
  })

  const inserted = Effect.fnUntraced(function* (
    owner: Person.Person,
    workspace: WorkspaceId,
    email: string,
    { name, role }: Pick<Invitation.Invitation, "name" | "role">
  ) {
    const { digest, secret } = yield* secrets.make
    const invitation: Invitation.Invitation = {
      id: yield* ids.make("inv"),
      workspace,
      email,
      name,
      role,
      invitedBy: owner.id,
      digest,
      createdAt: yield* Clock.currentTimeMillis
    }
    yield* Effect.catchTag(resources.insert(system, Invitation.kind, invitation), "AlreadyExists", Effect.die)
    return { invitation, secret }
  })

  /** Runs under the lock of the workspace, so invitations of one address are serialized. */
  const invited = Effect.fnUntraced(function* (
    owner: Person.Person,
    workspace: WorkspaceId,
    request: InvitationRequest
  ) {
    const email = yield* Effect.fromResult(Rules.email(request.email))
    const name = request.name === undefined ? null : yield* Effect.fromResult(Rules.name(request.name))
    const person = yield* resources.findUnique(system, Person.kind, email)
    if (Option.isSome(person) && Person.roleIn(person.value.value, workspace) !== undefined) {
      return yield* new AlreadyMember({ id: person.value.value.id })
    }
    const here = yield* open(Invitation.labelOfWorkspace(workspace))
    const [before, others] = [here.filter((one) => one.email === email), here.filter((one) => one.email !== email)]
    const own = (yield* open(Invitation.labelOfMaker(owner.id))).filter(({ id }) =>
      before.every((one) => one.id !== id)
    )
    if (others.length >= Limits.workspaceInvitationsMax || own.length >= Limits.personInvitationsMax)
      return yield* noRoom
    yield* Effect.forEach(before, ({ id }) => remove(id), { discard: true })
    return yield* inserted(owner, workspace, email, { name, role: request.role })
  })

  const withdrawn = Effect.fnUntraced(function* (workspace: WorkspaceId, id: string) {
    const stored = yield* resources.find(system, Invitation.kind, id)
    const isHere = Option.isSome(stored) && stored.value.value.workspace === workspace
    if (!isHere || !(yield* remove(id))) return yield* notFound(Invitation.kind.noun, id)
  })

  /** An open invitation of the person's address. */
  const ofAddress = Effect.fnUntraced(function* ({ email }: Person.Person, id: string) {
    const stored = yield* resources.find(system, Invitation.kind, id)
    const invitation = Option.getOrUndefined(stored)?.value
    const now = yield* Clock.currentTimeMillis
    if (invitation !== undefined && Invitation.isOpen(invitation, now) && invitation.email === email) return invitation
    return yield* notFound(Invitation.kind.noun, id)
  })

  const accepted = Effect.fnUntraced(function* (personId: string, id: string, secret: string | undefined) {
    yield* Writers.hold(resources, system, Person.kind, personId)
    const person = yield* people.find(personId)
    const invitation = yield* ofAddress(person, id)
    const isProven = person.vouchedBy === undefined || person.vouchedBy === invitation.workspace
    if (!isProven && (secret === undefined || (yield* secrets.digestOf(secret)) !== invitation.digest)) {
      return yield* unproven
    }
    if (!(yield* remove(id))) return yield* notFound(Invitation.kind.noun, id)
    if (Person.roleIn(person, invitation.workspace) === undefined) {
      yield* people.setRole(person.id, invitation.workspace, invitation.role)
    }
    return invitation
  })

  const look = Effect.fn("Invitations.look")(function* (secret: string) {
    if (!(yield* secrets.isGenuine(secret))) return yield* refused
    const stored = yield* resources.findUnique(system, Invitation.kind, yield* secrets.digestOf(secret))
    const now = yield* Clock.currentTimeMillis
    return Option.isSome(stored) && Invitation.isOpen(stored.value.value, now) ? stored.value.value : yield* refused
  })

  const admitted = Effect.fnUntraced(function* (secret: string) {
    const { email, id, name, workspace } = yield* look(secret)
    // Locks the invitation against a concurrent withdrawal.
    if (!(yield* Writers.hold(resources, system, Invitation.kind, id))) return yield* refused
    const person = yield* Effect.catchTag(people.make({ email, name, vouchedBy: workspace }), "AlreadyExists", () =>
      Effect.fail(refused)
    )
    return yield* Effect.catchTag(sessions.begin(person.id), "NotFound", Effect.die)
  })

  return Invitations.of({
    look,
    invite: Effect.fn("Invitations.invite")((owner, workspace, request) =>
      people.asOwner(owner.id, workspace)(invited(owner, workspace, request))
    ),
    page: (workspace, request) =>
      Effect.zipWith(
        resources.page(system, Invitation.kind, [Invitation.labelOfWorkspace(workspace)], request),
        Clock.currentTimeMillis,
        (page, now) => ({
          items: page.items.filter((invitation) => Invitation.isOpen(invitation, now)),
          hasMore: page.hasMore,
          end: page.items.at(-1)?.id
        })
      ),
    withdraw: (owner, workspace, id) => people.asOwner(owner.id, workspace)(withdrawn(workspace, id)),
    ofPerson: ({ email }) =>
      email === null
        ? Effect.succeed([])
        : Effect.zipWith(
            resources.page(
              system,
              Invitation.kind,
              [Invitation.labelOfAddress(email)],
              Page.firstPage(Limits.shownInvitationsMax)
            ),
            Clock.currentTimeMillis,
            ({ items }, now) => items.filter((invitation) => Invitation.isOpen(invitation, now))
          ),
    accept: Effect.fn("Invitations.accept")((person, id, secret) =>
      Writers.inTurn(Person.kind, person)(storage.transaction(accepted(person, id, secret)))
    ),
    decline: Effect.fn("Invitations.decline")(function* (person, id) {
      const invitation = yield* ofAddress(person, id)
      if (!(yield* remove(id))) return yield* notFound(Invitation.kind.noun, id)
      return invitation
    }),
    admit: Effect.fn("Invitations.admit")((secret) =>
      Writers.inTurn(Invitation.kind, "of this link")(storage.transaction(admitted(secret)))
    )
  })
})

export const layer: Layer.Layer<Invitations, never, ResourceStore | Storage | People | Sessions | LinkSecrets | Ids> =
  Layer.effect(Invitations, make)
