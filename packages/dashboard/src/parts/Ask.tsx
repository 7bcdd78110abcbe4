/** A dialog with a form: performs its action, and shows failures. */
import { Dialog, DialogDescription, DialogDismiss, DialogHeading, useDialogStore } from "@ariakit/react"
import { type FormEvent, type ReactNode, useId } from "react"
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

const AskForm = <A,>({ act, children, close, does, done, note, shows, title, tone }: FormProps<A>) => {
  const action = useAction(act, (answer) => {
    if (shows === undefined) close()
    done?.(answer)
  })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    action.mutate(new FormData(event.currentTarget))
  }
  const after = shows !== undefined && action.data !== undefined ? shows(action.data) : undefined
  return (
    <form onSubmit={submit}>
      <DialogHeading className="dialog-title">{title}</DialogHeading>
      {note !== undefined && <DialogDescription className="soft">{note}</DialogDescription>}
      {after ?? children}
      <Failure error={action.error} />
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
  readonly children: (id: string) => ReactNode
}

export const Field = ({ children, hint, label }: FieldProps) => {
  const id = useId()
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {children(id)}
      {hint !== undefined && <span className="soft">{hint}</span>}
    </div>
  )
}

interface InputProps extends React.InputHTMLAttributes<HTMLInputElement> {
  readonly label: string
  readonly hint?: string
}

export const Input = ({ hint, label, ...input }: InputProps) => (
  <Field label={label} {...(hint === undefined ? {} : { hint })}>
    {(id) => <input id={id} {...input} />}
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
  <Field label={label} {...(hint === undefined ? {} : { hint })}>
    {(id) => (
      <select id={id} {...select}>
        {options.map(([value, name]) => (
          <option key={value} value={value}>
            {name}
          </option>
        ))}
      </select>
    )}
  </Field>
)
