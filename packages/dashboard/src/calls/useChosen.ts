/** The calls that were chosen in the list, by id: they stay chosen while the list grows. */
import type { CapturedCall } from "@limbeck/client"
import { useCallback, useMemo, useState } from "react"
import type { Choice } from "../parts/ItemTable.tsx"

export interface ChosenCalls {
  readonly ids: ReadonlyArray<string>
  readonly choice: Choice<CapturedCall>
  readonly drop: (ids: ReadonlyArray<string>) => void
}

export const useChosen = (): ChosenCalls => {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const set = useCallback((ids: ReadonlyArray<string>, isChosen: boolean) => {
    setChosen((before) => {
      const after = new Set(before)
      for (const id of ids) isChosen ? after.add(id) : after.delete(id)
      return after
    })
  }, [])
  const choose = useCallback(
    (calls: ReadonlyArray<CapturedCall>, isChosen: boolean) =>
      set(
        calls.map(({ id }) => id),
        isChosen
      ),
    [set]
  )
  const drop = useCallback((ids: ReadonlyArray<string>) => set(ids, false), [set])
  return useMemo(
    () => ({
      ids: [...chosen],
      drop,
      choice: { choose, isChosen: ({ id }) => chosen.has(id), label: ({ created_at }) => `The call of ${created_at}` }
    }),
    [choose, chosen, drop]
  )
}
