/**
 * The assistant: a person's conversation with a model that works by the operations of the public API (contract 16.49). The page of
 * the person drives it step by step, with the person's own session; between two steps everything is in storage.
 */
import type { CallError } from "@limbeck/capture/source/Forward"
import { Sources } from "@limbeck/capture/source/Sources"
import {
  type ChangedMeanwhile,
  type InvalidInput,
  invalid,
  type NotFound,
  notFound,
  type ReferenceUnknown,
  referenceUnknown,
  type StorageError
} from "@limbeck/core/errors/Errors"
import { Ids } from "@limbeck/core/ids/Ids"
import type { Page, PageRequest } from "@limbeck/core/pages/Page"
import type { Partition } from "@limbeck/core/partition/Partition"
import { ResourceStore } from "@limbeck/core/resources/ResourceStore"
import * as Resources from "@limbeck/core/resources/Resources"
import * as Writers from "@limbeck/core/resources/Writers"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import {
  AnswerTimeout,
  AssistantConversationFull,
  AssistantStateConflict,
  type ModelFailed,
  type OperationUnknown
} from "../Errors.ts"
import { ChatLimits } from "../Limits.ts"
import * as ApprovalRules from "./ApprovalRules.ts"
import * as AssistantConversation from "./AssistantConversation.ts"
import { type Identity, Operations } from "./Operations.ts"
import * as Transcript from "./Transcript.ts"

type Conversation = AssistantConversation.AssistantConversation

/** A conversation belongs to one person in one workspace and mode. */
export interface Owner {
  readonly partition: Partition
  readonly person: string
}

/** `working`: the next step may run. `waiting`: an operation waits for the person. `idle`: the person's message comes next. */
export type Status = "idle" | "working" | "waiting"

/** A requested operation without a result, and whether the person must decide on it. */
export interface PendingOperation {
  readonly request: Transcript.RequestedOperation
  readonly needsPerson: boolean
  readonly decision: boolean | null
}

/** A conversation with what follows from its history. */
export interface ConversationState {
  readonly conversation: Conversation
  readonly status: Status
  readonly pending: ReadonlyArray<PendingOperation>
}

type StepError = CallError | ModelFailed | OperationUnknown
type Lost = NotFound | StorageError
type Refusal = Lost | ChangedMeanwhile | AssistantStateConflict

export interface Assistant {
  readonly create: (
    owner: Owner,
    target: { readonly source: string; readonly model: string }
  ) => Effect.Effect<ConversationState, InvalidInput | ReferenceUnknown | StorageError>
  readonly get: (owner: Owner, id: string) => Effect.Effect<ConversationState, Lost>
  /** Newest first. */
  readonly page: (owner: Owner, request: PageRequest) => Effect.Effect<Page<Conversation>, StorageError>
  readonly remove: (owner: Owner, id: string) => Effect.Effect<void, Lost>
  readonly post: (
    owner: Owner,
    id: string,
    text: string
  ) => Effect.Effect<ConversationState, Refusal | AssistantConversationFull>
  /** The person's decision on an operation that waits for it. */
  readonly decide: (
    owner: Owner,
    id: string,
    call: string,
    approved: boolean
  ) => Effect.Effect<ConversationState, Refusal>
  /** Ends the turn: operations without a result do not run. An operation under way ends by itself. */
  readonly cancel: (owner: Owner, id: string) => Effect.Effect<ConversationState, Refusal | StepError>
  /** Asks the model once, or runs the decided operations. */
  readonly step: (
    owner: Owner,
    id: string,
    identity: Identity
  ) => Effect.Effect<ConversationState, Refusal | StepError | AnswerTimeout | AssistantConversationFull>
}

const statusOf = ({ canceled, history }: Conversation, pending: ReadonlyArray<PendingOperation>): Status => {
  if (pending.some(({ decision, needsPerson }) => needsPerson && decision === null)) return "waiting"
  if (pending.length > 0) return "working"
  return !canceled && Transcript.awaitsModel(history) ? "working" : "idle"
}

const canceledByPerson = "The person canceled the turn"
const refusedByPerson = "The person refused this operation"

/** `httpStatusOf`: the HTTP status that a failure of a model gives the client. */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: methods of one service, each short
export const make = Effect.fnUntraced(function* (httpStatusOf: (error: CallError) => number) {
  const resources = yield* ResourceStore
  const sources = yield* Sources
  const ids = yield* Ids
  const operations = yield* Operations
  const methods = yield* Effect.cached(
    Effect.map(operations.all, (all) => new Map(all.map(({ method, name }) => [name, method])))
  )
  // Loads the model library at the first conversation.
  const context = yield* Effect.context<Effect.Services<ReturnType<typeof import("./internal/Steps.ts")["make"]>>>()
  const loaded = yield* Effect.cached(Effect.promise(() => import("./internal/Steps.ts")))
  const steps = yield* Effect.cached(
    Effect.flatMap(loaded, (module) => Effect.provideContext(module.make(httpStatusOf), context))
  )

  const stateOf = Effect.fnUntraced(function* (conversation: Conversation) {
    const known = yield* methods
    const pending = Transcript.pendingOf(conversation.history).map((request): PendingOperation => {
      const operation = { name: request.operation, method: known.get(request.operation) ?? "unknown" }
      return {
        request,
        needsPerson: ApprovalRules.needsPerson(operation, request.input),
        decision: conversation.decisions[request.call] ?? null
      }
    })
    return { conversation, pending, status: statusOf(conversation, pending) }
  })

  const find = Effect.fnUntraced(function* ({ partition, person }: Owner, id: string) {
    const found = yield* Resources.require(resources, partition, AssistantConversation.kind, id)
    return found.value.person === person ? found : yield* notFound(AssistantConversation.kind.noun, id)
  })

  /** Writes what `change` returns, unless somebody else has written meanwhile. */
  const write = <E>(
    owner: Owner,
    id: string,
    change: (state: ConversationState) => Effect.Effect<Partial<Conversation>, E>
  ) =>
    Effect.gen(function* () {
      const stored = yield* find(owner, id)
      const changed = yield* change(yield* stateOf(stored.value))
      const value = { ...stored.value, ...changed, updatedAt: yield* Clock.currentTimeMillis }
      yield* resources.compareAndSet(owner.partition, AssistantConversation.kind, { ...stored, value })
      return yield* stateOf(value)
    }).pipe(
      Effect.catchTag("RevisionConflict", () => Effect.fail(Writers.concurrentChange(AssistantConversation.kind, id)))
    )

  const requireRoom = ({ history, id }: Conversation) =>
    history.length > ChatLimits.assistantHistoryMax ? Effect.fail(new AssistantConversationFull({ id })) : Effect.void

  const conflict = ({ conversation: { id }, status }: ConversationState) =>
    Effect.fail(new AssistantStateConflict({ id, status }))

  const create = Effect.fn("Assistant.create")(function* (
    { partition, person }: Owner,
    target: { readonly source: string; readonly model: string }
  ) {
    const found = yield* sources.resolve(partition, target.source)
    if (Option.isNone(found)) return yield* referenceUnknown("source", target.source, "source")
    const { dialect, id: source } = found.value
    if (dialect !== "openai") return yield* invalid("source", "The assistant asks chat completions of dialect openai")
    const now = yield* Clock.currentTimeMillis
    const { emptyHistory } = yield* loaded
    const conversation: Conversation = {
      id: yield* ids.make("asc"),
      person,
      title: "",
      source,
      model: target.model,
      history: emptyHistory(),
      decisions: {},
      canceled: false,
      createdAt: now,
      updatedAt: now
    }
    yield* resources.add(partition, AssistantConversation.kind, conversation)
    return yield* stateOf(conversation)
  })

  const post = (owner: Owner, id: string, text: string) =>
    write(owner, id, (state) =>
      Effect.gen(function* () {
        const { history, title } = state.conversation
        if (state.status !== "idle") return yield* conflict(state)
        yield* requireRoom(state.conversation)
        return {
          history: Transcript.withMessage(history, text),
          title: title === "" ? text.slice(0, ChatLimits.assistantTitleMax) : title,
          canceled: false
        }
      })
    )

  const decide = (owner: Owner, id: string, call: string, approved: boolean) =>
    write(owner, id, (state) =>
      Effect.gen(function* () {
        const waiting = state.pending.find(({ needsPerson, request }) => needsPerson && request.call === call)
        if (waiting === undefined) return yield* notFound("waiting operation", call, "call")
        if (waiting.decision !== null) return yield* conflict(state)
        return { decisions: { ...state.conversation.decisions, [call]: approved } }
      })
    )

  const cancel = (owner: Owner, id: string) =>
    write(owner, id, (state) =>
      Effect.gen(function* () {
        if (state.status === "idle") return yield* conflict(state)
        const { executed } = yield* steps
        const refused = state.pending.map(({ request }) => ({ request, approved: false, reason: canceledByPerson }))
        const history =
          refused.length === 0 ? state.conversation.history : yield* executed(state.conversation, {}, refused)
        return { history, decisions: {}, canceled: true }
      })
    )

  const step = (owner: Owner, id: string, identity: Identity) =>
    write(owner, id, (state) =>
      Effect.gen(function* () {
        const { conversation, pending } = state
        if (state.status !== "working") return yield* conflict(state)
        const { answered, executed } = yield* steps
        if (pending.length === 0) {
          yield* requireRoom(conversation)
          return { history: yield* answered(owner.partition, conversation, identity) }
        }
        const decided = pending.map(({ decision, needsPerson, request }) => ({
          request,
          approved: !needsPerson || decision === true,
          reason: refusedByPerson
        }))
        return { history: yield* executed(conversation, identity, decided), decisions: {} }
      })
    ).pipe(
      Effect.timeoutOrElse({
        duration: ChatLimits.assistantStepMillis,
        orElse: () => Effect.fail(new AnswerTimeout({ secondsMax: ChatLimits.assistantStepMillis / 1_000 }))
      })
    )

  const assistant: Assistant = {
    create,
    get: (owner, id) => Effect.flatMap(find(owner, id), ({ value }) => stateOf(value)),
    page: ({ partition, person }, request) =>
      resources.page(partition, AssistantConversation.kind, [AssistantConversation.labelOf(person)], request),
    remove: Effect.fn("Assistant.remove")(function* (owner, id) {
      yield* find(owner, id)
      yield* resources.remove(owner.partition, AssistantConversation.kind, id)
    }),
    post,
    decide,
    cancel,
    step
  }
  return assistant
})
