/**
 * Answers of two fields, learnt field by field or as one label: on public sentences with origin and sentiment, which are
 * dependent, and on pairs of sentences with one's language and the other's origin, which are independent; with all
 * combinations, and tested with combinations absent from training.
 */
import * as StudentSet from "./StudentSet.ts"
import * as StudentTrial from "./StudentTrial.ts"
import * as Table from "./Table.ts"

type Texts = ReadonlyArray<StudentSet.Text>

const [plain] = StudentSet.wrappings
if (plain === undefined) throw new Error("there is no wrapping")

const jsonOf = (label: string): string => {
  const [first = "", second = ""] = label.split("/")
  return JSON.stringify({ first, second })
}
const ways = { "field by field": { ...plain, answer: jsonOf }, "one label": plain }

const languagesMax = 30

/** Pairs each sentence of some languages with one of another set, in the same split. */
const joined = (): Texts => {
  const languages = StudentSet.read("languages")
  const some = new Set([...new Set(languages.map(({ gold }) => gold))].sort().slice(0, languagesMax))
  const others = Object.groupBy(StudentSet.read("origins"), ({ split }) => split)
  return languages
    .filter(({ gold, teacher }) => some.has(gold) && some.has(teacher))
    .map((one, index) => {
      const beside = others[one.split] ?? []
      const other = beside[index % beside.length] ?? one
      return {
        split: one.split,
        text: `${one.text}\n${other.text}`,
        gold: `${one.gold}/${other.gold}`,
        teacher: `${one.teacher}/${other.teacher}`
      }
    })
}

/** Every fifth combination is left out of train and holdout, and tested with. */
const withheld = (texts: Texts): Texts => {
  const left = new Set([...new Set(texts.map(({ gold }) => gold))].sort().filter((_, index) => index % 5 === 0))
  return texts.filter(({ gold, split, teacher }) =>
    split === "test" ? left.has(gold) : !left.has(gold) && !left.has(teacher)
  )
}

const figures = ({ agreement, answered, calibrationError, cascadeRight, right, seconds }: StudentTrial.Trial) => [
  Table.percent(right),
  Table.percent(agreement),
  Table.percent(answered),
  Table.percent(cascadeRight),
  Table.figure(calibrationError, 3),
  Table.figure(seconds, 1)
]

export const main = async (): Promise<void> => {
  await StudentSet.prepare(["both", "languages", "origins"])
  const sets = { "origin and sentiment": StudentSet.read("both"), "language and origin": joined() }
  const lines: Array<ReadonlyArray<string>> = []
  for (const [name, all] of Object.entries(sets)) {
    for (const [tested, texts] of Object.entries({ all, "not in train": withheld(all) })) {
      const labels = new Set(texts.map(({ gold }) => gold)).size
      for (const [way, wrapping] of Object.entries(ways)) {
        const trial = await StudentTrial.of(texts, wrapping)
        lines.push([name, Table.figure(labels), tested, way, ...figures(trial)])
      }
    }
  }
  Table.print(
    "both fields right; agreement, threshold and ECE by the teacher",
    ["fields", "combinations", "tested with", "learnt", "right", "agreement", "answered", "cascade", "ECE", "seconds"],
    lines
  )
}
