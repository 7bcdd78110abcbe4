/** Laws of the two dialects of decisions, for requests made from a seed. */

import { createHash } from "node:crypto"
import * as AnswerRules from "@limbeck/capture/dialect/decisions/AnswerRules"
import type { DecisionRequest } from "@limbeck/capture/dialect/decisions/DecisionRequest"
import * as DecisionRules from "@limbeck/capture/dialect/decisions/DecisionRules"
import * as EvidenceRules from "@limbeck/capture/dialect/decisions/EvidenceRules"
import * as NumberRules from "@limbeck/capture/dialect/decisions/NumberRules"
import { CallDecision, type Question, RowDecision } from "@limbeck/capture/dialect/decisions/Question"
import * as QuestionRules from "@limbeck/capture/dialect/decisions/QuestionRules"
import * as SplitRules from "@limbeck/capture/dialect/decisions/SplitRules"
import * as Crypto from "@limbeck/node/Crypto"
import * as Generator from "@limbeck/testing/random/Generator"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { describe, expect, it } from "vitest"

const seeds = Array.from({ length: 200 }, (_, seed) => seed)
const words = ["billing", "tech", "Ünïted", "ﬁle", "10", "2", "true", "é", "a b"]

const identified = (question: Question | null) =>
  question === null
    ? Promise.resolve(null)
    : Effect.runPromise(Effect.provide(QuestionRules.identify(question), Crypto.layer))

const distinct = (values: ReadonlyArray<string>) => [...new Set(values)]

/** A question that both dialects can express, in both of them. */
const both = ({ below, pick, some }: Generator.Generator) => {
  const instructions = `${pick(words)} ${pick([" ", "\n", "\u00a0"])}${pick(words)}`
  const values = distinct([pick(words), ...some(6, () => pick(words))])
  const descriptions = values.map(() => (below(2) === 0 ? pick(words) : null))
  const choices = values.map((value, at) => ({
    value,
    ...(descriptions[at] === null ? {} : { description: descriptions[at]! })
  }))
  return pick([
    { openai: { type: "predicate", instructions }, systemone: { type: "noul", instructions } },
    {
      openai: { type: "choice", instructions, choices },
      systemone: {
        type: "choice",
        instructions: [{ type: "text", text: instructions }],
        criteria: Object.fromEntries(values.map((value, at) => [value, descriptions[at]!]))
      }
    },
    {
      openai: {
        type: "score",
        instructions: [{ type: "input_text", text: instructions }],
        levels: values.map((label) => ({ label }))
      },
      systemone: { type: "score", instructions, criteria: values }
    }
  ])
}

const requestsOf = (seed: number) => {
  const random = Generator.make(seed)
  const questions = [both(random), ...random.some(8, () => both(random))]
  const openai = {
    model: "m",
    input: "My card was charged twice.",
    safety_identifier: random.pick(words),
    questions: questions.map(({ openai: question }, at) =>
      random.below(3) === 0 ? question : { ...question, name: `q${at}` }
    )
  }
  const systemone = {
    model: "m",
    state: "My card was charged twice.",
    questions: Object.fromEntries(questions.map(({ systemone: question }, at) => [`q${at}`, question]))
  }
  return { openai, systemone, random }
}

const read = (body: Schema.JsonObject): DecisionRequest => {
  const request = DecisionRules.read(body)
  if (request === null) throw new Error("The body is no request for decisions")
  return request
}

describe("decisions", () => {
  it("a request of either dialect that is read and written is the same text (P1180)", () => {
    for (const seed of seeds) {
      const { openai, systemone } = requestsOf(seed)
      for (const body of [openai, systemone]) {
        expect(JSON.stringify(DecisionRules.write(read(body)))).toBe(JSON.stringify(body))
      }
    }
  })

  it("a question has one identity in both dialects, under any name and order of choices (P1181)", async () => {
    for (const seed of seeds.slice(0, 50)) {
      const { openai, systemone } = requestsOf(seed)
      const one = read(openai).questions
      const other = read(systemone).questions
      for (const [at, { question }] of one.entries()) {
        expect(question).not.toBeNull()
        expect(await identified(question)).toBe(await identified(other[at]!.question))
      }
    }
    const choices = [{ value: "b" }, { value: true }, { value: "a" }, { value: false }]
    const ask = (of: Schema.JsonObject) => identified(read({ input: "", questions: [of] }).questions[0]!.question)
    const known = await ask({ type: "choice", instructions: "Who?", choices })
    expect(await ask({ type: "choice", name: "x", instructions: " Who?\n", choices: choices.toReversed() })).toBe(known)
    expect(await ask({ type: "choice", instructions: "Who?", choices: choices.slice(1) })).not.toBe(known)
    expect(await ask({ type: "choice", instructions: "Whom?", choices })).not.toBe(known)
    const typed = (value: string | boolean) => [{ value }, { value: "z" }]
    expect(await ask({ type: "choice", instructions: "Who?", choices: typed("true") })).not.toBe(
      await ask({ type: "choice", instructions: "Who?", choices: typed(true) })
    )
  })

  it("an identity is the SHA-256 of the RFC 8785 form in the alphabet of ids (P1181)", async () => {
    const question = read({ state: "", questions: { n: { type: "noul", instructions: "Angry?" } } }).questions[0]!
      .question
    const form = '{"instructions":"Angry?","kind":"predicate","options":[{"value":false},{"value":true}],"v":1}'
    const bits = [...createHash("sha256").update(form).digest()]
      .map((byte) => byte.toString(2).padStart(8, "0"))
      .join("")
    const alphabet = "0123456789abcdefghjkmnpqrstvwxyz"
    const text = Array.from(
      { length: 26 },
      (_, at) => alphabet[Number.parseInt(bits.slice(at * 5, at * 5 + 5), 2)]
    ).join("")
    expect(question === null ? null : QuestionRules.formOf(question)).toBe(form)
    expect(await identified(question)).toBe(`qst_${text}`)
  })

  it("rounded probabilities add up to exactly 1, and answers follow from them (P1182)", () => {
    for (const seed of seeds) {
      const { below, some } = Generator.make(seed)
      const weights = [below(1_000) + 1, ...some(30, () => below(1_000))]
      const parts = NumberRules.roundWeights(weights).map((probability) => Math.round(probability * 10_000))
      expect(NumberRules.roundWeights(weights)).toStrictEqual(parts.map((part) => part / 10_000))
      expect(parts.reduce((sum, part) => sum + part, 0)).toBe(10_000)
    }
    expect(NumberRules.roundWeights([1, 1, 1])).toStrictEqual([0.3334, 0.3333, 0.3333])
    expect(NumberRules.choiceConfidence([0.95, 0.05])).toBe(0.9)
    expect(NumberRules.choiceConfidence([1])).toBe(1)
    expect(NumberRules.scoreOf([0.06, 0.64, 0.3])).toBe(1.24)
    expect(NumberRules.scoreConfidence([0.06, 0.64, 0.3])).toBeCloseTo(0.46, 10)
  })

  it("an answer that is written is read as the same distribution, in both dialects", () => {
    for (const seed of seeds) {
      const { openai, random, systemone } = requestsOf(seed)
      for (const body of [openai, systemone]) {
        const request = read(body)
        const answers = request.questions.map(({ question }) =>
          NumberRules.roundWeights(question!.options.map(() => random.below(100) + 1))
        )
        const members = request.questions.map((asked, at) =>
          AnswerRules.member(request, asked, asked.question!, answers[at]!)
        )
        const response = JSON.parse(JSON.stringify({ answers: AnswerRules.write(request, members) }))
        expect(AnswerRules.read(request, response)).toStrictEqual(
          answers.map((probabilities) => ({ probabilities, refusal: false }))
        )
      }
    }
  })

  it("answers of split requests, put together, are the answers of the whole (P1252)", () => {
    for (const seed of seeds) {
      const { openai, random, systemone } = requestsOf(seed)
      for (const body of [openai, systemone]) {
        const request = read(body)
        const isStudents = request.questions.map(() => random.below(2) === 0)
        const split = SplitRules.of(request, (position) => isStudents[position]!)
        const members = (positions: ReadonlyArray<number>) => {
          const part = read(DecisionRules.write(SplitRules.partOf(request, positions)))
          const answers = AnswerRules.write(
            part,
            part.questions.map(({ member }) => member)
          )
          return SplitRules.membersOf(part, { answers })!
        }
        const merged = SplitRules.mergeMembers(split, members(split.student), members(split.upstream))
        expect(JSON.stringify({ ...body, questions: AnswerRules.write(request, merged) })).toBe(JSON.stringify(body))
        const named = SplitRules.headerOf(split).matchAll(/(student|upstream)=([\d,]+)/g)
        const whose = [...named].flatMap(([, who, positions]) => positions!.split(",").map((at) => [Number(at), who]))
        expect(Object.fromEntries(whose)).toStrictEqual({ ...isStudents.map((is) => (is ? "student" : "upstream")) })
      }
    }
    expect(SplitRules.headerOf({ student: [0, 2], upstream: [1] })).toBe("student=0,2; upstream=1")
    expect(SplitRules.headerOf({ student: [], upstream: [0, 1] })).toBe("upstream=0,1")
  })

  it("a response with another number of answers than questions has no answer for each (P1252)", () => {
    const question = { type: "predicate", instructions: "Angry?" }
    const list = read({ input: "", questions: [question, question] })
    const answer = { type: "predicate", name: null, probability: 0.5 }
    for (const answers of [[answer], [answer, answer, answer], [answer, null], {}, null]) {
      expect(SplitRules.membersOf(list, { answers })).toBeUndefined()
    }
    const map = read({ state: "", questions: { a: { type: "noul", instructions: "Angry?" } } })
    for (const response of [{ answers: { b: { type: "noul", noul: 1 } } }, { answers: [] }, null]) {
      expect(SplitRules.membersOf(map, response)).toBeUndefined()
    }
  })

  it("a refusal is read as one, and a missing answer as no distribution", () => {
    const question = { type: "predicate", instructions: "Angry?" }
    const request = read({ input: "", questions: [question, question, { type: "box", instructions: "Where?" }] })
    expect(AnswerRules.read(request, { answers: [{ type: "refusal", name: null }] })).toStrictEqual([
      { probabilities: null, refusal: true },
      { probabilities: null, refusal: false },
      null
    ])
  })

  it("a new request for known questions reads back as these questions", async () => {
    for (const seed of seeds.slice(0, 30)) {
      const known = read(requestsOf(seed).openai).questions.map(({ question }, at) => ({
        ...question!,
        name: `q${at}`
      }))
      for (const dialect of ["openai", "systemone"] as const) {
        const questions = read(DecisionRules.ask(dialect, [{ role: "user", content: "Hi" }], known)).questions
        for (const [at, { question }] of questions.entries()) {
          expect(await identified(question)).toBe(await identified(known[at]!))
        }
      }
    }
  })

  it("messages of a row become evidence that reads back as these messages (P1553)", () => {
    const items = [
      { role: "system", content: "Be strict." },
      {
        role: "user",
        content: [
          { type: "input_text", text: "a" },
          { type: "input_json", data: { b: 1 } }
        ]
      },
      { type: "function_call", call_id: "c1", name: "find", arguments: "{}" },
      { type: "function_call_output", call_id: "c1", output: "none" },
      { type: "custom_tool_call", call_id: "c2", name: "run", input: "ls" },
      { type: "custom_tool_call_output", call_id: "c2", output: "a.txt" },
      { role: "assistant", content: "Nothing." }
    ]
    const evidence = [{ input: "Hi" }, { input: items }, { input: items.slice(0, 1) }]
    for (const members of evidence) {
      const messages = EvidenceRules.messagesOf(read({ ...members, questions: [] }))
      const again = { ...EvidenceRules.evidenceOf("openai", messages), questions: [] }
      expect(EvidenceRules.messagesOf(read(again))).toStrictEqual(messages)
    }
    expect(EvidenceRules.evidenceOf("openai", [{ role: "user", content: "Hi" }])).toStrictEqual({ input: "Hi" })
    for (const state of ["Hi", "1", "[1, 2]", { b: [1], a: "x" }, [1, "2"]]) {
      const messages = EvidenceRules.messagesOf(read({ state, questions: {} }))
      expect(EvidenceRules.evidenceOf("systemone", messages)).toStrictEqual({ state })
    }
  })

  it("evidence is one message of its text, or of its RFC 8785 text; items of an input are messages", () => {
    const parts = { input: [{ role: "user", content: [{ type: "input_json", data: { b: 1, a: 2 } }] }], questions: [] }
    const object = { state: { b: 1, a: 2 }, questions: {} }
    const message = [{ role: "user", content: '{"a":2,"b":1}' }]
    for (const body of [parts, object]) expect(EvidenceRules.messagesOf(read(body))).toStrictEqual(message)
    const list = { state: [{ type: "text", text: "x" }, 1], questions: {} }
    expect(EvidenceRules.messagesOf(read(list))).toStrictEqual([
      { role: "user", content: '[{"text":"x","type":"text"},1]' }
    ])
    const image = { type: "input_image", image_url: "https://example.com/a.png", detail: "low" }
    expect(EvidenceRules.hasImage(read({ input: [{ role: "user", content: [image] }], questions: [] }))).toBe(true)
    expect(EvidenceRules.hasImage(read(parts))).toBe(false)
  })

  it("an answer of a row names the teacher or feedback, and that of a call the student or the upstream", () => {
    const answer = {
      question: `qst_${"0".repeat(26)}`,
      name: null,
      kind: "score",
      probabilities: [0, 1],
      refusal: false
    }
    expect(Schema.is(RowDecision)({ ...answer, source: "feedback" })).toBe(true)
    expect(Schema.is(RowDecision)({ ...answer, source: "student" })).toBe(false)
    expect(Schema.is(CallDecision)({ ...answer, served_by: "student" })).toBe(true)
    expect(Schema.is(CallDecision)({ ...answer, question: "qst_1", served_by: "student" })).toBe(false)
  })
})
