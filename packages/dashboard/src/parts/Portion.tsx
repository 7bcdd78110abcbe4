/** A list that may be long: its first items, and a button for the next ones. */
import { type ReactNode, useState } from "react"
import { DrawingLimits } from "../large/Limits.ts"
import { count } from "./Words.ts"

interface PortionOf<A> {
  readonly shown: ReadonlyArray<A>
  /** Null where all are shown. */
  readonly more: ReactNode
}

/** `label`: what the items are, in the plural. */
export const usePortion = <A,>(
  items: ReadonlyArray<A>,
  label: string,
  size: number = DrawingLimits.itemsMax
): PortionOf<A> => {
  const [portions, setPortions] = useState(1)
  const shown = items.slice(0, portions * size)
  const left = items.length - shown.length
  const more =
    left === 0 ? null : (
      <button type="button" className="more" onClick={() => setPortions(portions + 1)}>
        Show more of {count(left)} {label}
      </button>
    )
  return { shown, more }
}
