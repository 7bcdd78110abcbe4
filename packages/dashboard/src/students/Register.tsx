/** Registers a student trained elsewhere: by its address, or by an uploaded model file. */
import type { StudentModelCreate, Upload } from "@limbeck/client"
import { useLocation } from "wouter"
import { useClient } from "../app/Session.tsx"
import { Ask, Input } from "../parts/Ask.tsx"
import { numberOf, textOf } from "../parts/Forms.ts"

const Names = () => (
  <>
    <Input label="Name" name="name" required maxLength={64} />
    <Input label="Base model" name="base_model" required maxLength={64} hint="Of which it was made" />
  </>
)

interface RegisterProps {
  readonly button: string
  readonly note: string
  /** The fields specific to the kind of registration. */
  readonly how: (form: FormData) => Pick<StudentModelCreate, "endpoint" | "artifact">
  readonly children?: React.ReactNode
}

const Register = ({ button, children, how, note }: RegisterProps) => {
  const client = useClient()
  const [, go] = useLocation()
  const create = (form: FormData) =>
    client.studentModels.create({
      name: textOf(form, "name"),
      base_model: textOf(form, "base_model"),
      ...how(form)
    })
  return (
    <Ask
      button={button}
      tone="primary"
      title={button}
      note={note}
      does="Register"
      act={create}
      done={({ id }) => go(`/students/${id}`)}
    >
      <Names />
      {children}
    </Ask>
  )
}

const endpointOf = (form: FormData) => {
  const [api_key, input, output] = [textOf(form, "api_key"), numberOf(form, "input"), numberOf(form, "output")]
  return {
    base_url: textOf(form, "base_url"),
    model: textOf(form, "model"),
    ...(api_key === "" ? {} : { api_key }),
    ...(input === undefined ? {} : { input_per_million: input }),
    ...(output === undefined ? {} : { output_per_million: output })
  }
}

const price = { type: "number", min: "0", step: "any", hint: "US dollars for a million tokens" }

export const RegisterEndpoint = () => (
  <Register
    button="Register a student"
    note="One that was trained elsewhere and answers chat completions. It is evaluated, compared and guarded like any other."
    how={(form) => ({ endpoint: endpointOf(form) })}
  >
    <Input
      label="Address"
      name="base_url"
      type="url"
      required
      placeholder="https://api.example.com/v1"
      hint="With /v1 at its end"
    />
    <Input label="Model" name="model" required maxLength={255} hint="As its server names it" />
    <Input
      label="API key"
      name="api_key"
      type="password"
      autoComplete="off"
      hint="It is stored encrypted, and never shown again"
    />
    <Input label="Price of input" name="input" {...price} />
    <Input label="Price of output" name="output" {...price} />
  </Register>
)

export const RegisterUpload = ({ upload: { id, sha256 } }: { readonly upload: Upload }) => (
  <Register
    button="Register as a student"
    note="This server serves the model itself, where it is set up to."
    how={() => ({ artifact: { upload: id, sha256: sha256 ?? "" } })}
  />
)
