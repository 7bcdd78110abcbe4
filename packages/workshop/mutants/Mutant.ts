/** A mistake made on purpose. The tests that are named with it must catch it. */
export interface Mutant {
  readonly name: string
  readonly file: string
  readonly edits: ReadonlyArray<Edit>
  /** Arguments of vitest: the project, and the files that should catch it. */
  readonly tests: ReadonlyArray<string>
}

interface Edit {
  /** Stands in the file exactly once. */
  readonly find: string
  readonly replace: string
}

export const memory = ["--project", "storage-memory"]
export const postgres = ["--project", "storage-postgres"]
/** Engines that are killed and frozen, by one word of the test's name. */
export const crash = (word: string) => ["--project", "limbeck", "crash", "-t", word]

/** The source with the mistake. Null when the source has changed, so that there is no such mistake to make any more. */
export const mistaken = (source: string, { edits }: Mutant): string | null =>
  edits.reduce<string | null>(
    (text, { find, replace }) => (text?.split(find).length === 2 ? text.replace(find, () => replace) : null),
    source
  )
