/** Makes a source, a server that speaks the chat-completions API, and changes one. */
import type { Source, SourceUpdate } from "@limbeck/client"
import { useClient } from "../app/Session.tsx"
import { Ask, Input, Select } from "../parts/Ask.tsx"
import { listOf, numberOf, textOf } from "../parts/Forms.ts"

const idOf = (model: Source["models"][number]): string => (typeof model === "string" ? model : model.id)

/** A key that is typed; an empty field changes nothing. */
const keyOf = (form: FormData) => (textOf(form, "api_key") === "" ? {} : { api_key: textOf(form, "api_key") })

interface FieldsProps {
  readonly source?: Source
}

const Fields = ({ source }: FieldsProps) => (
  <>
    <Input
      label="Name"
      name="name"
      required
      maxLength={64}
      pattern="[a-z0-9][a-z0-9._\-]*"
      defaultValue={source?.name ?? "teacher"}
      hint="Lowercase letters, digits, - _ and ."
    />
    <Input
      label="Address"
      name="base_url"
      type="url"
      required
      placeholder="https://api.example.com/v1"
      defaultValue={source?.base_url}
      hint="With /v1 at its end"
    />
    <Input
      label="API key"
      name="api_key"
      type="password"
      autoComplete="off"
      hint={
        source === undefined ? "It is stored encrypted, and never shown again" : "Left empty, the key stays as it is"
      }
    />
    <Input
      label="Models"
      name="models"
      placeholder="gpt-large, gpt-small"
      defaultValue={source?.models.map(idOf).join(", ")}
      hint="Separated by commas; none means any"
    />
  </>
)

export const NewSource = () => {
  const client = useClient()
  const create = (form: FormData) =>
    client.sources.create({
      name: textOf(form, "name"),
      kind: "byok",
      base_url: textOf(form, "base_url"),
      ...keyOf(form),
      ...(listOf(form, "models").length === 0 ? {} : { models: listOf(form, "models") }),
      default: true
    })
  return (
    <Ask button="Add a source" tone="primary" title="Add a source" does="Add" act={create}>
      <Fields />
    </Ask>
  )
}

/** The address is shown without secrets, so it is sent only if changed; models keep their prices. */
const changesOf = (source: Source, form: FormData): SourceUpdate => {
  const known = new Map(source.models.map((model) => [idOf(model), model]))
  const base_url = textOf(form, "base_url")
  return {
    name: textOf(form, "name"),
    ...(base_url === source.base_url ? {} : { base_url }),
    ...keyOf(form),
    models: listOf(form, "models").map((id) => known.get(id) ?? id),
    default: textOf(form, "default") === "yes",
    timeout_ms: Math.round(1_000 * (numberOf(form, "timeout") ?? 0)),
    capture: { enabled: textOf(form, "capture") === "yes", sample_rate: (numberOf(form, "sample") ?? 0) / 100 }
  }
}

const yesOrNo = [
  ["yes", "yes"],
  ["no", "no"]
] as const

const worded = (is: boolean) => (is ? "yes" : "no")

export const EditSource = ({ source }: { readonly source: Source }) => {
  const client = useClient()
  return (
    <Ask
      button="Edit"
      title={`Edit ${source.name}`}
      note="Calls under way go on as they began."
      does="Save"
      act={(form) => client.sources.update(source.id, changesOf(source, form))}
    >
      <Fields source={source} />
      <Select
        label="Asked where a program names no source"
        name="default"
        defaultValue={worded(source.default)}
        options={yesOrNo}
      />
      <Input
        label="Time limit, in seconds"
        name="timeout"
        type="number"
        min="0.001"
        max="3600"
        step="any"
        required
        defaultValue={source.timeout_ms / 1_000}
      />
      <Select
        label="Capture its calls"
        name="capture"
        defaultValue={worded(source.capture.enabled)}
        options={yesOrNo}
      />
      <Input
        label="Captured, in percent of calls"
        name="sample"
        type="number"
        min="0"
        max="100"
        step="any"
        required
        defaultValue={100 * source.capture.sample_rate}
      />
    </Ask>
  )
}
