/** CallStore in memory: the calls of a partition by id, with shadow results and feedback. */

import { dateOf } from "@limbeck/billing/ledger/LedgerRules"
import {
  type CallFilter,
  type CallKind,
  type CallScan,
  CallStore,
  type ComparedPeriod,
  type Comparisons,
  countedQuestionsMax,
  type DeploymentFigures,
  RecordRefused,
  refusedField,
  type WaitingFeedback
} from "@limbeck/capture/call/CallStore"
import type { CapturedCall, ShadowResult } from "@limbeck/capture/call/CapturedCall"
import type { Feedback } from "@limbeck/capture/feedback/Feedback"
import { CaptureLimits } from "@limbeck/capture/Limits"
import type { CallTally, TallyRange, TallyWidth } from "@limbeck/capture/metrics/CallTally"
import * as TallyRules from "@limbeck/capture/metrics/TallyRules"
import * as Id from "@limbeck/core/ids/Id"
import * as Page from "@limbeck/core/pages/Page"
import * as Partitions from "@limbeck/core/partition/Partition"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { fitting } from "../database/Fitting.ts"
import type { MemoryDatabase, UndoLog } from "../database/MemoryDatabase.ts"
import { Family, isWithin, keyOf, Table, takeWhere } from "../database/Table.ts"
import type { UsageTables } from "../ledger/UsageTables.ts"

/** How many calls one step of a scan reads. */
const callsPerStep = 500

/** Sorts as the number does. */
const placeOf = (startsAt: number): string => String(startsAt).padStart(16, "0")

const tallyKeyOf = (tally: CallTally): string => keyOf(placeOf(tally.startsAt), TallyRules.keyOf(tally))

class Calls {
  readonly byId = new Table<CapturedCall>()
  /** Creation times of removed calls, by id. */
  readonly removed = new Table<{ readonly id: string; readonly createdAt: number }>()
  /** By call and deployment. */
  readonly shadows = new Table<ShadowResult>()
  /** Unclaimed shadow results that verify an answer. */
  readonly untaken = new Table<ShadowResult>()
  readonly feedback = new Table<Feedback>()
  /** Of it, what awaits its call. */
  readonly awaiting = new Table<Feedback>()
  /** By start and key. Removed calls stay counted. */
  readonly tallies: Readonly<Record<TallyWidth, Table<CallTally>>> = {
    hour: new Table(),
    day: new Table(),
    all: new Table()
  }

  /** Stores a call that is not known, and counts it. */
  add(undoLog: UndoLog, call: CapturedCall): void {
    this.byId.set(undoLog, call.id, call)
    for (const [width, tally] of TallyRules.talliesOf(call)) {
      const key = tallyKeyOf(tally)
      const stored = this.tallies[width].get(key)
      this.tallies[width].set(undoLog, key, stored === undefined ? tally : TallyRules.add(stored, tally))
    }
  }

  talliesIn({ from, until, width }: TallyRange): ReadonlyArray<CallTally> {
    const found: Array<CallTally> = []
    for (const tally of this.tallies[width].ascending(placeOf(from))) {
      if (tally.startsAt >= until) break
      found.push(tally)
    }
    return found
  }

  forgetTallies(undoLog: UndoLog, { until, width }: Omit<TallyRange, "from">, limit: number): number {
    const old = this.talliesIn({ width, from: 0, until }).slice(0, limit)
    for (const tally of old) this.tallies[width].delete(undoLog, tallyKeyOf(tally))
    return old.length
  }

  /** Removes up to `limit` calls created before a time, with their feedback; returns their number. */
  forget(undoLog: UndoLog, createdBefore: number, limit: number): number {
    const old = ({ createdAt }: { readonly createdAt: number }) => createdAt < createdBefore
    const calls = takeWhere(this.byId.ascending(null), limit, old)
    for (const { id } of calls) this.drop(undoLog, id)
    const removed = takeWhere(this.removed.ascending(null), limit - calls.length, old)
    for (const { id } of removed) this.removed.delete(undoLog, id)
    const gone = new Set<string | null>([...calls, ...removed].map(({ id }) => id))
    const said = gone.size === 0 ? [] : [...this.feedback.ascending(null)].filter(({ call }) => gone.has(call))
    for (const { id } of said) this.feedback.delete(undoLog, id)
    return gone.size
  }

  isKnown(call: string): boolean {
    return this.byId.get(call) !== undefined || this.removed.get(call) !== undefined
  }

  /** See `dropUnjoined`. */
  settle(undoLog: UndoLog, createdBefore: number, limit: number): WaitingFeedback {
    const due = takeWhere(this.awaiting.ascending(null), limit, ({ createdAt }) => createdAt < createdBefore)
    const lost = due.filter(({ call, externalId }) => externalId === null && call !== null && !this.isKnown(call))
    for (const { id } of due) this.awaiting.delete(undoLog, id)
    for (const { id } of lost) this.feedback.delete(undoLog, id)
    return { kept: due.length - lost.length, dropped: lost.length }
  }

  drop(undoLog: UndoLog, call: string): void {
    for (const { deployment } of [...this.shadowsOf(call)]) {
      this.shadows.delete(undoLog, keyOf(call, deployment))
      this.untaken.delete(undoLog, keyOf(call, deployment))
    }
    this.byId.delete(undoLog, call)
  }

  *shadowsOf(call: string): Generator<ShadowResult> {
    for (const shadow of this.shadows.ascending(call)) {
      if (shadow.call !== call) return
      yield shadow
    }
  }
}

const isAny = <A>(wanted: ReadonlyArray<A> | undefined, value: A): boolean =>
  wanted === undefined || wanted.length === 0 || wanted.includes(value)

const isSame = <A>(wanted: A | undefined, value: A): boolean => wanted === undefined || wanted === value

const passes =
  (filter: CallFilter) =>
  (call: CapturedCall): boolean =>
    isSame<string | null>(filter.source, call.source) &&
    isSame<string | null>(filter.model, call.model) &&
    isSame<string | null>(filter.externalId, call.externalId) &&
    isSame(filter.outcome, call.outcome) &&
    isAny(filter.endpoints, call.endpoint) &&
    isSame<string | null>(filter.deployment, call.deployment) &&
    isAny(filter.servedBy, call.servedBy) &&
    isSame(filter.verifies, call.verifies !== undefined) &&
    (filter.tags ?? []).every((tag) => call.tags.includes(tag)) &&
    !(filter.withoutTags ?? []).some((tag) => call.tags.includes(tag))

/** Whether a feedback is about a call: by its id, or by the caller's own key. */
const isAbout = (feedback: Feedback, call: string, externalId: string | null): boolean =>
  feedback.call === call || (externalId !== null && feedback.externalId === externalId)

/** The ids and external ids of calls with feedback of at least `min`. */
const wellSaid = (of: Calls, min: number) => {
  const said = [...of.feedback.ascending(null)].filter(({ value }) => value >= min)
  const calls = new Set(said.map(({ call }) => call))
  const externals = new Set(said.map(({ externalId }) => externalId))
  return ({ externalId, id }: CapturedCall) => calls.has(id) || (externalId !== null && externals.has(externalId))
}

const sizeOf = ({ request, response }: CapturedCall): number => request.length + (response?.length ?? 0)

const kindsOf = (calls: ReadonlyArray<CapturedCall>): ReadonlyArray<CallKind> => {
  const kinds = calls.map(({ deployment, endpoint, outcome, servedBy, verifies }) => ({
    endpoint,
    servedBy,
    outcome,
    deployment: verifies?.deployment ?? deployment,
    verifies: verifies !== undefined
  }))
  const groups = Map.groupBy(kinds, (kind) => JSON.stringify(kind))
  return [...groups.values()].map((group) => ({ ...group[0]!, calls: group.length }))
}

const meanOf = (values: ReadonlyArray<number>): number | null =>
  values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length

const questionCountsOf = (calls: ReadonlyArray<CapturedCall>): DeploymentFigures["questions"] => {
  const decisions = calls.flatMap(({ decisions = [] }) => decisions)
  return [...Map.groupBy(decisions, ({ question }) => question)]
    .map(([question, group]) => ({
      question,
      name: group.find(({ name }) => name !== null)?.name ?? null,
      asked: group.length,
      answeredHere: group.filter(({ served_by }) => served_by === "student").length
    }))
    .toSorted((a, b) => b.asked - a.asked || (a.question < b.question ? -1 : 1))
    .slice(0, countedQuestionsMax)
}

const decodeShadowed = Schema.decodeUnknownOption(
  Schema.fromJsonString(
    Schema.Struct({
      decisions: Schema.Array(
        Schema.Struct({
          question: Schema.String,
          name: Schema.optionalKey(Schema.NullOr(Schema.String)),
          agrees: Schema.Boolean
        })
      )
    })
  )
)

const shadowQuestionsOf = (shadows: ReadonlyArray<ShadowResult>): DeploymentFigures["shadowQuestions"] => {
  const compared = shadows.flatMap(({ message }) =>
    Option.match(decodeShadowed(message), { onNone: () => [], onSome: ({ decisions }) => decisions })
  )
  return [...Map.groupBy(compared, ({ question }) => question)]
    .map(([question, group]) => ({
      question,
      name: group.find(({ name = null }) => name !== null)?.name ?? null,
      compared: group.length,
      agreed: group.filter(({ agrees }) => agrees).length
    }))
    .toSorted((a, b) => b.compared - a.compared || (a.question < b.question ? -1 : 1))
    .slice(0, countedQuestionsMax)
}

const costsOf = (calls: Iterable<CapturedCall>, isOne: (call: CapturedCall) => boolean) => {
  const costs = [...calls].flatMap((call) => (isOne(call) && call.costMicros !== null ? [call.costMicros] : []))
  return { calls: costs.length, micros: costs.reduce((sum, cost) => sum + cost, 0) }
}

const figuresOf = (of: Calls, deployment: string): DeploymentFigures => {
  const calls = [...of.byId.ascending(null)].filter((call) => call.deployment === deployment)
  const shadows = [...of.shadows.ascending(null)].filter(
    (shadow) => shadow.deployment === deployment && !shadow.verifies
  )
  const count = (servedBy: CapturedCall["servedBy"]) => calls.filter((call) => call.servedBy === servedBy).length
  const succeeded = calls.filter(({ outcome }) => outcome === "succeeded")
  const millisOf = (...servedBy: ReadonlyArray<CapturedCall["servedBy"]>) =>
    succeeded.filter((call) => servedBy.includes(call.servedBy)).map(({ latencyMillis }) => latencyMillis)
  const answered = shadows.filter(({ error }) => error === null)
  const compared = shadows.filter(({ agrees }) => agrees !== null)
  const costs = costsOf(calls, ({ servedBy }) => servedBy !== "student")
  const partial = costsOf(calls, ({ servedBy }) => servedBy === "mixed")
  const verifications = costsOf(of.byId.ascending(null), ({ verifies }) => verifies?.deployment === deployment)
  return {
    calls: {
      upstream: count("upstream"),
      student: count("student"),
      shadow: count("shadow"),
      upstream_fallback: count("upstream_fallback"),
      mixed: count("mixed")
    },
    failed: calls.filter(({ outcome }) => outcome === "failed").length,
    shadowed: shadows.length,
    shadowFailed: shadows.length - answered.length,
    compared: compared.length,
    agreed: compared.filter(({ agrees }) => agrees).length,
    studentMillisMean: meanOf([...millisOf("student"), ...answered.map(({ latencyMillis }) => latencyMillis)]),
    upstreamMillisMean: meanOf(millisOf("upstream", "shadow")) ?? meanOf(millisOf("upstream_fallback")),
    upstreamCostMicros: costs.micros,
    studentMicros: calls.reduce((sum, { studentMicros = 0 }) => sum + studentMicros, 0),
    upstreamCostedCalls: costs.calls,
    partialCostMicros: partial.micros,
    partialCostedCalls: partial.calls,
    verificationCostMicros: verifications.micros,
    verificationCostedCalls: verifications.calls,
    questions: questionCountsOf(calls),
    shadowQuestions: shadowQuestionsOf(shadows)
  }
}

const comparisonsOf = (of: Calls, deployment: string, since: number, minConfidence: number): Comparisons => {
  const compared = [...of.shadows.ascending(null)].filter(
    (shadow) =>
      shadow.deployment === deployment &&
      shadow.createdAt >= since &&
      !shadow.verifies &&
      (shadow.confidence ?? 0) >= minConfidence &&
      shadow.agrees !== null &&
      shadow.answer !== null
  )
  const counts = Map.groupBy(compared, ({ answer }) => answer)
  return {
    compared: compared.length,
    agreed: compared.filter(({ agrees }) => agrees).length,
    mostFrequent: [...counts.values()].reduce((most, { length }) => Math.max(most, length), 0)
  }
}

const comparisonsByPeriodOf = (
  of: Calls,
  deployment: string,
  since: number,
  periods: number
): ReadonlyArray<ComparedPeriod> => {
  const compared = [...of.shadows.ascending(null)].filter(
    ({ agrees, answer, createdAt, deployment: own, verifies }) =>
      own === deployment && createdAt >= since && agrees !== null && (verifies || answer !== null)
  )
  const times = compared.map(({ createdAt }) => createdAt).toSorted((a, b) => a - b)
  const [first, last] = [times[0] ?? 0, times.at(-1) ?? 0]
  const groups = Map.groupBy(compared, ({ createdAt }) =>
    Math.floor(((createdAt - first) * periods) / (last - first + 1))
  )
  const found = [...groups.values()].map((group) => ({
    compared: group.length,
    agreed: group.filter(({ agrees }) => agrees).length,
    lastAt: group.reduce((latest, { createdAt }) => Math.max(latest, createdAt), first)
  }))
  return found.toSorted((a, b) => a.lastAt - b.lastAt)
}

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: the methods of a port, each short
export const make = (db: MemoryDatabase, used: UsageTables): CallStore["Service"] => {
  const partitions = new Family(() => new Calls())

  const scanned = (partition: Partitions.Partition, scan: CallScan, after: string | null, limit: number) =>
    db.sync(() => {
      const of = partitions.of(partition.key)
      const isWell = scan.feedbackMin === null ? () => true : wellSaid(of, scan.feedbackMin)
      const isWanted = passes(scan)
      const wanted = (call: CapturedCall) => isWithin(call.createdAt, scan) && isWanted(call) && isWell(call)
      return takeWhere(of.byId.descending(after), limit, wanted)
    })

  return CallStore.of({
    append: Effect.fnUntraced(function* (calls) {
      const refused = calls.map(({ value }) => refusedField(value)).find((field) => field !== null)
      if (refused !== undefined) return yield* new RecordRefused({ reason: `${refused} is too long` })
      return yield* db.sync((undoLog) => {
        const added = new Set<string>()
        for (const { partition, value } of calls) {
          const of = partitions.of(partition.key)
          if (of.isKnown(value.id)) continue
          of.add(undoLog, value)
          added.add(value.id)
          const date = dateOf(value.createdAt)
          used.add(undoLog, partition.key, { date, kind: "captured_calls", quantity: 1, micros: 0 })
        }
        return added
      })
    }),
    appendShadows: (results) =>
      db.sync((undoLog) => {
        for (const { partition, value } of results) {
          const of = partitions.of(partition.key)
          const key = keyOf(value.call, value.deployment)
          const isKnown = of.shadows.get(key) !== undefined || of.removed.get(value.call) !== undefined
          if (isKnown) continue
          of.shadows.set(undoLog, key, value)
          if (value.verifies) of.untaken.set(undoLog, key, value)
        }
      }),
    find: (partition, id) => db.sync(() => Option.fromUndefinedOr(partitions.of(partition.key).byId.get(id))),
    shadowsOf: (partition, id) =>
      db.sync(() =>
        [...partitions.of(partition.key).shadowsOf(id)].toSorted(
          (a, b) => a.createdAt - b.createdAt || (a.deployment < b.deployment ? -1 : 1)
        )
      ),
    page: (partition, filter, request) =>
      db.sync(() => {
        const isWanted = passes(filter)
        const newest = partitions.of(partition.key).byId.descending(request.after)
        const wanted = (call: CapturedCall) => isWithin(call.createdAt, request) && isWanted(call)
        const found = takeWhere(newest, request.limit + 1, wanted)
        const items = fitting(found.slice(0, request.limit), CaptureLimits.callPageBytesMax, sizeOf)
        return { items, hasMore: found.length > items.length }
      }),
    scan: (partition, scan) =>
      Stream.paginate(null as string | null, (after) =>
        Effect.map(scanned(partition, scan, after, callsPerStep), (calls) => [
          calls,
          calls.length < callsPerStep ? Option.none() : Option.some(calls.at(-1)!.id)
        ])
      ),
    kindsOf: (partition, scan) => Effect.map(scanned(partition, scan, null, Number.POSITIVE_INFINITY), kindsOf),
    remove: (partition, id) =>
      db.sync((undoLog) => {
        const of = partitions.of(partition.key)
        const call = of.byId.get(id)
        if (call === undefined) return false
        of.drop(undoLog, id)
        of.removed.set(undoLog, id, { id, createdAt: call.createdAt })
        return true
      }),
    prune: (createdBefore, limit) =>
      db.sync((undoLog) => {
        let left = limit
        for (const of of partitions.all) left -= of.forget(undoLog, createdBefore, left)
        return limit - left
      }),
    pruneFeedback: (createdBefore, limit) =>
      db.sync((undoLog) => {
        let left = limit
        for (const { feedback } of partitions.all) {
          const old = takeWhere(feedback.ascending(null), left, ({ createdAt }) => createdAt < createdBefore)
          for (const { id } of old) feedback.delete(undoLog, id)
          left -= old.length
        }
        return limit - left
      }),
    tallies: (partition, range) =>
      Stream.fromIterableEffect(db.sync(() => partitions.of(partition.key).talliesIn(range))),
    pruneTallies: (width, until, limit) =>
      db.sync((undoLog) => {
        let left = limit
        for (const of of partitions.all) left -= of.forgetTallies(undoLog, { width, until }, left)
        return limit - left
      }),
    figures: (partition, deployment) => db.sync(() => figuresOf(partitions.of(partition.key), deployment)),
    servedCalls: (partition, deployment, since, { limit, order }) =>
      db.sync(() => {
        const { byId } = partitions.of(partition.key)
        const least = Id.floorAt("call", since)
        const calls = order === "oldest" ? byId.ascending(least) : byId.descending(null)
        const found = takeWhere(calls, limit, (call) => call.deployment === deployment && call.id >= least)
        return found.map(({ confidence, fallbackReason, id, servedBy }) => ({
          id,
          servedBy,
          fallbackReason,
          confidence
        }))
      }),
    servedCount: (partition, deployment, since) =>
      db.sync(() => {
        const least = Id.floorAt("call", since)
        const calls = partitions.of(partition.key).byId.ascending(least)
        const isCounted = (call: CapturedCall) => call.deployment === deployment && call.id >= least
        return takeWhere(calls, Number.POSITIVE_INFINITY, isCounted).length
      }),
    comparisons: (partition, deployment, since, minConfidence) =>
      db.sync(() => comparisonsOf(partitions.of(partition.key), deployment, since, minConfidence)),
    comparisonsByPeriod: (partition, deployment, since, periods) =>
      db.sync(() => comparisonsByPeriodOf(partitions.of(partition.key), deployment, since, periods)),
    takeVerifications: (limit) =>
      db.sync((undoLog) => {
        const waiting = [...partitions.entries].flatMap(([key, { untaken }]) =>
          [...untaken.ascending(null)].map((value) => ({ partition: Partitions.fromKey(key), value }))
        )
        const taken = waiting.toSorted((a, b) => a.value.createdAt - b.value.createdAt).slice(0, limit)
        for (const { partition, value } of taken) {
          partitions.of(partition.key).untaken.delete(undoLog, keyOf(value.call, value.deployment))
        }
        return taken
      }),
    insertFeedback: (partition, feedback, awaitsCall = false) =>
      db.sync((undoLog) => {
        const of = partitions.of(partition.key)
        if (awaitsCall && feedback.call !== null && of.removed.get(feedback.call) !== undefined) return false
        of.feedback.set(undoLog, feedback.id, feedback)
        if (awaitsCall) of.awaiting.set(undoLog, feedback.id, feedback)
        return true
      }),
    removeFeedback: (partition, id) =>
      db.sync((undoLog) => {
        const { awaiting, feedback } = partitions.of(partition.key)
        const isKnown = feedback.get(id) !== undefined
        feedback.delete(undoLog, id)
        awaiting.delete(undoLog, id)
        return isKnown
      }),
    dropUnjoined: (createdBefore, limit) =>
      db.sync((undoLog) => {
        let [kept, dropped] = [0, 0]
        for (const of of partitions.all) {
          const settled = of.settle(undoLog, createdBefore, limit - kept - dropped)
          kept += settled.kept
          dropped += settled.dropped
        }
        return { kept, dropped }
      }),
    pageFeedback: (partition, filter, request) =>
      db.sync(() => {
        const { byId, feedback } = partitions.of(partition.key)
        const { call } = filter
        const externalId = (call === undefined ? undefined : byId.get(call)?.externalId) ?? null
        const wanted = (one: Feedback) =>
          isWithin(one.createdAt, request) &&
          isSame<string | null>(filter.externalId, one.externalId) &&
          isSame(filter.name, one.name) &&
          (call === undefined || isAbout(one, call, externalId))
        return Page.fromRows(takeWhere(feedback.descending(request.after), request.limit + 1, wanted), request.limit)
      })
  })
}
