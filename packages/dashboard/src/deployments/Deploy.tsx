/** Puts a student behind an alias: in shadow, until a person says otherwise. */
import type { DeploymentCreate, Source } from "@limbeck/client"
import { useLocation } from "wouter"
import { useList } from "../app/Queries.ts"
import { useClient } from "../app/Session.tsx"
import { Ask, Input, Select } from "../parts/Ask.tsx"
import { numberOf, textOf } from "../parts/Forms.ts"

interface Props {
  readonly student: string
  /** The student's name, which the alias is made of. */
  readonly name?: string
  /** On the button that opens the dialog. */
  readonly button?: string
  /** The confidence below which a call is left to the teacher. */
  readonly threshold?: number | null
  /** Where the threshold comes from. */
  readonly hint: string
  readonly disabled?: boolean
}

/** As a recommendation's report says it. */
export const recommendationHint = (threshold: number | null): string =>
  threshold === null ? "Its report recommends none" : "As its report recommends"

/** The letters of a name that an alias may have. */
const aliasOf = (name: string): string =>
  name
    .toLowerCase()
    .replaceAll(/[^a-z0-9_-]+/g, "-")
    .replace(/^[-_]+/, "")
    .slice(0, aliasMax)
    .replace(/-+$/, "")

/** Characters of an alias. */
const aliasMax = 64

/** The first that the source names. */
const modelOf = (source: Source | undefined): string => {
  const [model = ""] = source?.models ?? []
  return typeof model === "string" ? model : model.id
}

const bodyOf = (student: string, form: FormData): DeploymentCreate => {
  const [source, model] = [textOf(form, "source"), textOf(form, "model")]
  const below_confidence = numberOf(form, "below_confidence")
  return {
    alias: textOf(form, "alias"),
    student_model: student,
    mode: textOf(form, "mode") === "active" ? "active" : "shadow",
    fields: textOf(form, "fields") === "closed_only" ? "closed_only" : "whole",
    ...(source === "" || model === ""
      ? {}
      : { fallback: { source, model, ...(below_confidence === undefined ? {} : { below_confidence }) } })
  }
}

export const Deploy = ({ button = "Deploy…", disabled = false, hint, name = "", student, threshold }: Props) => {
  const client = useClient()
  const [, go] = useLocation()
  const sources = useList(["sources"], (cursor) => client.sources.list({ limit: 100, ...cursor }))
  return (
    <Ask
      button={button}
      disabled={disabled}
      tone="primary"
      title="Deploy the student"
      does="Deploy"
      act={(form) => client.deployments.create(bodyOf(student, form))}
      done={({ id }) => go(`/deployments/${id}`)}
    >
      <Input
        label="Alias"
        name="alias"
        required
        maxLength={aliasMax}
        defaultValue={aliasOf(name)}
        pattern="[a-z0-9][a-z0-9_\-]*"
        hint="Programs ask for svc: and this name"
      />
      <Select
        label="Mode"
        name="mode"
        options={[
          ["shadow", "shadow: the teacher answers, the student is compared"],
          ["active", "active: the student answers"]
        ]}
      />
      <Select
        label="The student gives"
        name="fields"
        options={[
          ["whole", "whole answers"],
          ["closed_only", "the closed fields of JSON answers; the fallback gives the others"]
        ]}
      />
      <Select
        label="The teacher's source"
        name="source"
        hint="In shadow the teacher answers; later it is the fallback"
        options={[...sources.items.map(({ name }) => [name, name] as const), ["", "none"]]}
      />
      <Input label="The teacher's model" name="model" defaultValue={modelOf(sources.items[0])} />
      <Input
        label="Left to the fallback below this confidence"
        name="below_confidence"
        type="number"
        min="0"
        max="1"
        step="any"
        defaultValue={threshold ?? ""}
        hint={hint}
      />
    </Ask>
  )
}
