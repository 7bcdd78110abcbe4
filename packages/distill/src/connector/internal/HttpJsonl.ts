/**
 * The content at a URL through broken connections: the missing part is requested by `Range`, under `If-Range` with the
 * strong ETag of the received part (RFC 9110, 13.1.5). Without a strong ETag nothing proves that both parts belong to one
 * file, so the content must be read anew.
 */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { beginsAt, type Remote, type RemoteAnswer, type RemoteRequest, strongEtag } from "../Remote.ts"
import * as PullFailure from "./PullFailure.ts"
import * as Resumed from "./Resumed.ts"

type Bytes = Resumed.Bytes

const rangeOf = ({ etag, received }: Resumed.Place): Readonly<Record<string, string>> =>
  received > 0 && etag !== null ? { range: `bytes=${received}-`, "if-range": etag } : {}

const plainEncodings = ["", "identity", "gzip", "x-gzip"]

const bodyOf = ({ body }: RemoteAnswer): Bytes => Stream.mapError(body, PullFailure.unreachable)

/** Drops the first bytes, across chunks. */
const dropBytes = (bytes: Bytes, count: number): Bytes =>
  Stream.mapAccum(
    bytes,
    () => count,
    (left, chunk) => {
      const dropped = Math.min(left, chunk.length)
      return [left - dropped, dropped === chunk.length ? [] : [chunk.subarray(dropped)]] as const
    }
  )

/** The new bytes of this response. */
const restIn = (place: Resumed.Place, answer: RemoteAnswer): Bytes => {
  const { headers, statusCode } = answer
  const isSame = place.etag !== null && strongEtag(answer) === place.etag
  if (place.received > 0) {
    if (statusCode === 206) {
      const fits = beginsAt(answer, place.received) && (headers["etag"] === undefined || isSame)
      return fits ? bodyOf(answer) : Stream.fail(PullFailure.contentChange)
    }
    // The server does not support ranges, but proves the same file.
    if (statusCode === 200)
      return isSame ? dropBytes(bodyOf(answer), place.received) : Stream.fail(PullFailure.contentChange)
    return Stream.fail(statusCode === 416 ? PullFailure.contentChange : PullFailure.refusalOf(statusCode))
  }
  if (statusCode !== 200) return Stream.fail(PullFailure.refusalOf(statusCode))
  if (!plainEncodings.includes(headers["content-encoding"]?.toLowerCase() ?? "")) {
    return Stream.fail(PullFailure.invalidAnswer("The content is encoded; only gzip is read"))
  }
  place.etag = strongEtag(answer)
  return bodyOf(answer)
}

export const content = (remote: Remote["Service"], request: RemoteRequest): Bytes =>
  Resumed.content((place) =>
    remote.get({ ...request, headers: { ...request.headers, ...rangeOf(place) } }).pipe(
      Effect.mapError(PullFailure.unreachable),
      Effect.map((answer) => restIn(place, answer))
    )
  )
