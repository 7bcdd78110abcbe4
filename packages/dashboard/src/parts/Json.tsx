/** JSON as it is, to read. */
import { Scrolled } from "./Scrolled.tsx"

interface Props {
  readonly of: unknown
  readonly label: string
}

export const Json = ({ label, of }: Props) => (
  <Scrolled label={label} className="text">
    <pre>{typeof of === "string" ? of : JSON.stringify(of, null, 2)}</pre>
  </Scrolled>
)
