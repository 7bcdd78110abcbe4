/** What a client sees of a mode in a scenario, without what two servers may choose: ids, times and secrets. */

export interface SeenAnswer {
  readonly request: string
  readonly status: number
  readonly body: unknown
}

const id = /\b(?:[a-z]{2,5})_[0-9a-hjkmnp-tv-z]{26}\b/g
const instant = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g

/** Members whose values differ by chance, clock or key, beside milliseconds; whether they are null is compared. */
const chosen = new Set([
  "created",
  "delivery_stats",
  "last4",
  "next_cursor",
  "plan_hash",
  "prefix",
  "secret",
  "token",
  "upload_url"
])

const millis = /_ms(_mean)?$/

/** The answers, with ids named by the order in which they appear. */
export class Trace {
  readonly answers: Array<SeenAnswer> = []
  readonly #names = new Map<string, string>()
  readonly #counts = new Map<string, number>()

  /** Ids in the order in which they appeared. */
  get ids(): ReadonlyArray<string> {
    return [...this.#names.keys()]
  }

  add(request: string, status: number, body: unknown) {
    this.answers.push({ request, status, body: this.#seen(body) })
  }

  #seen(value: unknown): unknown {
    if (typeof value === "string") return this.#seenText(value)
    if (Array.isArray(value)) return value.map((item) => this.#seen(item))
    if (typeof value !== "object" || value === null) return value
    return Object.fromEntries(
      Object.entries(value).map(([key, member]) => [
        key,
        (chosen.has(key) || millis.test(key)) && member !== null ? "(chosen)" : this.#seen(member)
      ])
    )
  }

  /** U+FFFD may stand for a NUL, which Postgres does not hold. */
  #seenText(text: string): string {
    const named = text.replaceAll(id, (found) => this.#name(found))
    return named.replaceAll(instant, "(time)").replaceAll("\0", "\ufffd")
  }

  #name(found: string): string {
    const named = this.#names.get(found)
    if (named !== undefined) return named
    const prefix = found.slice(0, found.indexOf("_") + 1)
    const count = (this.#counts.get(prefix) ?? 0) + 1
    const name = `${prefix}#${count}`
    this.#counts.set(prefix, count)
    this.#names.set(found, name)
    return name
  }
}
