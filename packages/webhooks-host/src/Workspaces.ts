/** The workspaces of an installation, for a host without Effect: one per customer of the host. */
import { WorkspaceId } from "@limbeck/core/ids/Id"
import { Limits } from "@limbeck/core/Limits"
import { firstPage } from "@limbeck/core/pages/Page"
import { toIso } from "@limbeck/core/time/Timestamp"
import type { CreatedWorkspace, HostWorkspaces } from "@limbeck/core/workspaces/HostWorkspaces"
import type { Role } from "@limbeck/core/workspaces/RoleRules"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

/** A workspace as it is now. */
export interface Workspace {
  readonly id: string
  readonly name: string
  readonly plan: string
  /** ISO 8601, UTC. */
  readonly createdAt: string
}

/** What a new workspace is made of. */
export interface NewWorkspace {
  /** 1 to 200 characters; others may have the same one. */
  readonly name: string
  /** `self_hosted` by default. */
  readonly plan?: string
}

/** A new workspace and its first tokens, which are shown this once. */
export interface NewWorkspaceWithToken {
  readonly workspace: Workspace
  /** Full access in live mode; it cannot be read again. */
  readonly liveToken: string
  /** Full access in test mode; it cannot be read again. */
  readonly testToken: string
}

/** Who asks. */
export interface OnBehalf {
  /** The caller's role, for a host with roles; `owner` by default. */
  readonly role?: Role
}

/** A page of the list. */
export interface WorkspacePage {
  readonly workspaces: ReadonlyArray<Workspace>
  /** Whether more follow the last of them. */
  readonly hasMore: boolean
}

/** Each rejects with `StorageError` when storage does not answer. */
export interface Workspaces {
  /**
   * A new workspace with its first tokens, or nothing. Rejects with `InvalidInput` for a name or plan that cannot be, and with
   * `PermissionDenied` for a role that may not: only an owner may.
   */
  readonly create: (request: NewWorkspace, by?: OnBehalf) => Promise<NewWorkspaceWithToken>
  /**
   * Changes the given fields. Rejects like `create`, with `NotFound` for an unknown workspace, and with `PermissionDenied`
   * for a viewer, or for a member who changes a plan.
   */
  readonly update: (
    id: string,
    patch: { readonly name?: string; readonly plan?: string },
    by?: OnBehalf
  ) => Promise<Workspace>
  /** The newest first, 100 at a time; the next page begins after the id `after`. */
  readonly list: (request?: { readonly after?: string }) => Promise<WorkspacePage>
}

const decodeId = Schema.decodeUnknownSync(WorkspaceId)

const shown = ({ createdAt, id, name, plan }: CreatedWorkspace["workspace"]): Workspace => ({
  id,
  name,
  plan,
  createdAt: toIso(createdAt)
})

/** Workspaces as promises: `run` runs the effects of the service. */
export const make = (
  service: HostWorkspaces["Service"],
  run: <A, E>(effect: Effect.Effect<A, E>) => Promise<A>
): Workspaces => ({
  create: async ({ name, plan }, { role = "owner" } = {}) => {
    const { workspace, ...tokens } = await run(service.create(role, { name, plan }))
    return { workspace: shown(workspace), ...tokens }
  },
  update: async (id, { name, plan }, { role = "owner" } = {}) =>
    shown(await run(service.update(role, decodeId(id), { name, plan }))),
  list: async ({ after } = {}) => {
    const page = await run(service.page({ ...firstPage(Limits.pageMax), after: after ?? null }))
    return { workspaces: page.items.map(shown), hasMore: page.hasMore }
  }
})
