/** The choice of two items of a list, to be compared. */
import { useState } from "react"

/** At most two: a third takes the place of the first. */
export const usePair = () => {
  const [chosen, setChosen] = useState<ReadonlyArray<string>>([])
  const toggle = (id: string) =>
    setChosen((before) => (before.includes(id) ? before.filter((other) => other !== id) : [...before, id].slice(-2)))
  return { chosen, toggle }
}
