/**
 * Labelled texts from a folder, in `NAME.json`: `{"train": [[text, label], …], "test": […]}`, the form of CLINC150's own file. The rows
 * of the teacher and those of the student are disjoint.
 */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"

export interface LabelledText {
  readonly text: string
  readonly label: string
}

export interface DecisionSet {
  readonly name: string
  /** Sorted, as the options of the question. */
  readonly labels: ReadonlyArray<string>
  /** By label, in the order of the file. */
  readonly teacher: ReadonlyArray<ReadonlyArray<LabelledText>>
  readonly student: ReadonlyArray<ReadonlyArray<LabelledText>>
  readonly test: ReadonlyArray<LabelledText>
}

/** Of each label's train rows: what the teacher learns from. The rest is for students. */
const teacherShare = 0.6
/** CLINC150's label for texts of no label. */
const outside = "oos"

type Pairs = ReadonlyArray<readonly [string, string]>

const textsOf = (pairs: Pairs): ReadonlyArray<LabelledText> =>
  pairs.flatMap(([text, label]) => (label === outside ? [] : [{ text, label }]))

const read = (folder: string, file: string): DecisionSet => {
  // A file in the form above.
  const { test, train } = JSON.parse(readFileSync(join(folder, file), "utf8")) as {
    readonly train: Pairs
    readonly test: Pairs
  }
  const groups = Map.groupBy(textsOf(train), ({ label }) => label)
  const labels = [...groups.keys()].sort()
  const splits = labels.map((label) => {
    const texts = groups.get(label) ?? []
    const at = Math.ceil(texts.length * teacherShare)
    return [texts.slice(0, at), texts.slice(at)] as const
  })
  return {
    name: file.replace(".json", ""),
    labels,
    teacher: splits.map(([teacher]) => teacher),
    student: splits.map(([, student]) => student),
    test: textsOf(test)
  }
}

/** All sets of the folder. */
export const inFolder = (folder: string): ReadonlyArray<DecisionSet> =>
  readdirSync(folder)
    .filter((file) => file.endsWith(".json"))
    .map((file) => read(folder, file))
