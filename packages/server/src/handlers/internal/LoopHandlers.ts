/** The loop routes (contract 4). */
import { LoopsApi } from "@limbeck/api/LoopsApi"
import * as LoopResource from "@limbeck/serving/loop/LoopResource"
import { Loops } from "@limbeck/serving/loop/Loops"
import * as Effect from "effect/Effect"
import * as Lists from "../../http/internal/Lists.ts"
import { handlersOf } from "../../http/internal/Routes.ts"

export const make = Effect.map(Loops, (loops) =>
  handlersOf(LoopsApi)({
    create: ({ caller: { partition }, payload }) =>
      Effect.map(loops.create(partition, payload), (loop) => LoopResource.render(partition, loop)),
    list: ({ caller: { partition }, query }) =>
      Lists.page(
        { partition, list: "loops", query },
        (request) => loops.page(partition, request),
        (items) => items.map((item) => LoopResource.render(partition, item))
      ),
    get: ({ caller: { partition }, params }) =>
      Effect.gen(function* () {
        const loop = yield* loops.get(partition, params.loop_id)
        return LoopResource.renderWithLatest(partition, loop, yield* loops.latest(partition, loop.id))
      }),
    update: ({ caller: { partition }, params, payload }) =>
      Effect.map(loops.update(partition, params.loop_id, payload), (loop) => LoopResource.render(partition, loop))
  })
)
