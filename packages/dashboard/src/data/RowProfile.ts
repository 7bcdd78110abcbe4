/** What rows look like together: how often each answer occurs, how long prompts are. */

/** A row as a table shows it. */
interface Row {
  readonly prompt: string
  readonly completion: string
  readonly split: string
  /** Of all its messages. */
  readonly characters: number
}

interface Profile {
  /** The most frequent first; none where nearly every row has its own. */
  readonly labels: ReadonlyArray<{ readonly label: string; readonly of: number }>
  readonly lengths: { readonly min: number | null; readonly median: number | null; readonly max: number | null }
}

const labelsMax = 20

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null

const textOf = (content: unknown): string =>
  typeof content === "string" ? content : content === null || content === undefined ? "" : JSON.stringify(content)

const contentOf = (message: unknown): string => textOf(isObject(message) ? message["content"] : message)

export const rowOf = (value: unknown): Row => {
  const row = isObject(value) ? value : {}
  const messages = Array.isArray(row["messages"]) ? row["messages"] : []
  const completion = row["completion"]
  return {
    prompt: contentOf(messages.at(-1)),
    completion: typeof completion === "string" ? completion : contentOf(completion),
    split: textOf(row["split"]),
    characters: messages.reduce<number>((sum, message) => sum + contentOf(message).length, 0)
  }
}

const labelsOf = (rows: ReadonlyArray<Row>): Profile["labels"] => {
  const counts = new Map<string, number>()
  for (const { completion } of rows) counts.set(completion, (counts.get(completion) ?? 0) + 1)
  if (counts.size > rows.length / 2) return []
  return [...counts]
    .sort((left, right) => right[1] - left[1])
    .slice(0, labelsMax)
    .map(([label, times]) => ({ label, of: times / rows.length }))
}

export const profileOf = (values: ReadonlyArray<unknown>): Profile => {
  const rows = values.map(rowOf)
  const sorted = rows.map(({ characters }) => characters).sort((left, right) => left - right)
  const at = (index: number) => sorted.at(index) ?? null
  return { labels: labelsOf(rows), lengths: { min: at(0), median: at(Math.floor(sorted.length / 2)), max: at(-1) } }
}
