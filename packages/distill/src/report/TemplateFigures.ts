/** How a student agrees with its teacher on the held-out rows of each system prompt (contract 16.37). Pure. */
import * as Id from "@limbeck/core/ids/Id"
import * as Schema from "effect/Schema"
import * as AgreementThreshold from "./statistics/AgreementThreshold.ts"

/** The target of the agreement: two points below the teacher's agreement with itself, assumed to be 1 (contract 16.33). */
const target = 0.98

const Agreement = Schema.Struct({ value: Schema.Finite, low: Schema.Finite, high: Schema.Finite })

export const TemplateFigures = Schema.Struct({
  id: Id.schema("tpl"),
  /** The least confidence from which on the agreement surely reaches the target; null: it never does. */
  threshold: Schema.NullOr(Schema.Finite),
  /** Of all its rows, with a 95 % interval. */
  agreement: Agreement
})
export type TemplateFigures = typeof TemplateFigures.Type

interface TemplateAnswer {
  readonly template?: string
  readonly agrees: boolean
  readonly confidence: number | null
}

const isId = Id.isOf("tpl")

/** Those with the most rows first; nothing without prompts. */
export const of = (answers: ReadonlyArray<TemplateAnswer>): { readonly templates?: ReadonlyArray<TemplateFigures> } => {
  const groups = Map.groupBy(answers, ({ template }) => template)
  const templates = [...groups]
    .toSorted(([, one], [, other]) => other.length - one.length)
    .flatMap(([id, own]) => {
      const agreement = AgreementThreshold.agreementOf(own.map(({ agrees }) => ({ agrees, confidence: 0 })))
      if (id === undefined || !isId(id) || agreement === null) return []
      const told = own.flatMap(({ agrees, confidence }) => (confidence === null ? [] : [{ agrees, confidence }]))
      return [{ id, threshold: AgreementThreshold.leastOf(told, target), agreement }]
    })
  return templates.length === 0 ? {} : { templates }
}
