/**
 * Simulated deployments under a guard, without a server: a steady student, one with the rhythm of a week, a fall of ten points at once
 * and a slow one, at three floors and two sizes of the holdout; and traffic with new labels in half of the calls. BENCH_DEPLOYMENTS:
 * deployments of each.
 */
import * as GuardTrials from "./GuardTrials.ts"
import * as NewLabelTrials from "./NewLabelTrials.ts"
import * as Table from "./Table.ts"

const deployments = Number(process.env["BENCH_DEPLOYMENTS"] ?? 1_000)
const floors = [0.85, 0.9, 0.95]
const holdouts = [300, 1_000]
const labels = [2, 10, 77]

const lineOf = (floor: number, rows: number): ReadonlyArray<string> => {
  const agreement = GuardTrials.agreementAt(floor, rows)
  const outcomeOf = (name: GuardTrials.ShapeName) => GuardTrials.outcomeOf(name, { agreement, rows }, deployments)
  const [steady, weekly, sudden, slow] = [
    outcomeOf("steady"),
    outcomeOf("weekly"),
    outcomeOf("sudden"),
    outcomeOf("slow")
  ]
  return [
    Table.figure(floor, 2),
    Table.figure(rows),
    Table.percent(agreement),
    Table.percent(steady.falseAlarms),
    Table.percent(weekly.falseAlarms),
    Table.percent(sudden.found ?? 0),
    Table.percent(slow.found ?? 0)
  ]
}

export const main = async (): Promise<void> => {
  const header = ["floor", "holdout", "agreement", "steady, guarded", "weekly, guarded", "sudden, found", "slow, found"]
  const lines = floors.flatMap((floor) => holdouts.map((rows) => lineOf(floor, rows)))
  Table.print(`\n${deployments} simulated deployments of each`, header, lines)
  Table.print(
    "\nNew labels in half of the traffic",
    ["known labels", "drift before", "noticed within 1,000 calls"],
    labels.map((count) => {
      const { falseAlarms, found } = NewLabelTrials.outcomeOf(count, deployments)
      return [Table.figure(count), Table.percent(falseAlarms), Table.percent(found)]
    })
  )
}
