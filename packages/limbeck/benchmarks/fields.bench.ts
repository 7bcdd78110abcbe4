/**
 * Answers of two fields, learnt field by field against the whole as one label: on public sentences with their origin and
 * their sentiment, and on combinations of the two that no train row has.
 */
import * as StudentSet from "./StudentSet.ts"
import * as StudentTrial from "./StudentTrial.ts"
import * as Table from "./Table.ts"

const name = "both"
/** Left out of train and holdout, and tested with. */
const withheld: ReadonlyArray<string> = ["tweet/negative", "film/neutral", "product/positive"]

const [plain] = StudentSet.wrappings
if (plain === undefined) throw new Error("there is no wrapping")

const jsonOf = (label: string): string => {
  const [origin = "", sentiment = ""] = label.split("/")
  return JSON.stringify({ origin, sentiment })
}
const ways = { "field by field": { ...plain, answer: jsonOf }, "one label": plain }

const isWithheld = ({ gold, teacher }: StudentSet.Text): boolean =>
  withheld.includes(gold) || withheld.includes(teacher)

const figures = ({ agreement, answered, calibrationError, cascadeRight, right, seconds }: StudentTrial.Trial) => [
  Table.percent(right),
  Table.percent(agreement),
  Table.percent(answered),
  Table.percent(cascadeRight),
  Table.figure(calibrationError, 3),
  Table.figure(seconds, 1)
]

export const main = async (): Promise<void> => {
  await StudentSet.prepare([name])
  const texts = StudentSet.read(name)
  const sets = {
    "all combinations": texts,
    "those that no train row has": texts.filter((one) => isWithheld(one) === (one.split === "test"))
  }
  const lines: Array<ReadonlyArray<string>> = []
  for (const [set, rows] of Object.entries(sets)) {
    for (const [way, wrapping] of Object.entries(ways)) {
      lines.push([set, way, ...figures(await StudentTrial.of(rows, wrapping))])
    }
  }
  Table.print(
    "origin and sentiment of a sentence, both right; agreement, threshold and ECE by the teacher",
    ["tested with", "learnt", "right", "agreement", "answered", "cascade", "ECE", "seconds"],
    lines
  )
}
