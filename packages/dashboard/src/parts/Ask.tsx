/** A dialog with a form: performs its action, and shows failures. */
import { Dialog, DialogDescription, DialogDismiss, DialogHeading, useDialogStore } from "@ariakit/react"
import { ApiError } from "@limbeck/client"
import { createContext, type FormEvent, type ReactNode, useContext, useId, useState } from "react"
import { useAction } from "../app/Queries.ts"
import { useMayWrite } from "../app/Session.tsx"
import { Failure } from "./Failure.tsx"

interface Props<A> {
  /** On the button that opens it. */
  readonly button: string
  readonly tone?: "primary" | "danger" | "quiet"
  readonly title: string
  readonly note?: ReactNode
  /** On the button that does it. */
  readonly does: string
  readonly act: (form: FormData) => Promise<A>
  readonly done?: (answer: A) => void
  /** Replaces the form after the action, for example with a secret shown once. */
  readonly shows?: (answer: A) => ReactNode
  readonly disabled?: boolean
  readonly children?: ReactNode
}

interface FormProps<A> extends Props<A> {
  readonly close: () => void
}

interface FieldFailure {
  readonly field: string
  readonly message: string
}

/** What the server refused in one field of the form. */
const FieldFailureContext = createContext<FieldFailure | null>(null)

/** The field that a refusal is about, by the API's name for it: `guard` is about the first of `guard.…`. */
const fieldFailureOf = (error: unknown, fields: ReadonlyArray<string>): FieldFailure | null => {
  if (!(error instanceof ApiError) || error.param === null) return null
  const { message, param } = error
  const field =
    fields.find((name) => name === param) ??
    fields.find((name) => name.startsWith(`${param}.`) || param.startsWith(`${name}.`) || param.startsWith(`${name}[`))
  return field === undefined ? null : { field, message }
}

const AskForm = <A,>({ act, children, close, does, done, note, shows, title, tone }: FormProps<A>) => {
  const action = useAction(act, (answer) => {
    if (shows === undefined) close()
    done?.(answer)
  })
  const [fields, setFields] = useState<ReadonlyArray<string>>([])
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    setFields([...form.keys()])
    action.mutate(form)
  }
  const refused = fieldFailureOf(action.error, fields)
  const after = shows !== undefined && action.data !== undefined ? shows(action.data) : undefined
  return (
    <form onSubmit={submit}>
      <DialogHeading className="dialog-title">{title}</DialogHeading>
      {note !== undefined && <DialogDescription className="soft">{note}</DialogDescription>}
      {after ?? <FieldFailureContext value={refused}>{children}</FieldFailureContext>}
      {refused === null && <Failure error={action.error} />}
      <div className="dialog-actions">
        <DialogDismiss className="quiet">{after === undefined ? "Cancel" : "Close"}</DialogDismiss>
        {after === undefined && (
          <button type="submit" className={tone ?? "primary"} disabled={action.isPending}>
            {does}
          </button>
        )}
      </div>
    </form>
  )
}

export const Ask = <A,>(props: Props<A>) => {
  const dialog = useDialogStore()
  const mayWrite = useMayWrite()
  return (
    <>
      <button
        type="button"
        className={props.tone ?? ""}
        disabled={props.disabled === true || !mayWrite}
        onClick={dialog.show}
      >
        {props.button}
      </button>
      <Dialog store={dialog} className="dialog" backdrop={<div className="backdrop" />} unmountOnHide>
        <AskForm {...props} close={dialog.hide} />
      </Dialog>
    </>
  )
}

interface FieldProps {
  readonly label: string
  readonly hint?: string
  /** Of the control in the form. */
  readonly name?: string | undefined
  readonly children: (attributes: FieldAttributes) => ReactNode
}

/** Of the control: they tie it to its label, and to what the server refused. */
interface FieldAttributes {
  readonly id: string
  readonly "aria-invalid"?: true
  readonly "aria-describedby"?: string
}

export const Field = ({ children, hint, label, name }: FieldProps) => {
  const id = useId()
  const failure = useContext(FieldFailureContext)
  const refused = failure !== null && failure.field === name ? failure.message : null
  const attributes =
    refused === null ? { id } : { id, "aria-invalid": true as const, "aria-describedby": `${id}-refused` }
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {children(attributes)}
      {refused !== null && (
        <span role="alert" className="field-error" id={`${id}-refused`}>
          {refused}
        </span>
      )}
      {hint !== undefined && <span className="soft">{hint}</span>}
    </div>
  )
}

interface InputProps extends React.InputHTMLAttributes<HTMLInputElement> {
  readonly label: string
  readonly hint?: string
}

export const Input = ({ hint, label, ...input }: InputProps) => (
  <Field label={label} name={input.name} {...(hint === undefined ? {} : { hint })}>
    {(attributes) => <input {...input} {...attributes} />}
  </Field>
)

/** What a run may cost. */
export const BudgetInput = () => (
  <Input
    label="At most, in US dollars"
    name="max_cost_usd"
    type="number"
    min="0"
    step="any"
    defaultValue="5"
    required
  />
)

interface SelectProps extends React.SelectHTMLAttributes<HTMLSelectElement> {
  readonly label: string
  readonly hint?: string
  readonly options: ReadonlyArray<readonly [value: string, name: string]>
}

export const Select = ({ hint, label, options, ...select }: SelectProps) => (
  <Field label={label} name={select.name} {...(hint === undefined ? {} : { hint })}>
    {(attributes) => (
      <select {...select} {...attributes}>
        {options.map(([value, name]) => (
          <option key={value} value={value}>
            {name}
          </option>
        ))}
      </select>
    )}
  </Field>
)
