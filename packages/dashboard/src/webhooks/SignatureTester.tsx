/** Says why a signature is not valid. All of it happens in the browser: the secret is sent nowhere. */
import { type Verification, verify } from "@limbeck/client/webhooks/verify"
import { type FormEvent, useState } from "react"
import { Field, Input } from "../parts/Ask.tsx"
import { Page, Section } from "../parts/Page.tsx"

/** The receiver's clock does not matter here: old signatures are checked as well. */
const anyTime = { toleranceSeconds: Number.MAX_SAFE_INTEGER }

const Result = ({ of }: { readonly of: Verification }) =>
  of.valid ? (
    <p className="notice good">
      The signature is valid: it is of the event <code>{of.event.id}</code>, {of.event.type}.
    </p>
  ) : (
    <p className="notice" role="alert">
      Not valid ({of.reason.replaceAll("_", " ")}): {of.hint}
    </p>
  )

export default function SignatureTester() {
  const [result, setResult] = useState<Verification | null>(null)
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    // A form sends its line ends as CRLF; a body has none of these.
    const body = String(form.get("body")).replaceAll("\r\n", "\n")
    setResult(await verify(body, String(form.get("signature")).trim(), String(form.get("secret")).trim(), anyTime))
  }
  return (
    <Page title="Test a signature" from={["/webhooks", "Webhooks"]}>
      <Section title="What your receiver got" note="Nothing of it leaves this page.">
        <form onSubmit={submit} className="stack">
          <Input label="Secret" name="secret" type="password" autoComplete="off" required placeholder="whsec_…" />
          <Input label="Signature header" name="signature" required placeholder="t=…,v1=…" />
          <Field label="Body, as it came">
            {(field) => <textarea {...field} name="body" rows={8} required spellCheck={false} />}
          </Field>
          <button type="submit" className="primary">
            Test
          </button>
        </form>
        <div aria-live="polite">{result !== null && <Result of={result} />}</div>
      </Section>
    </Page>
  )
}
