/** Makes a source: a server that speaks the chat-completions API. */
import { useClient } from "../app/Session.tsx"
import { Ask, Input } from "../parts/Ask.tsx"

const text = (form: FormData, name: string) => String(form.get(name) ?? "").trim()

const models = (form: FormData) =>
  text(form, "models")
    .split(/[\s,]+/)
    .filter((model) => model !== "")

export const NewSource = () => {
  const client = useClient()
  const create = (form: FormData) =>
    client.sources.create({
      name: text(form, "name"),
      kind: "byok",
      base_url: text(form, "base_url"),
      ...(text(form, "api_key") === "" ? {} : { api_key: text(form, "api_key") }),
      ...(models(form).length === 0 ? {} : { models: models(form) }),
      default: true
    })
  return (
    <Ask button="Add a source" tone="primary" title="Add a source" does="Add" act={create}>
      <Input
        label="Name"
        name="name"
        required
        maxLength={64}
        pattern="[a-z0-9][a-z0-9._\-]*"
        defaultValue="teacher"
        hint="Lowercase letters, digits, - _ and ."
      />
      <Input
        label="Address"
        name="base_url"
        type="url"
        required
        placeholder="https://api.example.com/v1"
        hint="With /v1 at its end"
      />
      <Input
        label="API key"
        name="api_key"
        type="password"
        autoComplete="off"
        hint="It is stored encrypted, and never shown again"
      />
      <Input
        label="Models"
        name="models"
        placeholder="gpt-large, gpt-small"
        hint="Separated by commas; none means any"
      />
    </Ask>
  )
}
