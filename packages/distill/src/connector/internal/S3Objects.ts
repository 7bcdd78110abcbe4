/**
 * The objects of a bucket as one content: in key order, gunzipped if needed, each ended by a newline. After a broken
 * connection an object resumes, under `If-Match`.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Sink from "effect/Sink"
import * as Stream from "effect/Stream"
import type { Gunzip } from "../../upload/Gunzip.ts"
import { isGzip } from "../../upload/internal/UploadContent.ts"
import { decodeS3Credential, endpointOf, type Rule } from "../Connector.ts"
import type * as ObjectStore from "../ObjectStore.ts"
import * as PullFailure from "./PullFailure.ts"
import * as Resumed from "./Resumed.ts"

type Config = Extract<Rule, { readonly kind: "s3" }>["config"]
type Store = ObjectStore.ObjectStore["Service"]
type Bytes = Resumed.Bytes

interface Explanation {
  readonly code: string
  readonly message: string
}

const denied = { code: "access_denied", message: "The store does not let us in, or not to this" }
const elsewhere = { code: "wrong_region", message: "The bucket is in another region" }
const noBucket = { code: "no_such_bucket", message: "There is no such bucket" }
const noKey = { code: "no_such_key", message: "There is no such object" }
const none = { code: "no_objects", message: "There is no object under this prefix" }

/** Stores' error codes in our words; others are reported by status. */
const refusals: Readonly<Record<string, Explanation>> = {
  AccessDenied: denied,
  AllAccessDisabled: denied,
  ExpiredToken: denied,
  InvalidAccessKeyId: denied,
  InvalidToken: denied,
  RequestTimeTooSkewed: denied,
  SignatureDoesNotMatch: denied,
  AuthorizationHeaderMalformed: elsewhere,
  IllegalLocationConstraintException: elsewhere,
  PermanentRedirect: elsewhere,
  NoSuchBucket: noBucket,
  NoSuchKey: noKey,
  InvalidObjectState: { code: "archived", message: "An object is archived, and has to be restored first" }
}

const byStatus: Readonly<Record<number, Explanation>> = { 301: elsewhere, 307: elsewhere, 401: denied, 403: denied }

const explain = (error: ObjectStore.ObjectError): PullFailure.PullFailure => {
  if (error._tag === "RemoteError") return PullFailure.unreachable(error)
  if (error._tag === "ObjectAnswerInvalid") return PullFailure.invalidAnswer(error.message)
  if (error._tag === "ObjectClientMissing") return PullFailure.notInstalled(error.package)
  const { code, statusCode } = error
  if (statusCode === 412 || statusCode === 416) return PullFailure.contentChange
  const explained = refusals[code] ?? byStatus[statusCode]
  if (explained !== undefined) return new PullFailure.PullFailure({ ...explained, again: "never" })
  // Some stores say 400 where HTTP has 408.
  return PullFailure.refusalOf(code === "RequestTimeout" ? 408 : statusCode)
}

/** Folder markers, as created by consoles, are empty. */
const isFolder = (key: string): boolean => key.endsWith("/")

/** The keys under the prefix, page by page. */
const keysUnder = (store: Store, bucket: ObjectStore.Bucket, prefix: string) =>
  Stream.paginate(null as string | null, (after) =>
    Resumed.persistently(Effect.mapError(store.list(bucket, { prefix, after }), explain)).pipe(
      Effect.flatMap(({ keys, next }) =>
        next !== null && next === after
          ? Effect.fail(PullFailure.invalidAnswer("The list goes round in circles"))
          : Effect.succeed([keys, Option.fromNullOr(next)] as const)
      )
    )
  ).pipe(Stream.filter((key) => !isFolder(key)))

const rawBytes = (store: Store, bucket: ObjectStore.Bucket, key: string): Bytes =>
  Resumed.content((place) =>
    store.read(bucket, { key, from: place.received, etag: place.etag }).pipe(
      Effect.mapError(explain),
      Effect.map(({ body, etag }) => {
        place.etag = etag
        return Stream.mapError(body, PullFailure.unreachable)
      })
    )
  )

/** Chunks until they hold two bytes. */
const firstTwo = Sink.suspend(() => {
  let bytes = 0
  return Sink.takeUntil((chunk: Uint8Array) => {
    bytes += chunk.length
    return bytes >= 2
  })
})

/** Of a file that is gzip by its first two bytes, what is packed; of any other, itself. */
const unpackFile = ({ unpack }: Gunzip["Service"], bytes: Bytes): Bytes =>
  Stream.unwrap(
    Effect.gen(function* () {
      const [head, rest] = yield* Stream.peel(bytes, firstTwo)
      const whole = Stream.concat(Stream.fromIterable(head), rest)
      if (!isGzip(head.flatMap((chunk) => [...chunk.subarray(0, 2)]))) return whole
      return Stream.mapError(unpack(whole), (error) =>
        error._tag === "NotGzip"
          ? PullFailure.invalidAnswer(`An object is not gzip throughout: ${error.reason}`)
          : error
      )
    })
  )

const newline = 0x0a

/** Adds a missing final newline, which separates the last line from the next object's first. */
const endLine = (bytes: Bytes): Bytes =>
  Stream.suspend(() => {
    let last = newline
    const seen = Stream.map(bytes, (chunk) => {
      last = chunk.at(-1) ?? last
      return chunk
    })
    const end = Stream.suspend(() => (last === newline ? Stream.empty : Stream.succeed(Uint8Array.of(newline))))
    return Stream.concat(seen, end)
  })

const bucketOf = (config: Config, livemode: boolean, credential: string): ObjectStore.Bucket => {
  const opened = decodeS3Credential(credential)
  return {
    name: config.bucket,
    region: config.region,
    endpoint: endpointOf(config),
    pathStyle: config.force_path_style,
    livemode,
    keys: {
      accessKeyId: opened.access_key_id,
      secretAccessKey: Redacted.make(opened.secret_access_key),
      sessionToken: opened.session_token === null ? null : Redacted.make(opened.session_token)
    }
  }
}

export const content = (
  { gunzip, store }: { readonly store: Store; readonly gunzip: Gunzip["Service"] },
  options: { readonly config: Config; readonly credential: string; readonly livemode: boolean }
): Bytes =>
  Stream.suspend(() => {
    const { config, credential, livemode } = options
    const bucket = bucketOf(config, livemode, credential)
    const read = (key: string) => endLine(unpackFile(gunzip, rawBytes(store, bucket, key)))
    if (config.key !== null) return read(config.key)
    // A listed object that is missing has been removed since: the list is read again.
    const listed = (key: string) =>
      Stream.mapError(read(key), (failure) => (failure.code === noKey.code ? PullFailure.contentChange : failure))
    return keysUnder(store, bucket, config.prefix ?? "").pipe(
      Stream.orElseIfEmpty(() => Stream.fail(new PullFailure.PullFailure({ ...none, again: "never" }))),
      Stream.flatMap(listed)
    )
  })
