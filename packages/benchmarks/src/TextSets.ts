/** The sets of the student benchmarks by name: those made on demand, and those of the folder BENCH_SETS (`DecisionSets`). */
import * as FolderSets from "./FolderSets.ts"
import * as StudentSet from "./StudentSet.ts"

export type Texts = ReadonlyArray<StudentSet.Text>

/** `names`: of some sets; empty: all. `rowsMax`: the train rows, so that equal sets suit a small and a large machine. */
export const read = async (
  names: ReadonlyArray<string>,
  rowsMax = Number.POSITIVE_INFINITY
): Promise<ReadonlyMap<string, Texts>> => {
  const folder = process.env["BENCH_SETS"]
  const own = folder === undefined ? new Map<string, Texts>() : FolderSets.read(folder)
  const others = names.filter((name) => !own.has(name))
  const prepared = names.length > 0 && others.length === 0 ? [] : Object.keys(await StudentSet.prepare(others))
  const chosen = [...own].filter(([name]) => names.length === 0 || names.includes(name))
  const shortened = (texts: Texts): Texts => {
    const train = texts.filter(({ split }) => split === "train").slice(0, rowsMax)
    return [...train, ...texts.filter(({ split }) => split !== "train")]
  }
  return new Map(
    [...prepared.map((name) => [name, StudentSet.read(name)] as const), ...chosen].map(([name, texts]) => [
      name,
      shortened(texts)
    ])
  )
}
