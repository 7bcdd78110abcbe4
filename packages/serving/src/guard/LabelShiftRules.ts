/**
 * Whether the labels of a deployment's calls have changed, whoever answered them: compares how often each label stands in the first
 * and in the last calls. Rare labels of both samples count as one label, so that many new labels are a shift too. Pure.
 */
import * as CallDriftRules from "./CallDriftRules.ts"

/** A label with fewer calls in both windows together tells nothing by itself. */
const ownMin = 10

const countsOf = (answers: ReadonlyArray<number>): ReadonlyMap<number, number> => {
  const counts = new Map<number, number>()
  for (const answer of answers) counts.set(answer, (counts.get(answer) ?? 0) + 1)
  return counts
}

/** The calls of each label, of the rare ones together, in both windows. */
const groupsOf = (before: ReadonlyMap<number, number>, now: ReadonlyMap<number, number>) => {
  const rare = { before: 0, now: 0 }
  const groups = [rare]
  for (const label of new Set([...before.keys(), ...now.keys()])) {
    const group = { before: before.get(label) ?? 0, now: now.get(label) ?? 0 }
    if (group.before + group.now >= ownMin) groups.push(group)
    else {
      rare.before += group.before
      rare.now += group.now
    }
  }
  return groups
}

/**
 * The probability of a change of this size or more in any label between calls of one kind: the least p-value of Fisher's exact test
 * over the labels, times their number (Bonferroni). Which labels are rare depends on both windows together, and on neither of them.
 */
export const byChance = (before: ReadonlyArray<number>, now: ReadonlyArray<number>): number => {
  if (before.length === 0 || now.length === 0) return 1
  const groups = groupsOf(countsOf(before), countsOf(now))
  const least = Math.min(
    ...groups.map((group) =>
      CallDriftRules.byChance({ all: before.length, some: group.before }, { all: now.length, some: group.now })
    )
  )
  return Math.min(1, least * groups.length)
}
