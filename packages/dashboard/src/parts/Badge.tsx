/** A state, by its word and by a colour that only repeats it. */
import { classOfState } from "./Tones.ts"

export const Badge = ({ of }: { readonly of: string }) => (
  <span className={classOfState(of)}>{of.replaceAll("_", " ")}</span>
)
