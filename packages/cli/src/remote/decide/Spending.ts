/** Keeps what requests cost below a most: no request begins that could pass it, judged by the dearest so far. Pure. */

export interface Spending {
  /** Whether another request may begin now. `wait`: once one under way has ended, perhaps; `over`: none may any more. */
  readonly next: () => "go" | "wait" | "over"
  readonly begin: () => void
  readonly end: (costUsd: number) => void
  readonly spentUsd: () => number
}

/** `spentUsd`: by an earlier command. `dearestUsd`: its dearest request; null: none has cost anything, and requests go one at a time. */
export const make = (maxUsd: number, spentUsd: number, dearestUsd: number | null): Spending => {
  let spent = spentUsd
  let dearest = dearestUsd
  let open = 0
  return {
    next: () => {
      if (spent >= maxUsd || (dearest !== null && spent + dearest > maxUsd)) return open > 0 ? "wait" : "over"
      if (dearest === null) return open === 0 ? "go" : "wait"
      return spent + (open + 1) * dearest > maxUsd ? "wait" : "go"
    },
    begin: () => {
      open++
    },
    end: (costUsd) => {
      open--
      spent += costUsd
      if (costUsd > 0) dearest = Math.max(dearest ?? 0, costUsd)
    },
    spentUsd: () => spent
  }
}
