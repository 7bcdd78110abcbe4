/** A state, by its word and by a colour that only repeats it. */
import { classOfState } from "./Tones.ts"
import { wordOfState } from "./Words.ts"

export const Badge = ({ of }: { readonly of: string }) => <span className={classOfState(of)}>{wordOfState(of)}</span>
