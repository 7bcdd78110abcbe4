/**
 * Wrong labels on purpose: how well suspects find them, and what a student wins back when the confident ones are left out, or when a
 * teacher that errs as often is asked about the suspects again.
 */
import type { Row } from "@limbeck/distill/dataset/Row"
import { isUnexaminable } from "@limbeck/distill/suspects/Examination"
import * as RelabelRules from "@limbeck/distill/suspects/RelabelRules"
import * as Examiner from "@limbeck/executors/builtin/Examiner"
import * as Model from "@limbeck/executors/builtin/Model"
import { exampleOf } from "@limbeck/executors/builtin/RowReading"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { Text } from "./StudentSet.ts"
import * as StudentTrial from "./StudentTrial.ts"
import * as ThresholdTrials from "./ThresholdTrials.ts"

export interface NoiseTrial {
  readonly wrong: number
  /** Share of wrong labels among the first suspects, up to the number of wrong labels; 0 without suspects. */
  readonly precision: number
  /** Precision and recall for wrong labels among confident suspects. */
  readonly confidentPrecision: number
  readonly recall: number
  readonly dropped: number
  /** Suspects about which the teacher is asked again. */
  readonly asked: number
  /** Right on the test rows: a student of all rows, one without the confident suspects, and one of the relabelled rows. */
  readonly right: number
  readonly rightAfterDrop: number
  readonly rightAfterRelabel: number
}

/** Of the new answers, beside the seed of the first ones. */
const relabelSeed = 1_000

interface TaughtRow {
  readonly row: Row & { readonly completion: string }
  readonly gold: string
  readonly isWrong: boolean
}

const messagesOf = (text: string): Row["messages"] => [{ role: "user", content: text }]

const taughtBy = (texts: ReadonlyArray<Text>, noise: number, seed: number): ReadonlyArray<TaughtRow> => {
  const labels = [...new Set(texts.map(({ gold }) => gold))].sort()
  const next = ThresholdTrials.uniformOf(seed)
  return texts
    .filter(({ split }) => split === "train")
    .map(({ gold, text }) => {
      const completion = ThresholdTrials.answerOf(gold, labels, noise, next)
      return { row: { messages: messagesOf(text), completion }, gold, isWrong: completion !== gold }
    })
}

const messageOf = (content: string) => ({ role: "assistant", content })

/** The rows after a vote on each suspect. */
const relabelled = (
  taught: ReadonlyArray<TaughtRow>,
  suspects: ReadonlySet<number>,
  noise: number,
  seed: number
): ReadonlyArray<TaughtRow> => {
  const labels = [...new Set(taught.map(({ gold }) => gold))].sort()
  const next = ThresholdTrials.uniformOf(seed)
  return taught.map((one, at) => {
    if (!suspects.has(at)) return one
    const answer = () => messageOf(ThresholdTrials.answerOf(one.gold, labels, noise, next))
    const { right } = RelabelRules.voteOf(messageOf(one.row.completion), [answer(), answer()])
    return right === null ? one : { ...one, row: { ...one.row, completion: String(right["content"]) } }
  })
}

const rightOf = async (rows: ReadonlyArray<TaughtRow>, test: ReadonlyArray<Text>): Promise<number> => {
  const { bytes } = await Effect.runPromise(StudentTrial.train(rows.map(({ row }) => row)))
  const model = Model.load(bytes)
  if ("reason" in model) throw new Error(model.reason)
  const isRight = ({ gold, text }: Text) =>
    model.predict(exampleOf({ messages: messagesOf(text), completion: "" }).turns).text === gold
  return test.filter(isRight).length / test.length
}

/** 1 where nothing is counted. */
const shareOf = (part: number, whole: number): number => (whole === 0 ? 1 : part / whole)

export const of = async (texts: ReadonlyArray<Text>, noise: number, seed: number): Promise<NoiseTrial> => {
  const taught = taughtBy(texts, noise, seed)
  const test = texts.filter(({ split }) => split === "test")
  const found = await Effect.runPromise(Examiner.examine(Stream.fromIterable(taught.map(({ row }) => row)), seed))
  if (isUnexaminable(found)) throw new Error(found.reason)
  const wrong = taught.filter(({ isWrong }) => isWrong).length
  const wrongIn = (suspects: typeof found.suspects) => suspects.filter(({ row }) => taught[row]?.isWrong).length
  const confident = found.suspects.filter(({ isConfident }) => isConfident)
  const gone = new Set(confident.map(({ row }) => row))
  return {
    wrong,
    precision: shareOf(wrongIn(found.suspects.slice(0, wrong)), wrong),
    confidentPrecision: shareOf(wrongIn(confident), confident.length),
    recall: shareOf(wrongIn(confident), wrong),
    dropped: confident.length,
    asked: found.suspects.length,
    right: await rightOf(taught, test),
    rightAfterDrop: await rightOf(
      taught.filter((_, at) => !gone.has(at)),
      test
    ),
    rightAfterRelabel: await rightOf(
      relabelled(taught, new Set(found.suspects.map(({ row }) => row)), noise, seed + relabelSeed),
      test
    )
  }
}
