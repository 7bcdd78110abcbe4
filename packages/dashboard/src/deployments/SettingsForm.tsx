/** Changes the settings of a deployment: student, fields, share, fallback, threshold, guard and time limit. */
import type { DeploymentUpdate, DeploymentWithFigures } from "@limbeck/client"
import { useClient } from "../app/Session.tsx"
import { Ask, Input, Select } from "../parts/Ask.tsx"
import { numberOf, textOf } from "../parts/Forms.ts"

export type Settings = Pick<
  DeploymentWithFigures,
  | "fallback"
  | "fields"
  | "guard"
  | "id"
  | "mode"
  | "model"
  | "on_fallback_failure"
  | "status"
  | "student_model"
  | "timeout_ms"
  | "traffic_percent"
>

/** A resource by its id and its name, as a choice of a form. */
export type NamedChoice = readonly [id: string, name: string]

interface Choices {
  readonly sources: ReadonlyArray<NamedChoice>
  readonly students: ReadonlyArray<NamedChoice>
}

const off = "off"

export const wordsOfFields: Readonly<Record<Settings["fields"], string>> = {
  whole: "whole answers",
  closed_only: "the closed fields of JSON answers; the fallback gives the others"
}

export const wordsOfFailure: Readonly<Record<Settings["on_fallback_failure"], string>> = {
  answer: "the student answers all the same",
  fail: "the call fails"
}

/** Null: from now on there is none. */
const fallbackOf = (form: FormData): NonNullable<DeploymentUpdate["fallback"]> | null => {
  const source = textOf(form, "fallback.source")
  if (source === "") return null
  const below_confidence = numberOf(form, "fallback.below_confidence") ?? null
  return { source, model: textOf(form, "fallback.model"), below_confidence }
}

/** The changed members alone: a floor that comes from the evidence stays one of the evidence. */
const guardOf = (form: FormData, before: Settings["guard"]): NonNullable<DeploymentUpdate["guard"]> | null => {
  const onBreach = textOf(form, "guard.on_breach")
  if (onBreach === off) return null
  const floor = numberOf(form, "guard.min_agreement") ?? null
  const verify_percent = numberOf(form, "guard.verify_percent")
  return {
    on_breach: onBreach === "notify" ? "notify" : "fallback",
    ...(verify_percent === undefined ? {} : { verify_percent }),
    ...(floor === (before?.min_agreement ?? null) ? {} : { min_agreement: floor })
  }
}

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)

/** What the form changes. */
const changesOf = (before: Settings, form: FormData): DeploymentUpdate => {
  const fallback = fallbackOf(form)
  const guard = guardOf(form, before.guard)
  const { fallback: oldFallback, guard: oldGuard } = before
  const keptFallback = oldFallback && {
    source: oldFallback.source,
    model: oldFallback.model,
    below_confidence: oldFallback.below_confidence
  }
  const keptGuard = oldGuard && { on_breach: oldGuard.on_breach, verify_percent: oldGuard.verify_percent }
  const student_model = textOf(form, "student_model")
  const fields = textOf(form, "fields") === "closed_only" ? "closed_only" : "whole"
  const on_fallback_failure = textOf(form, "on_fallback_failure") === "answer" ? "answer" : "fail"
  const [percent, timeout] = [numberOf(form, "traffic_percent"), numberOf(form, "timeout_ms")]
  return {
    ...(student_model === before.student_model ? {} : { student_model }),
    ...(fields === before.fields ? {} : { fields }),
    ...(on_fallback_failure === before.on_fallback_failure ? {} : { on_fallback_failure }),
    ...(percent === undefined || percent === before.traffic_percent ? {} : { traffic_percent: percent }),
    ...(timeout === undefined || timeout === before.timeout_ms ? {} : { timeout_ms: timeout }),
    ...(isSame(fallback, keptFallback) ? {} : { fallback }),
    ...(isSame(guard, keptGuard) ? {} : { guard })
  }
}

const StudentFields = ({
  fields,
  student_model,
  students
}: Pick<Settings, "fields" | "student_model"> & Pick<Choices, "students">) => (
  <>
    <Select
      label="Student"
      name="student_model"
      defaultValue={student_model}
      options={students}
      hint="The server compares another student with this one on the holdout rows that both answered"
    />
    <Select label="The student gives" name="fields" defaultValue={fields} options={Object.entries(wordsOfFields)} />
  </>
)

interface FallbackFieldsProps extends Pick<Settings, "fallback" | "on_fallback_failure"> {
  readonly sources: Choices["sources"]
}

const FallbackFields = ({ fallback, on_fallback_failure, sources }: FallbackFieldsProps) => (
  <>
    <Select
      label="The fallback's source"
      name="fallback.source"
      defaultValue={fallback?.source ?? ""}
      options={[["", "none"], ...sources]}
    />
    <Input label="The fallback's model" name="fallback.model" defaultValue={fallback?.model} />
    <Input
      label="Threshold"
      name="fallback.below_confidence"
      type="number"
      min="0"
      max="1"
      step="any"
      defaultValue={fallback?.below_confidence ?? ""}
      hint="The fallback answers where the student is less sure; empty: never for that reason"
    />
    <Select
      label="When the fallback fails"
      name="on_fallback_failure"
      defaultValue={on_fallback_failure}
      options={Object.entries(wordsOfFailure)}
    />
  </>
)

const GuardFields = ({ guard }: Pick<Settings, "guard">) => (
  <>
    <Input
      label="Floor of the agreement"
      name="guard.min_agreement"
      type="number"
      min="0"
      max="1"
      step="any"
      defaultValue={guard?.min_agreement ?? ""}
      hint="From 0 to 1; empty: the lower end of the student's evidence"
    />
    <Input
      label="Compared, in percent of the student's answers"
      name="guard.verify_percent"
      type="number"
      min="0"
      max="100"
      step="any"
      defaultValue={guard?.verify_percent ?? ""}
    />
    <Select
      label="When the agreement falls below the floor"
      name="guard.on_breach"
      defaultValue={guard?.on_breach ?? off}
      options={[
        ["fallback", "the fallback answers"],
        ["notify", "the student still answers, and an event tells you"],
        [off, "the guard is off: nobody watches"]
      ]}
    />
  </>
)

/** A refusal of the server stands at its field. */
export const ChangeSettings = ({ settings, sources, students }: Choices & { readonly settings: Settings }) => {
  const client = useClient()
  return (
    <Ask
      button="Change…"
      title={`Settings of ${settings.model}`}
      does="Change"
      disabled={settings.status === "retired"}
      act={(form) => client.deployments.update(settings.id, changesOf(settings, form))}
    >
      <StudentFields {...settings} students={students} />
      <Input
        label="Share of calls for the student, in percent"
        name="traffic_percent"
        type="number"
        min="0"
        max="100"
        step="any"
        defaultValue={settings.traffic_percent}
        required
      />
      <FallbackFields {...settings} sources={sources} />
      <GuardFields guard={settings.guard} />
      <Input
        label="Time limit of the student, in milliseconds"
        name="timeout_ms"
        type="number"
        min="1"
        step="1"
        defaultValue={settings.timeout_ms}
        required
      />
    </Ask>
  )
}
