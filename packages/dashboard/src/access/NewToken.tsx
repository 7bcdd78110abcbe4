/** Makes a token: for a usual purpose or with chosen scopes, with limits, and until a date. */
import type { Token } from "@limbeck/client"
import { useState } from "react"
import { useClient, useSession } from "../app/Session.tsx"
import { Ask, Input, Select } from "../parts/Ask.tsx"
import { Copy } from "../parts/Copy.tsx"
import { textOf } from "../parts/Forms.ts"
import { isScope, ownScopes, purposes, purposesOf, scopes } from "./TokenScopes.ts"

const dayMillis = 86_400_000

/** Days, as values of a form; empty: it does not expire. */
const terms = [
  ["", "never"],
  ["30", "in 30 days"],
  ["90", "in 90 days"],
  ["365", "in a year"]
] as const

const expiryOf = (form: FormData): string | null => {
  const days = textOf(form, "term")
  return days === "" ? null : new Date(Date.now() + Number(days) * dayMillis).toISOString()
}

/** Of calls through the proxy; an empty field does not limit. */
const limitsOf = (form: FormData): NonNullable<Token["limits"]> | null => {
  const [models, perMinute, perDay] = ["models", "requests", "cost"].map((name) => textOf(form, name))
  const limits = {
    ...(models ? { models: models.split(",").map((pattern) => pattern.trim()) } : {}),
    ...(perMinute ? { requests_per_minute: Number(perMinute) } : {}),
    ...(perDay ? { max_cost_usd_per_day: Number(perDay) } : {})
  }
  return Object.keys(limits).length === 0 ? null : limits
}

const scopesOf = (form: FormData) => {
  const purpose = textOf(form, "purpose")
  return purpose === ownScopes ? form.getAll("scope").map(String).filter(isScope) : [...(purposes[purpose] ?? [])]
}

const ScopeChoices = () => (
  <fieldset className="picker">
    <legend>Scopes</legend>
    <div className="choices">
      {scopes.map((scope) => (
        <label key={scope} className="choice">
          <input type="checkbox" name="scope" value={scope} />
          <code>{scope}</code>
        </label>
      ))}
    </div>
    <span className="soft">
      Writing does not include reading. The server refuses more than your own role or token has.
    </span>
  </fieldset>
)

const Fields = () => {
  const { role, service } = useSession()
  const offered = purposesOf(role, service)
  const [purpose, setPurpose] = useState(offered[0] ?? ownScopes)
  return (
    <>
      <Input label="Name" name="name" required maxLength={64} />
      <Select
        label="Purpose"
        name="purpose"
        value={purpose}
        onChange={({ target }) => setPurpose(target.value)}
        options={[...offered, ownScopes].map((name) => [name, name])}
      />
      {purpose === ownScopes && <ScopeChoices />}
      <Select label="Expires" name="term" options={terms} />
      {service === "whole" && (
        <>
          <Input label="Models" name="models" hint="Names, or beginnings such as gpt-*, with commas; empty: all." />
          <Input label="Requests a minute" name="requests" type="number" min={1} hint="Empty: no limit." />
          <Input label="US dollars a day" name="cost" type="number" min={0} step="any" hint="Empty: no limit." />
        </>
      )}
    </>
  )
}

export const TokenSecret = ({ secret }: { readonly secret: string }) => (
  <>
    <p>This is the only time that it is shown.</p>
    <Copy label="the token" text={secret} />
  </>
)

export const NewToken = () => {
  const client = useClient()
  const create = (form: FormData) =>
    client.tokens.create({
      name: textOf(form, "name"),
      scopes: scopesOf(form),
      expires_at: expiryOf(form),
      limits: limitsOf(form)
    })
  return (
    <Ask
      button="Make a token"
      tone="primary"
      title="Make a token"
      does="Make"
      act={create}
      shows={({ secret }) => <TokenSecret secret={secret} />}
    >
      <Fields />
    </Ask>
  )
}
