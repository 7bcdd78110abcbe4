/** Makes a connector, a place from which rows are pulled, and changes one. */
import type { Connector, ConnectorCreate } from "@limbeck/client"
import { useState } from "react"
import { useLocation } from "wouter"
import { useClient } from "../app/Session.tsx"
import { Ask, Field, Input, Select } from "../parts/Ask.tsx"
import { textOf } from "../parts/Forms.ts"
import { type ConfigField, changesOf, fieldsOf, inputName, kinds, settingsOf, shownOf } from "./ConfigFields.ts"

interface SettingProps {
  readonly field: ConfigField
  readonly connector?: Connector
}

const yesOrNo = [
  ["yes", "yes"],
  ["no", "no"]
] as const

const kept = "Left empty, it stays as it is"

const Setting = ({ connector, field }: SettingProps) => {
  const { form, initial, isRequired = false, label } = field
  const hint = form === "secret" && connector !== undefined ? kept : field.hint
  const defaultValue = connector === undefined ? initial : shownOf(field, connector)
  const shared = { label, name: inputName(field), ...(hint === undefined ? {} : { hint }) }
  if (form === "yes_or_no") return <Select {...shared} defaultValue={defaultValue} options={yesOrNo} />
  if (form === "pairs")
    return (
      <Field {...shared}>
        {(attributes) => <textarea {...attributes} name={shared.name} rows={3} defaultValue={defaultValue} />}
      </Field>
    )
  if (form === "secret")
    return <Input {...shared} type="password" autoComplete="off" required={isRequired && connector === undefined} />
  return <Input {...shared} type={form} required={isRequired} defaultValue={defaultValue} />
}

const Settings = ({ connector, kind }: { readonly connector?: Connector; readonly kind: Connector["kind"] }) =>
  fieldsOf[kind].map((field) => (
    <Setting key={field.name} field={field} {...(connector === undefined ? {} : { connector })} />
  ))

const NewFields = () => {
  const [kind, setKind] = useState<Connector["kind"]>("http_jsonl")
  return (
    <>
      <Input label="Name" name="name" required maxLength={64} />
      <Select
        label="Kind"
        name="kind"
        value={kind}
        // One of the options.
        onChange={({ target }) => setKind(target.value as Connector["kind"])}
        options={kinds}
      />
      <Settings key={kind} kind={kind} />
    </>
  )
}

/** The server checks the settings against the kind, and refuses them by the name of their field. */
const createOf = (form: FormData): ConnectorCreate => {
  const [kind] = kinds.find(([name]) => name === textOf(form, "kind")) ?? ["http_jsonl"]
  return { name: textOf(form, "name"), kind, config: settingsOf(kind, form) } as ConnectorCreate
}

export const NewConnector = () => {
  const client = useClient()
  const [, go] = useLocation()
  return (
    <Ask
      button="Add a connector"
      title="Add a connector"
      note="Nothing is fetched before you start a pull."
      does="Add"
      act={(form) => client.connectors.create(createOf(form))}
      done={({ id }) => go(`/data/connectors/${id}`)}
    >
      <NewFields />
    </Ask>
  )
}

export const EditConnector = ({ connector }: { readonly connector: Connector }) => {
  const client = useClient()
  const { id, kind, name } = connector
  return (
    <Ask
      button="Edit"
      title={`Edit ${name}`}
      note="A pull under way goes on as it began. Another server needs its credential anew."
      does="Save"
      act={(form) => client.connectors.update(id, { name: textOf(form, "name"), config: changesOf(connector, form) })}
    >
      <Input label="Name" name="name" required maxLength={64} defaultValue={name} />
      <Settings connector={connector} kind={kind} />
    </Ask>
  )
}
