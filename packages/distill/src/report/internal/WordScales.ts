/**
 * Words with an order that every reader knows, such as low, medium and high. The table is short on purpose: labels outside of it have no
 * order, and neither has the order of an `enum` in a schema, because lists of categories have one too. Pure.
 */

/** Ascending; words of one place mean the same and leave the order open between them. */
const scales: ReadonlyArray<ReadonlyArray<ReadonlyArray<string>>> = [
  [["none"], ["very low"], ["low"], ["medium", "moderate", "normal"], ["high"], ["very high"]],
  [["none", "informational"], ["low"], ["medium", "moderate", "normal"], ["high"], ["critical", "urgent"]],
  [["minor"], ["moderate", "major"], ["severe", "critical"]],
  [["never"], ["rarely", "seldom"], ["sometimes", "occasionally"], ["often", "usually", "frequently"], ["always"]],
  [["xxs"], ["xs"], ["s"], ["m"], ["l"], ["xl"], ["xxl", "2xl"], ["xxxl", "3xl"]],
  [["tiny", "extra small"], ["small"], ["medium"], ["large"], ["huge", "extra large"]],
  [["strongly disagree"], ["disagree"], ["neutral", "undecided"], ["agree"], ["strongly agree"]],
  [["very negative"], ["negative"], ["neutral"], ["positive"], ["very positive"]],
  [["very poor", "very bad", "terrible"], ["poor", "bad"], ["fair", "average", "ok", "okay"], ["good"], ["very good"]],
  [["poor", "bad"], ["fair", "average", "ok", "okay"], ["good"], ["very good"], ["excellent"]],
  [["very dissatisfied"], ["dissatisfied"], ["neutral"], ["satisfied"], ["very satisfied"]],
  [["very unlikely"], ["unlikely"], ["possible", "neutral"], ["likely"], ["very likely"]],
  [["very easy"], ["easy"], ["medium", "moderate", "normal"], ["hard", "difficult"], ["very hard", "very difficult"]],
  [["beginner"], ["intermediate"], ["advanced"], ["expert"]],
  [["p0"], ["p1"], ["p2"], ["p3"], ["p4"], ["p5"]],
  [["one star"], ["two stars"], ["three stars"], ["four stars"], ["five stars"]]
]

const placeIn = (scale: ReadonlyArray<ReadonlyArray<string>>, word: string): number =>
  scale.findIndex((words) => words.includes(word))

/** These words in ascending order; undefined unless one scale has them all, each at a place of its own. */
export const orderOf = (words: Iterable<string>): ReadonlyArray<string> | undefined => {
  const different = [...new Set(words)]
  const scale = scales.find((one) => {
    const places = different.map((word) => placeIn(one, word))
    return !places.includes(-1) && new Set(places).size === places.length
  })
  return scale === undefined ? undefined : different.sort((a, b) => placeIn(scale, a) - placeIn(scale, b))
}
