/** The settings of each kind of connector: how a form asks for them, and what it changes. Pure. */
import type { Connector, ConnectorUpdate } from "@limbeck/client"
import { textOf } from "../parts/Forms.ts"

type Kind = Connector["kind"]

export const kinds: ReadonlyArray<readonly [kind: Kind, name: string]> = [
  ["http_jsonl", "A file of JSON Lines at a URL"],
  ["openai_stored_completions", "Chat completions stored by a provider"],
  ["s3", "Objects of a bucket"]
]

export const wordsOfKind = (kind: Kind): string => new Map(kinds).get(kind) ?? kind

export interface ConfigField {
  /** Of the API. */
  readonly name: string
  readonly label: string
  readonly hint?: string
  readonly form: "text" | "url" | "secret" | "pairs" | "yes_or_no"
  readonly isRequired?: boolean
  /** Of a new connector. */
  readonly initial?: string
}

const encrypted = "It is stored encrypted, and never shown again"

export const fieldsOf: Readonly<Record<Kind, ReadonlyArray<ConfigField>>> = {
  http_jsonl: [
    { name: "url", label: "URL", form: "url", isRequired: true, hint: "Of the file, gzipped or not" },
    {
      name: "auth_header",
      label: "Authorization",
      form: "secret",
      hint: `The value of this header, or a whole header of another name, as Name: value. ${encrypted}`
    }
  ],
  openai_stored_completions: [
    {
      name: "base_url",
      label: "Address",
      form: "url",
      isRequired: true,
      initial: "https://api.openai.com/v1",
      hint: "With /v1 at its end"
    },
    { name: "api_key", label: "API key", form: "secret", isRequired: true, hint: encrypted },
    { name: "model", label: "Model", form: "text", hint: "Empty: of any model" },
    { name: "metadata", label: "Metadata", form: "pairs", hint: "A line for each, as key=value; empty: any" }
  ],
  s3: [
    { name: "bucket", label: "Bucket", form: "text", isRequired: true },
    { name: "region", label: "Region", form: "text", isRequired: true, hint: "Such as eu-central-1" },
    { name: "prefix", label: "Prefix", form: "text", hint: "All objects whose keys begin with it" },
    { name: "key", label: "Key", form: "text", hint: "Of one object, in place of a prefix" },
    { name: "endpoint", label: "Endpoint", form: "url", hint: "Of a store that is not AWS's" },
    { name: "access_key_id", label: "Access key ID", form: "secret", isRequired: true, hint: encrypted },
    { name: "secret_access_key", label: "Secret access key", form: "secret", isRequired: true, hint: encrypted },
    { name: "session_token", label: "Session token", form: "secret", hint: "Of temporary credentials" },
    { name: "force_path_style", label: "Bucket in the path of the URL", form: "yes_or_no", initial: "no" }
  ]
}

/** In a form the names of the fields are those that the API refuses them by. */
export const inputName = ({ name }: Pick<ConfigField, "name">): string => `config.${name}`

const textsOf = (pairs: object): string =>
  Object.entries(pairs)
    .map(([key, value]) => `${key}=${value}`)
    .join("\n")

/** A line without `=` is a key without a value. */
const pairsOf = (text: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    text
      .split("\n")
      .map((line) => line.trim())
      .filter((line) => line !== "")
      .map((line) => {
        const [key = "", ...value] = line.split("=")
        return [key.trim(), value.join("=").trim()]
      })
  )

/** The value of a field as the form holds it; a mask is not one. */
export const shownOf = ({ form, name }: ConfigField, { config }: Connector): string => {
  const value: unknown = Object.entries(config).find(([member]) => member === name)?.[1]
  if (form === "secret" || value === null || value === undefined) return ""
  if (typeof value === "boolean") return value ? "yes" : "no"
  return typeof value === "object" ? textsOf(value) : String(value)
}

/** Whether the connector has a credential, which is masked. */
export const isMasked = ({ name }: ConfigField, { config }: Connector): boolean =>
  Object.entries(config).some(([member, value]) => member === name && value !== null)

const valueOf = ({ form }: ConfigField, text: string): unknown => {
  if (text === "") return null
  if (form === "yes_or_no") return text === "yes"
  return form === "pairs" ? pairsOf(text) : text
}

/** The changed settings alone: an empty field of a credential keeps it. */
export const changesOf = (connector: Connector, form: FormData): NonNullable<ConnectorUpdate["config"]> =>
  Object.fromEntries(
    fieldsOf[connector.kind].flatMap((field) => {
      const text = textOf(form, inputName(field))
      return text === shownOf(field, connector).trim() ? [] : [[field.name, valueOf(field, text)]]
    })
  )

/** The settings of a new connector. */
export const settingsOf = (kind: Kind, form: FormData): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    fieldsOf[kind].flatMap((field) => {
      const value = valueOf(field, textOf(form, inputName(field)))
      return value === null ? [] : [[field.name, value]]
    })
  )
