/**
 * CSS classes by values of the API. Roles, levels and states may be any text of a client, a trainer or an upstream, so they
 * never become class names: each is looked up, and an unknown one has the default class.
 */

const roles: ReadonlyMap<string, string> = new Map([
  ["user", "message user"],
  ["assistant", "message assistant"]
])

export const classOfRole = (role: string): string => roles.get(role) ?? "message"

const levels: ReadonlyMap<string, string> = new Map([["error", "log error"]])

export const classOfLevel = (level: string): string => levels.get(level) ?? "log"

const states: Readonly<Record<"good" | "bad" | "busy", ReadonlyArray<string>>> = {
  good: ["succeeded", "ready", "enabled", "active", "completed"],
  bad: ["failed", "dead_lettered", "disabled", "expired", "guarded", "drifted", "failing"],
  busy: ["rehearsed", "running", "evaluating", "validating", "processing", "building", "provisioning", "shadow"]
}

const tones: ReadonlyMap<string, string> = new Map(
  Object.entries(states).flatMap(([tone, names]) => names.map((name) => [name, `badge ${tone}`] as const))
)

export const classOfState = (state: string): string => tones.get(state) ?? "badge even"
