/** A deployment as the API shows it, and what events tell of it (contract 7, 8). Its key is in no answer. */
import type { ComparedPeriod, DeploymentFigures } from "@limbeck/capture/call/CallStore"
import { ServedBy } from "@limbeck/capture/call/CapturedCall"
import type { EventDraft } from "@limbeck/core/events/Event"
import * as Money from "@limbeck/core/money/Money"
import type { Partition } from "@limbeck/core/partition/Partition"
import * as Rendered from "@limbeck/core/resources/Rendered"
import { Count, idOf, Timestamp, UrlShown } from "@limbeck/core/resources/WireSchemas"
import { toIso, toIsoOrNull } from "@limbeck/core/time/Timestamp"
import { AnswerFields } from "@limbeck/distill/recipe/Recipe"
import * as Schema from "effect/Schema"
import * as AgreementRules from "../guard/AgreementRules.ts"
import * as CallDriftRules from "../guard/CallDriftRules.ts"
import * as DriftRules from "../guard/DriftRules.ts"
import type { QuestionComparisons } from "../guard/QuestionGuardRules.ts"
import * as QuestionGuardRules from "../guard/QuestionGuardRules.ts"
import {
  type Breach,
  type Deployment,
  DeploymentMode,
  DeploymentStatus,
  driftSince,
  isManaged,
  modelOf,
  OnBreach,
  OnFallbackFailure
} from "./Deployment.ts"

const Mean = Schema.NullOr(Schema.Finite)

export const DeploymentResource = Schema.Struct({
  id: idOf("dep"),
  object: Schema.Literal("deployment"),
  livemode: Schema.Boolean,
  alias: Schema.String,
  model: Schema.String,
  mode: DeploymentMode,
  status: DeploymentStatus,
  student_model: Schema.String,
  previous_student_model: Schema.NullOr(idOf("stu")),
  loop: Schema.NullOr(idOf("loop")),
  fallback: Schema.NullOr(
    Schema.Struct({ source: Schema.String, model: Schema.String, below_confidence: Schema.NullOr(Schema.Finite) })
  ),
  on_fallback_failure: OnFallbackFailure,
  fields: AnswerFields,
  traffic_percent: Schema.Finite,
  timeout_ms: Schema.Int,
  endpoint: Schema.NullOr(
    Schema.Struct({ base_url: UrlShown, model: Schema.String, api_key_last4: Schema.NullOr(Schema.String) })
  ),
  managed: Schema.Boolean,
  guard: Schema.NullOr(
    Schema.Struct({
      min_agreement: Mean,
      verify_percent: Schema.Finite,
      on_breach: OnBreach,
      breach: Schema.NullOr(
        Schema.Struct({
          min_agreement: Schema.Finite,
          value: Schema.Finite,
          low: Schema.Finite,
          high: Schema.Finite,
          comparisons: Count,
          question: Schema.NullOr(idOf("qst")),
          by: Schema.Literals(["agreement", "difference"])
        })
      )
    })
  ),
  guarded_at: Schema.NullOr(Timestamp),
  drifted_at: Schema.NullOr(Timestamp),
  error: Schema.NullOr(Schema.Struct({ code: Schema.String, message: Schema.String })),
  created_at: Timestamp,
  updated_at: Timestamp,
  retired_at: Schema.NullOr(Timestamp)
}).annotate({ identifier: "Deployment" })

const Agreement = Schema.NullOr(
  Schema.Struct({
    value: Schema.Finite,
    low: Schema.Finite,
    high: Schema.Finite,
    comparisons: Count,
    method: Schema.String,
    questions: Schema.Array(
      Schema.Struct({
        question: idOf("qst"),
        name: Schema.NullOr(Schema.String),
        min_agreement: Schema.Finite,
        value: Schema.Finite,
        low: Schema.Finite,
        high: Schema.Finite,
        comparisons: Count,
        guarded_at: Schema.NullOr(Timestamp)
      })
    )
  })
)

const Shift = Schema.Struct({ before: Schema.Finite, now: Schema.Finite, by_chance: Schema.Finite })

const Drift = Schema.Struct({
  since: Timestamp,
  calls: Count,
  fallback_share: Schema.NullOr(Shift),
  reasons: Schema.Record(Schema.String, Schema.Finite),
  confidence: Schema.NullOr(Shift),
  labels: Schema.NullOr(Schema.Struct({ distance: Schema.Finite, by_chance: Schema.Finite })),
  new_templates: Schema.NullOr(Count)
})

const Figures = Schema.Struct({
  calls: Schema.Record(ServedBy, Schema.Int),
  failed: Count,
  shadowed: Count,
  shadow_failed: Count,
  compared: Count,
  agreed: Count,
  agreement: Mean,
  student_latency_ms_mean: Mean,
  upstream_latency_ms_mean: Mean,
  upstream_cost_usd: Mean,
  upstream_cost_usd_mean: Mean,
  cost_saved_usd: Mean,
  questions: Schema.Array(
    Schema.Struct({
      question: idOf("qst"),
      name: Schema.NullOr(Schema.String),
      answered_here: Count,
      asked: Count,
      compared: Count,
      disagreed: Count
    })
  )
})

export const DeploymentWithFiguresResource = Schema.Struct({
  ...DeploymentResource.fields,
  agreement: Agreement,
  drift: Drift,
  figures: Figures
}).annotate({
  identifier: "DeploymentWithFigures",
  description:
    "`figures` sets the student beside the upstream; null where there is nothing to take a mean of. `agreement` is how " +
    "often the student says the same as the upstream, with a 95 % confidence sequence; null where nothing was compared. Of a student " +
    "of decisions it is how often all its answers to a request are the upstream's, `questions` has each question, and 95 % hold for all " +
    "of them together; `figures.questions` counts up to 1,000 questions. `drift` sets " +
    "the last 500 calls of an active student beside the first 500 since its student, mode or threshold changed or its drift was " +
    "accepted; `fallback_share` and `confidence` are null until there are 600, and `calls` counts all of them. `drifted_at` is when a " +
    "difference was found that calls of one kind show in at most 1 of 100 deployments. `new_templates` counts the last calls under a system prompt that the student does not know"
})

export const DeploymentAgreementResource = Schema.Struct({
  object: Schema.Literal("deployment_agreement"),
  deployment: idOf("dep"),
  since: Timestamp,
  method: Schema.String,
  periods: Schema.Array(
    Schema.Struct({
      until: Timestamp,
      compared: Count,
      agreed: Count,
      agreement: Schema.Struct({ value: Schema.Finite, low: Schema.Finite, high: Schema.Finite })
    })
  )
}).annotate({
  identifier: "DeploymentAgreement",
  description:
    "How often the student said the same as the upstream, in shadow and when it was verified, since the deployment has it: in at most " +
    "60 periods of equal length, oldest first; those without a comparison are left out. `compared` and `agreed` are of the period, " +
    "`agreement` of all comparisons until its end, with a 95 % confidence sequence. Made of the shadow results that are kept"
})

const renderFallback = ({ fallback }: Deployment) =>
  fallback === null
    ? null
    : { source: fallback.source, model: fallback.model, below_confidence: fallback.belowConfidence }

const renderEndpoint = ({ endpoint }: Deployment) =>
  endpoint === null || isManaged(endpoint)
    ? null
    : { base_url: endpoint.baseUrl, model: endpoint.model, api_key_last4: endpoint.keyLast4 }

const renderBreach = ({ by = "agreement", floor, question, ...found }: Breach) => ({
  min_agreement: floor,
  ...found,
  question: question ?? null,
  by
})

const renderGuard = ({ breach, floor, guard }: Deployment) => {
  if (guard === null) return null
  return {
    min_agreement: guard.minAgreement ?? floor,
    verify_percent: guard.verifyPercent,
    on_breach: guard.onBreach,
    breach: breach === null ? null : renderBreach(breach)
  }
}

/** As lists show it. */
export const render = Rendered.by(DeploymentResource, (partition: Partition, deployment: Deployment) => ({
  id: deployment.id,
  object: "deployment",
  livemode: partition.livemode,
  alias: deployment.alias,
  model: modelOf(deployment),
  mode: deployment.mode,
  status: deployment.status,
  student_model: deployment.studentModel,
  previous_student_model: deployment.previousStudentModel,
  loop: deployment.loop,
  fallback: renderFallback(deployment),
  on_fallback_failure: deployment.onFallbackFailure,
  fields: deployment.fields,
  traffic_percent: deployment.trafficPercent,
  timeout_ms: deployment.timeoutMillis,
  endpoint: renderEndpoint(deployment),
  managed: isManaged(deployment.endpoint),
  guard: renderGuard(deployment),
  guarded_at: toIsoOrNull(deployment.guardedAt),
  drifted_at: toIsoOrNull(deployment.driftedAt),
  error: deployment.error,
  created_at: toIso(deployment.createdAt),
  updated_at: toIso(deployment.updatedAt),
  retired_at: toIsoOrNull(deployment.retiredAt)
}))

const usd = (micros: number | null) => (micros === null ? null : Money.toUsd(Math.round(micros)))

/** Counted when it is asked for. */
export interface Account {
  readonly figures: DeploymentFigures
  readonly comparisons: AgreementRules.Comparisons
  /** Of a student of decisions. */
  readonly questions: ReadonlyArray<QuestionComparisons>
  readonly samples: DriftRules.Samples
  /** Its calls since `driftSince`; 0 in shadow. */
  readonly driftCalls: number
  readonly windows: CallDriftRules.Windows
  /** The labels of the calls of both windows at the last look; null: nobody has read them. */
  readonly answers: { readonly before: ReadonlyArray<number>; readonly now: ReadonlyArray<number> } | null
}

/**
 * What a student's answers saved: what as many whole requests cost the upstream on average, and by how much its requests for a part of
 * the questions cost less; less what the student has paid for embeddings. Null without whole requests.
 */
const savedMicrosOf = (figures: DeploymentFigures): number | null => {
  const { partialCostedCalls, partialCostMicros } = figures
  const wholeCalls = figures.upstreamCostedCalls - partialCostedCalls + figures.verificationCostedCalls
  if (wholeCalls === 0) return null
  const wholeMicros = figures.upstreamCostMicros - partialCostMicros + figures.verificationCostMicros
  const mean = wholeMicros / wholeCalls
  const saved = mean * figures.calls.student + Math.max(0, mean * partialCostedCalls - partialCostMicros)
  return saved - figures.studentMicros
}

const noShadows = { compared: 0, agreed: 0 }

/** A challenger has no calls of its own: what it was compared on was asked. */
const questionsOf = ({ questions, shadowQuestions }: DeploymentFigures) => {
  const shadowed = new Map(shadowQuestions.map((one) => [one.question, one]))
  const counted = new Set(questions.map(({ question }) => question))
  return [
    ...questions.map((one) => ({ ...one, shadowed: shadowed.get(one.question) ?? noShadows })),
    ...shadowQuestions
      .filter(({ question }) => !counted.has(question))
      .map((one) => ({ ...one, asked: one.compared, answeredHere: 0, shadowed: one }))
  ]
}

/** The student beside the upstream. */
export const renderFigures = Rendered.by(Figures, ({ figures, questions }: Pick<Account, "figures" | "questions">) => {
  const { upstreamCostedCalls, upstreamCostMicros } = figures
  const comparisons = new Map(questions.map((one) => [one.question, one.comparisons]))
  const costMean = upstreamCostedCalls === 0 ? null : upstreamCostMicros / upstreamCostedCalls
  return {
    calls: figures.calls,
    failed: figures.failed,
    shadowed: figures.shadowed,
    shadow_failed: figures.shadowFailed,
    compared: figures.compared,
    agreed: figures.agreed,
    agreement: figures.compared === 0 ? null : figures.agreed / figures.compared,
    student_latency_ms_mean: figures.studentMillisMean,
    upstream_latency_ms_mean: figures.upstreamMillisMean,
    upstream_cost_usd: usd(upstreamCostMicros),
    upstream_cost_usd_mean: usd(costMean),
    cost_saved_usd: usd(savedMicrosOf(figures)),
    questions: questionsOf(figures).map(({ answeredHere, asked, name, question, shadowed }) => {
      const verified = AgreementRules.totalOf(comparisons.get(question) ?? AgreementRules.none)
      const compared = verified.compared + shadowed.compared
      const agreed = verified.agreed + shadowed.agreed
      return { question, name, answered_here: answeredHere, asked, compared, disagreed: compared - agreed }
    })
  }
})

const renderQuestions = ({ questions: standing }: Deployment, questions: Account["questions"]) => {
  const known = new Map(questions.map((one) => [one.question, one.comparisons]))
  return standing.flatMap(({ floor, guardedAt, name, question }) => {
    const comparisons = known.get(question)
    const agreement = comparisons && QuestionGuardRules.agreementOf(comparisons, standing.length)
    if (comparisons === undefined || !agreement) return []
    const { compared } = AgreementRules.totalOf(comparisons)
    const shown = { question, name, min_agreement: floor, ...agreement, comparisons: compared }
    return [{ ...shown, guarded_at: toIsoOrNull(guardedAt) }]
  })
}

const renderAgreement = (deployment: Deployment, { comparisons, questions }: Account) => {
  const agreement = AgreementRules.agreementOf(comparisons)
  if (agreement === null) return null
  const { compared } = AgreementRules.totalOf(comparisons)
  const byQuestion = renderQuestions(deployment, questions)
  return { ...agreement, comparisons: compared, method: AgreementRules.method, questions: byQuestion }
}

const renderShift = (shift: CallDriftRules.Shift | null) =>
  shift === null ? null : { before: shift.before, now: shift.now, by_chance: shift.byChance }

const renderDrift = (
  deployment: Deployment,
  { answers, driftCalls, samples, windows }: Pick<Account, "answers" | "driftCalls" | "samples" | "windows">
) => {
  const { confidence, fallbackShare, newTemplates, reasons } = CallDriftRules.driftOf(windows)
  // The answers of a student behind an endpoint are texts: of these the verified ones alone are known.
  const labels =
    answers === null
      ? (DriftRules.driftOf(samples)?.labels ?? null)
      : DriftRules.labelShift(answers.before, answers.now)
  return {
    since: toIso(driftSince(deployment)),
    calls: driftCalls,
    fallback_share: renderShift(fallbackShare),
    reasons,
    confidence: renderShift(confidence),
    labels: labels === null ? null : { distance: labels.distance, by_chance: labels.byChance },
    new_templates: newTemplates
  }
}

/** As its own GET and writes show it. */
export const renderWhole = Rendered.by(
  DeploymentWithFiguresResource,
  (partition: Partition, deployment: Deployment, account: Account) => ({
    ...render(partition, deployment),
    agreement: renderAgreement(deployment, account),
    drift: renderDrift(deployment, account),
    figures: renderFigures(account)
  })
)

/** How often the student said the same as the upstream, over the time that the deployment has it. */
export const renderHistory = Rendered.by(
  DeploymentAgreementResource,
  ({ id, studentSince }: Deployment, periods: ReadonlyArray<ComparedPeriod>) => ({
    object: "deployment_agreement",
    deployment: id,
    since: toIso(studentSince),
    method: AgreementRules.method,
    periods: AgreementRules.over(periods).map(({ agreement, period: { agreed, compared, lastAt } }) => ({
      until: toIso(lastAt),
      compared,
      agreed,
      agreement
    }))
  })
)

/** The event of a new status, of a breach, or of drift. */
export const eventOf = (
  partition: Partition,
  deployment: Deployment,
  what: Deployment["status"] | "guarded" | "drifted",
  account: Account
): EventDraft => ({
  type: `distill.deployment.${what}`,
  object: renderWhole(partition, deployment, account)
})
