/** The body of a call through the proxy: plain for whoever decides on the call, and packed as the client sent it for its source. */
import * as ContentCodings from "@limbeck/capture/call/ContentCodings"
import { Decoder } from "@limbeck/capture/call/Decoder"
import type { PackedBody } from "@limbeck/capture/source/Forward"
import type { WorkspaceId } from "@limbeck/core/ids/Id"
import * as FairSlots from "@limbeck/core/pools/FairSlots"
import { Pools } from "@limbeck/core/pools/Pools"
import * as Effect from "effect/Effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as Pipeline from "../../http/internal/Pipeline.ts"

interface ProxyBody {
  readonly body: Uint8Array
  readonly packed?: PackedBody
}

/** `bytesMax` bounds both the sent body and its unpacked form. */
export const make = Effect.fnUntraced(function* (bytesMax: number) {
  const decoder = yield* Decoder
  const slots = FairSlots.make(Pools.unpackedBodies)

  const unpacked = Effect.fnUntraced(function* (workspace: WorkspaceId, contentEncoding: string, bytes: Uint8Array) {
    const unpacking = ContentCodings.unpackBody(contentEncoding, bytes, bytesMax)
    const body = yield* slots.run(workspace, Effect.provideService(unpacking, Decoder, decoder))
    yield* Pipeline.holdBytes(workspace, body.length)
    const result: ProxyBody = { body, packed: { plain: body, bytes, contentEncoding } }
    return result
  })

  const read = (request: HttpServerRequest, workspace: WorkspaceId) =>
    Effect.flatMap(Pipeline.readBody(request, workspace, bytesMax), (bytes) => {
      const contentEncoding = request.headers["content-encoding"]
      return contentEncoding === undefined
        ? Effect.succeed<ProxyBody>({ body: bytes })
        : unpacked(workspace, contentEncoding, bytes)
    })

  return { read }
})
