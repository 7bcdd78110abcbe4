/** The way from an empty server to the first student, with what is done already. */
import type { ReactNode } from "react"
import { Link } from "wouter"
import { NewSource } from "../access/SourceForm.tsx"
import { apiBase } from "../app/Credentials.ts"
import { useSession } from "../app/Session.tsx"
import { Copy } from "../parts/Copy.tsx"
import { Section } from "../parts/Page.tsx"
import type { Loop } from "./Loop.ts"

const snippet = (base: string, token: string) => `import OpenAI from "openai"

const openai = new OpenAI({ baseURL: "${base}/v1/proxy", apiKey: "${token}" })
await openai.chat.completions.create({
  model: "your-model",
  messages: [{ role: "user", content: "Hello" }]
})`

interface StepProps {
  readonly done: boolean
  readonly title: string
  readonly children: ReactNode
}

const Step = ({ children, done, title }: StepProps) => (
  <li className={done ? "done" : "open"}>
    <h3>
      {title} {done && <span className="soft">(done)</span>}
    </h3>
    {!done && children}
  </li>
)

export const FirstSteps = ({ loop }: { readonly loop: Loop }) => {
  const { as, whoami } = useSession()
  const has = (name: keyof Loop) => loop[name].items.length > 0
  if (has("deployments")) return null
  return (
    <Section title="To your first student" note="Each step is a call of the API; here you do it by hand once.">
      <ol className="steps">
        <Step done={has("sources")} title="Say where your model is">
          <p>A source is a server that speaks the chat-completions API, with your key.</p>
          <NewSource />
        </Step>
        <Step done={has("calls") || has("uploads")} title="Send calls through the proxy, or upload rows">
          <p>Point your program at the proxy; each call is captured, and answered by your source as before.</p>
          <Copy
            label="a program with your address and token"
            text={snippet(apiBase(), as.kind === "token" ? as.token : "svc_…")}
            shown={snippet(apiBase(), "svc_…")}
          />
          <p>
            Or <Link href="/data">upload a file</Link> of JSON Lines, each with <code>messages</code>.
          </p>
        </Step>
        <Step done={has("datasets")} title="Make a dataset">
          <p>
            Choose <Link href="/calls">calls</Link> or an <Link href="/data">upload</Link>.
          </p>
        </Step>
        <Step done={has("runs")} title="Rehearse a run">
          <p>
            Open a version of the <Link href="/data">dataset</Link>, and have a recipe proposed. A rehearsal costs
            nothing.
          </p>
        </Step>
        <Step done={has("students") || !whoami.livemode} title="Train within your budget">
          <p>
            Approve the live run on the page of its <Link href="/runs">rehearsal</Link>.
          </p>
        </Step>
        <Step done={false} title="Deploy">
          <p>
            The <Link href="/reports">report</Link> says whether it pays. Begin in shadow: nothing that your users see
            changes.
          </p>
        </Step>
      </ol>
    </Section>
  )
}
