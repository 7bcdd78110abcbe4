/** A button with an immediate action and its result. Disabled for viewers. */
import type { ReactNode } from "react"
import { useAction } from "../app/Queries.ts"
import { useMayWrite } from "../app/Session.tsx"
import { Failure } from "./Failure.tsx"

interface Props<A> {
  readonly button: string
  readonly tone?: "primary"
  readonly disabled?: boolean
  readonly act: () => Promise<A>
  /** Viewers may do it too. */
  readonly onlyReads?: boolean
  /** What is said once it was done. */
  readonly says?: (answer: A) => ReactNode
  readonly done?: (answer: A) => void
}

export const Do = <A,>({ act, button, disabled = false, done, onlyReads = false, says, tone }: Props<A>) => {
  const action = useAction(act, done)
  const mayWrite = useMayWrite()
  const { data } = action
  return (
    <>
      <button
        type="button"
        className={tone ?? ""}
        disabled={disabled || !(mayWrite || onlyReads) || action.isPending}
        onClick={() => action.mutate(undefined)}
      >
        {button}
      </button>
      {says !== undefined && <output>{data !== undefined && says(data)}</output>}
      <Failure error={action.error} />
    </>
  )
}
