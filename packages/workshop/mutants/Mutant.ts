/** A deliberate mistake. Its named tests must catch it. */
export interface Mutant {
  readonly name: string
  readonly file: string
  readonly edits: ReadonlyArray<Edit>
  /** Arguments of vitest: the project, and the test files. */
  readonly tests: ReadonlyArray<string>
}

interface Edit {
  /** Stands in the file exactly once. */
  readonly find: string
  readonly replace: string
}

export const memory = ["--project", "storage-memory"]
export const postgres = ["--project", "storage-postgres"]
/** Tests with killed and frozen engines, by one word of the test's name. */
export const crash = (word: string) => ["--project", "limbeck", "crash", "-t", word]

/** The source with the mistake. Null if the source has changed, so that the edit no longer applies. */
export const mistaken = (source: string, { edits }: Mutant): string | null =>
  edits.reduce<string | null>(
    (text, { find, replace }) => (text?.split(find).length === 2 ? text.replace(find, () => replace) : null),
    source
  )
