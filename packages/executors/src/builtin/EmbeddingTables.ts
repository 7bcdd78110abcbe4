/** The static embeddings of a folder of models: each is read when first needed, and shared by all students of the process. */
import path from "node:path"
import { isName } from "../internal/ModelsDir.ts"
import * as EmbeddingTable from "./tables/EmbeddingTable.ts"
import { type EmbeddingTable as Table, type TableResult, type Tables, TableUnreadable } from "./tables/Tables.ts"

/** `name`: the folder in `modelsDir` of the table for new trainings; null: they use none. */
export const make = (modelsDir: string, name: string | null = null): Tables => {
  const tables = new Map<string, Table>()
  const open = (name: string): TableResult => {
    const known = tables.get(name)
    if (known !== undefined) return known
    if (!isName(name)) return new TableUnreadable(name, "this is no name of a folder in MODELS_DIR")
    const table = EmbeddingTable.open(path.join(modelsDir, name), name)
    if (!(table instanceof TableUnreadable)) tables.set(name, table)
    return table
  }
  return {
    trainingTable: () => {
      if (name === null) return null
      const table = open(name)
      return table instanceof TableUnreadable ? table : { folder: path.join(modelsDir, name), table }
    },
    find: ({ name, sha256 }) => {
      const table = open(name)
      return table instanceof TableUnreadable || table.sha256 === sha256
        ? table
        : new TableUnreadable(name, "its files are not those that the student was trained with")
    }
  }
}
