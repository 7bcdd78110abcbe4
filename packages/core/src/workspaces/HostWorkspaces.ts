/**
 * The workspaces of an installation, for its operator or embedding host. Actions for people alone are done here, on behalf
 * of a person with a role.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { StorageError } from "../errors/Errors.ts"
import { type ChangedMeanwhile, type InvalidInput, type NotFound, PermissionDenied } from "../errors/Errors.ts"
import type { WorkspaceId } from "../ids/Id.ts"
import type { Page, PageRequest } from "../pages/Page.ts"
import * as Partition from "../partition/Partition.ts"
import type { PersonId } from "../people/Person.ts"
import { Storage } from "../storage/Storage.ts"
import { Tokens } from "../tokens/Tokens.ts"
import type { Workspace } from "./internal/Workspace.ts"
import * as RoleRules from "./RoleRules.ts"
import { type WorkspacePatch, Workspaces } from "./Workspaces.ts"

/** A new workspace, and its two full-access tokens, which cannot be read again. */
export interface CreatedWorkspace {
  readonly workspace: Workspace
  readonly liveToken: string
  readonly testToken: string
}

export interface HostWorkspaceRequest {
  readonly name: string
  /** By default `self_hosted`. */
  readonly plan?: string | undefined
}

export class HostWorkspaces extends Context.Service<
  HostWorkspaces,
  {
    /** The workspace and its tokens, or nothing. `person`: who makes them; absent: the operator or a host. */
    readonly create: (
      role: RoleRules.Role,
      request: HostWorkspaceRequest,
      person?: PersonId
    ) => Effect.Effect<CreatedWorkspace, InvalidInput | PermissionDenied | StorageError>
    readonly update: (
      role: RoleRules.Role,
      id: WorkspaceId,
      patch: WorkspacePatch
    ) => Effect.Effect<Workspace, InvalidInput | PermissionDenied | NotFound | ChangedMeanwhile | StorageError>
    /** Newest first. */
    readonly page: (request: PageRequest) => Effect.Effect<Page<Workspace>, StorageError>
  }
>()("@limbeck/core/workspaces/HostWorkspaces") {}

const firstPlan = "self_hosted"

const check = (role: RoleRules.Role, action: RoleRules.Action) =>
  RoleRules.may(role, action)
    ? Effect.void
    : Effect.fail(new PermissionDenied({ message: `The role ${role} may not do this`, param: null }))

const make = Effect.gen(function* () {
  const storage = yield* Storage
  const workspaces = yield* Workspaces
  const tokens = yield* Tokens

  /** Full access in one mode. */
  const firstToken = Effect.fnUntraced(function* (id: WorkspaceId, livemode: boolean, person: PersonId | undefined) {
    const secret = yield* tokens.randomSecret(livemode)
    yield* tokens.ensure(Partition.make(id, livemode), "bootstrap", secret, person)
    return secret
  })

  const create: HostWorkspaces["Service"]["create"] = Effect.fn("HostWorkspaces.create")(function* (
    role,
    { name, plan = firstPlan },
    person
  ) {
    yield* check(role, "create_workspace")
    return yield* storage.transaction(
      Effect.gen(function* () {
        const workspace = yield* workspaces.create({ name, plan, createdBy: person })
        const liveToken = yield* firstToken(workspace.id, true, person)
        return { workspace, liveToken, testToken: yield* firstToken(workspace.id, false, person) }
      })
    )
  })

  const update: HostWorkspaces["Service"]["update"] = Effect.fn("HostWorkspaces.update")(function* (role, id, patch) {
    yield* check(role, patch.plan === undefined ? "write" : "change_plan")
    return yield* workspaces.update(id, patch)
  })

  return HostWorkspaces.of({ create, update, page: workspaces.page })
})

export const layer: Layer.Layer<HostWorkspaces, never, Storage | Workspaces | Tokens> = Layer.effect(
  HostWorkspaces,
  make
)
