/** Words of static embeddings, without the tokenizer that reads them: training threads load no more than they use. */

/** What a student keeps of its table: the folder's name in `MODELS_DIR`, and the SHA-256 of both files; hex. */
export interface TableReference {
  readonly name: string
  readonly sha256: string
}

export interface EmbeddingTable extends TableReference {
  readonly dimensions: number
  /** Writes the mean of the tokens' vectors, of length 1, or zeros without a known token. */
  readonly pool: (text: string, into: Float32Array) => void
}

/** Why a folder cannot be read as a table, for a person. */
export class TableUnreadable {
  readonly reason: string
  constructor(name: string, reason: string) {
    this.reason = `The static embeddings ${name} cannot be read: ${reason}`
  }
}

export type TableResult = EmbeddingTable | TableUnreadable

export interface Tables {
  /** The table for new trainings and its folder; null: none is set up. */
  readonly trainingTable: () => { readonly folder: string; readonly table: EmbeddingTable } | TableUnreadable | null
  /** The table of a student; unreadable also if the files have changed since its training. */
  readonly find: (of: TableReference) => TableResult
}

/** Without a folder of models. */
export const none: Tables = {
  trainingTable: () => null,
  find: ({ name }) => new TableUnreadable(name, "this server has no folder of models (MODELS_DIR)")
}
