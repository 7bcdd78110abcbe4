/** Who may do what in a workspace: people by their role, tokens, and what is for people alone (contract 14.10, 15.17). Pure. */
import * as Schema from "effect/Schema"

export const Role = Schema.Literals(["owner", "member", "viewer"])
/** Of a person. A token has scopes instead. */
export type Role = typeof Role.Type

/** What no token may do, whatever its scopes: the request that asks for it, what it does, and who does it instead. */
const humanOnly = {
  create_workspace: {
    request: "POST /v1/workspaces",
    deed: "Creating a workspace",
    where:
      "the operator of the server does it with `limbeck workspace create`, an embedding host with `workspaces.create`"
  },
  change_plan: {
    request: "PATCH /v1/workspace with plan",
    deed: "Changing the plan of a workspace",
    where:
      "the operator of the server does it with `limbeck workspace update`, an embedding host with `workspaces.update`"
  },
  top_up: {
    request: "POST /v1/billing/top_ups",
    deed: "Topping up a balance",
    where: "the operator of the server does it with `limbeck billing top-up`, an embedding host with `billing.topUp`"
  }
} as const

export type HumanOnly = keyof typeof humanOnly

/** `read` and `write`: whatever is not named by itself. `people`: to let people in, and to change their roles. */
export type Action = "read" | "write" | "people" | HumanOnly

const all: ReadonlyArray<Action> = ["read", "write", "people", "create_workspace", "change_plan", "top_up"]

const actions: Readonly<Record<Role | "token", ReadonlyArray<Action>>> = {
  owner: all,
  member: ["read", "write"],
  viewer: ["read"],
  // Its scopes say which of these.
  token: ["read", "write"]
}

export const may = (actor: Role | "token", action: Action): boolean => actions[actor].includes(action)

/** Why nobody but an owner does it, and where it is done. */
export const refusalOf = (action: HumanOnly): string => {
  const { deed, where } = humanOnly[action]
  return `${deed} is for people, and no token may do it, whatever its scopes: ${where}`
}

/** All that is for people alone, in words. */
export const humanOnlyOperations: ReadonlyArray<string> = Object.values(humanOnly).map(
  ({ deed, request, where }) => `${request}: ${deed.toLowerCase()} is for people; ${where}.`
)
