/** The services of capture and serving, and their adapters for datasets and rewards. */
import { statusOf } from "@limbeck/api/ErrorTable"
import * as Calls from "@limbeck/capture/call/Calls"
import * as Feedbacks from "@limbeck/capture/feedback/Feedbacks"
import * as Recorders from "@limbeck/capture/journal/Recorders"
import * as CallMetrics from "@limbeck/capture/metrics/CallMetrics"
import * as ChatCompletions from "@limbeck/capture/source/ChatCompletions"
import * as Forward from "@limbeck/capture/source/Forward"
import * as ModelCatalog from "@limbeck/capture/source/ModelCatalog"
import * as SourceChat from "@limbeck/capture/source/SourceChat"
import * as Sources from "@limbeck/capture/source/Sources"
import * as Verifications from "@limbeck/capture/source/Verifications"
import * as LoopGuard from "@limbeck/capture/upstream/LoopGuard"
import * as Installation from "@limbeck/core/installation/Installation"
import * as CallRows from "@limbeck/distill/dataset/CallRows"
import * as ExternalStudents from "@limbeck/distill/student/ExternalStudents"
import * as Serving from "@limbeck/serving/answer/Serving"
import * as Decisions from "@limbeck/serving/decide/Decisions"
import * as Deployments from "@limbeck/serving/deployment/Deployments"
import * as SourceRemoval from "@limbeck/serving/deployment/SourceRemoval"
import * as ModelLists from "@limbeck/serving/proxy/ModelLists"
import * as Proxy from "@limbeck/serving/proxy/Proxy"
import * as ManagedStudents from "@limbeck/serving/student/ManagedStudents"
import * as Students from "@limbeck/serving/student/Students"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { ServerSettings } from "../Settings.ts"

/** Nothing goes to an upstream without our mark. */
const loopGuard = Layer.unwrap(Effect.map(ServerSettings, ({ brand }) => LoopGuard.layerWith({ brand }))).pipe(
  Layer.provide(Installation.layer)
)

export const services = Layer.mergeAll(
  Verifications.layer,
  Layer.provideMerge(Decisions.layerWith(statusOf), Proxy.layer),
  ModelLists.layer,
  CallRows.layer,
  SourceRemoval.layer,
  ExternalStudents.layer,
  CallMetrics.layer,
  Layer.provideMerge(Feedbacks.layer, Calls.layer)
).pipe(
  Layer.provideMerge(Serving.layer),
  Layer.provideMerge(Deployments.layer),
  Layer.provideMerge(ManagedStudents.layer),
  Layer.provideMerge(Students.layer),
  Layer.provideMerge(SourceChat.layer),
  Layer.provideMerge(Layer.merge(ChatCompletions.layer, Forward.layer)),
  Layer.provideMerge(Recorders.layer),
  Layer.provideMerge(ModelCatalog.layer),
  Layer.provideMerge(Sources.layer),
  Layer.provide(LoopGuard.upstream),
  Layer.provideMerge(loopGuard)
)
