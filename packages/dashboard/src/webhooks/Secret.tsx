/** The new secret of an endpoint. */
import { Copy } from "../parts/Copy.tsx"

export const Secret = ({ secret }: { readonly secret: string }) => (
  <>
    <p>This is the only time that the secret is shown. Your receiver verifies signatures with it.</p>
    <Copy label="the secret" text={secret} />
  </>
)
