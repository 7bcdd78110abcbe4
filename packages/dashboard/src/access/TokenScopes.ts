/** All scopes of tokens, and the sets of scopes for usual purposes. Pure. */
import type { Client } from "@limbeck/client"
import type { Service } from "../app/PageTable.ts"
import type { Role } from "../app/SignIns.ts"

type Scope = Parameters<Client["tokens"]["create"]>[0]["scopes"][number]

/** The type of the record requires every scope of the API. */
const known: Readonly<Record<Scope, true>> = {
  "proxy:write": true,
  "distill:read": true,
  "distill:write": true,
  "sources:read": true,
  "sources:write": true,
  "events:read": true,
  "events:write": true,
  "webhooks:read": true,
  "webhooks:write": true,
  "tokens:read": true,
  "tokens:write": true,
  "billing:read": true,
  "billing:write": true,
  "agents:read": true,
  "agents:write": true,
  "channels:read": true,
  "channels:write": true,
  "conversations:read": true,
  "conversations:write": true,
  "workspace:read": true,
  "workspace:write": true,
  full_access: true
}

export const isScope = (text: string): text is Scope => Object.hasOwn(known, text)

export const scopes: ReadonlyArray<Scope> = Object.keys(known).filter(isScope)

/** What people make tokens for. */
export const purposes: Readonly<Record<string, ReadonlyArray<Scope>>> = {
  "Send calls through the proxy": ["proxy:write"],
  "Look, and change nothing": ["distill:read", "events:read", "webhooks:read", "sources:read", "billing:read"],
  "Build and deploy students": ["distill:write", "sources:read", "events:read"],
  "Receive and manage webhooks": ["webhooks:write", "webhooks:read", "events:read"],
  Everything: ["full_access"]
}

/** With this purpose, a form shows a checkbox for each scope. */
export const ownScopes = "Own scopes"

const isOfWebhooks = (scope: Scope) => /^(?:webhooks|events|full_access)/.test(scope)

/** Members cannot grant full access. `role` is null for a token. */
export const purposesOf = (role: Role | null, service: Service): ReadonlyArray<string> =>
  Object.entries(purposes).flatMap(([purpose, granted]) => {
    const isGranted = role !== "member" || !granted.includes("full_access")
    return isGranted && (service === "whole" || granted.every(isOfWebhooks)) ? [purpose] : []
  })
