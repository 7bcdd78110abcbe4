/** Who may do what in a workspace: people by their role, tokens, and what is for people alone (contract 14.10, 15.17). Pure. */
import * as Schema from "effect/Schema"
import { type Scope, scopes } from "../tokens/Scope.ts"

export const Role = Schema.Literals(["owner", "member", "viewer"])
/** Of a person. A token has scopes instead. */
export type Role = typeof Role.Type

/** Who does what no token may do. */
const instead = (operator: string, host: string): string =>
  `an owner who is signed in does it, the operator of the server with \`${operator}\`, an embedding host with \`${host}\``

/**
 * Actions closed to every token, whatever its scopes: the request, the action, and the alternative. Without a request: in
 * no document.
 */
const humanOnly = {
  create_workspace: {
    request: "POST /v1/workspaces",
    deed: "Creating a workspace",
    where: instead("limbeck workspace create", "workspaces.create")
  },
  change_plan: {
    request: "PATCH /v1/workspace with plan",
    deed: "Changing the plan of a workspace",
    where: instead("limbeck workspace update", "workspaces.update")
  },
  top_up: {
    request: "POST /v1/billing/top_ups",
    deed: "Topping up a balance",
    where: instead("limbeck billing top-up", "billing.topUp")
  },
  people: {
    request: null,
    deed: "Letting people in, and changing their roles",
    where: instead("limbeck person", "people")
  },
  assistant: {
    request: null,
    deed: "A conversation with the assistant",
    where: "a person who is signed in has it on the dashboard; a program calls the operations itself"
  },
  session: {
    request: null,
    deed: "A session",
    where: "a person signs in with a link that the operator of the server makes with `limbeck person link`"
  }
} as const

export type HumanOnly = keyof typeof humanOnly

/**
 * `read` and `write`: whatever is not named by itself. `people`: to let people in, and to change their roles. `session`: to look at
 * one's own session, and to end it. `assistant`: to talk to the assistant, whose model costs money.
 */
export type Action = "read" | "write" | HumanOnly

const ownersOnly: ReadonlyArray<Action> = ["people", "create_workspace", "change_plan", "top_up"]

const actions: Readonly<Record<Role | "token", ReadonlyArray<Action>>> = {
  owner: ["read", "write", "session", "assistant", ...ownersOnly],
  member: ["read", "write", "session", "assistant"],
  viewer: ["read", "session"],
  // Its scopes say which of these.
  token: ["read", "write"]
}

export const may = (actor: Role | "token", action: Action): boolean => actions[actor].includes(action)

/** Whether a role does what takes a token of this scope. The proxy takes tokens alone: what a browser sends by itself spends no money. */
export const allows = (role: Role, scope: Scope): boolean =>
  scope !== "proxy:write" && scope !== "full_access" && may(role, scope.endsWith(":read") ? "read" : "write")

/**
 * Whether a role can grant a scope to a token. A token is limited to the operations of the role, plus proxy calls, which require a
 * token. Only owners grant `full_access`, because it includes the scopes of later versions.
 */
export const mayGrant = (role: Role, scope: Scope): boolean =>
  scope === "full_access" ? role === "owner" : may(role, scope.endsWith(":read") ? "read" : "write")

/** The scopes of a role. */
export const scopesOf = (role: Role): ReadonlyArray<Scope> => scopes.filter((scope) => allows(role, scope))

/** The reason for the refusal, and the alternative. */
export const refusalOf = (action: HumanOnly): string => {
  const { deed, where } = humanOnly[action]
  return `${deed} is for people, and no token may do it, whatever its scopes: ${where}`
}

/** The documented API's operations for people alone, in words. */
export const humanOnlyOperations: ReadonlyArray<string> = Object.values(humanOnly).flatMap(
  ({ deed, request, where }) => (request === null ? [] : [`${request}: ${deed.toLowerCase()} is for people; ${where}.`])
)
