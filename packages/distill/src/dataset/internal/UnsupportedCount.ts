/** Counts calls that cannot be a row, by reason. */
import { type CallLine, isUnsupported, type UnsupportedCall } from "./CallRow.ts"

export class UnsupportedCount {
  readonly #reasons = new Map<string, number>()

  /** Whether the line may be a row; counts it otherwise. */
  isLine = (line: CallLine): line is Exclude<CallLine, UnsupportedCall> => {
    if (!isUnsupported(line)) return true
    if (line.calls > 0) this.#reasons.set(line.reason, (this.#reasons.get(line.reason) ?? 0) + line.calls)
    return false
  }

  get calls(): number {
    let sum = 0
    for (const calls of this.#reasons.values()) sum += calls
    return sum
  }

  /** Sorted by reason. */
  get reasons(): Readonly<Record<string, number>> {
    return Object.fromEntries([...this.#reasons].sort(([a], [b]) => (a < b ? -1 : 1)))
  }
}
