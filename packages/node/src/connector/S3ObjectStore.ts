/**
 * Reads buckets with AWS's own client, which signs requests and reads answers; they go over `Remote`, and so through the
 * egress guard. The client is installed by hosts that pull from buckets, and
 * loaded at the first use: it takes 30 MB.
 */
import { Readable } from "node:stream"
import type { S3Client, S3ClientConfig, S3ServiceException } from "@aws-sdk/client-s3"
import * as Bytes from "@limbeck/core/bytes/Bytes"
import type { EgressPolicy } from "@limbeck/core/egress/EgressPolicy"
import {
  type Bucket,
  ObjectAnswerInvalid,
  ObjectClientMissing,
  type ObjectError,
  ObjectRefused,
  ObjectStore
} from "@limbeck/distill/connector/ObjectStore"
import { beginsAt, Remote, type RemoteAnswer, RemoteError, strongEtag } from "@limbeck/distill/connector/Remote"
import { DistillLimits } from "@limbeck/distill/Limits"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"

/** The fields of the client's request that we read. */
interface SignedRequest {
  readonly protocol: string
  readonly hostname: string
  readonly port?: number | undefined
  /** Escaped. */
  readonly path: string
  readonly query: Readonly<Record<string, string | ReadonlyArray<string> | null>>
  readonly headers: Readonly<Record<string, string>>
}

/** As the signature has it: everything but unreserved characters (RFC 3986, 2.3). */
const escape = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)

const queryOf = (query: SignedRequest["query"]): string =>
  Object.entries(query)
    .flatMap(([name, value]) => [value ?? ""].flat().map((one) => `${escape(name)}=${escape(one)}`))
    .join("&")

const urlOf = ({ hostname, path, port, protocol, query }: SignedRequest): string | undefined => {
  const search = queryOf(query)
  const text = `${protocol}//${hostname}${port === undefined ? "" : `:${port}`}${path}${search === "" ? "" : `?${search}`}`
  // A key with dots for a segment would lead to another object: no URL says it.
  return URL.canParse(text) && new URL(text).pathname === path ? text : undefined
}

/** `Remote` has a name of its own to give. */
const headersOf = ({ headers }: SignedRequest) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => name.toLowerCase() !== "user-agent"))

const isContent = ({ statusCode }: RemoteAnswer): boolean => statusCode === 200 || statusCode === 206

const tooLong = () =>
  new ObjectAnswerInvalid({ message: `An answer is more than ${DistillLimits.pullAnswerBytesMax} bytes` })

/** Ignores the machine's own AWS settings: they belong to the operator, and the bucket to a tenant. */
const configOf = (bucket: Bucket): S3ClientConfig => ({
  region: bucket.region,
  endpoint: bucket.endpoint,
  forcePathStyle: bucket.pathStyle,
  credentials: {
    accessKeyId: bucket.keys.accessKeyId,
    secretAccessKey: Redacted.value(bucket.keys.secretAccessKey),
    ...(bucket.keys.sessionToken === null ? {} : { sessionToken: Redacted.value(bucket.keys.sessionToken) })
  },
  // Who asks knows how often to try, and where to go on.
  maxAttempts: 1,
  retryMode: "standard",
  defaultsMode: "standard",
  followRegionRedirects: false,
  useAccelerateEndpoint: false,
  useArnRegion: false,
  useDualstackEndpoint: false,
  useFipsEndpoint: false,
  disableMultiregionAccessPoints: true,
  disableS3ExpressSessionAuth: true,
  requestChecksumCalculation: "WHEN_REQUIRED",
  responseChecksumValidation: "WHEN_REQUIRED",
  userAgentAppId: async () => undefined
})

type Library = typeof import("@aws-sdk/client-s3")

/** An optional peer: only installations that pull from buckets need it. */
const load = Effect.tryPromise({
  try: () => import("@aws-sdk/client-s3"),
  catch: () => new ObjectClientMissing({ package: "@aws-sdk/client-s3" })
})

type Failure = RemoteError | ObjectAnswerInvalid

interface S3Call {
  /** Whose body is left to the caller. */
  content?: RemoteAnswer
  failure?: Failure
}

interface ObjectRequest {
  readonly bucket: Bucket
  /** Whether a good answer is a content, which the client does not read. */
  readonly isContent: boolean
}

const respond = (
  remote: Remote["Service"],
  { bucket, isContent: wantsContent }: ObjectRequest,
  seen: S3Call
): ((request: SignedRequest) => Effect.Effect<unknown, Failure, Scope.Scope>) =>
  Effect.fnUntraced(
    function* (request) {
      const url = urlOf(request)
      if (url === undefined) return yield* new RemoteError({ reason: "invalid_url" })
      const answer = yield* remote.get({ url, livemode: bucket.livemode, headers: headersOf(request) })
      const { headers, statusCode } = answer
      const isLeft = wantsContent && isContent(answer)
      if (isLeft) seen.content = answer
      const body = Readable.from(
        isLeft ? [] : [yield* Bytes.whole(answer.body, DistillLimits.pullAnswerBytesMax, tooLong)]
      )
      return { response: { statusCode, headers, body } }
    },
    Effect.tapError((failure) => Effect.sync(() => (seen.failure = failure)))
  )

const refusalOf = (error: unknown): ObjectError => {
  // The client's own error class carries the response; any other error means an unreadable response.
  const { $metadata, name } = error as Partial<S3ServiceException>
  const statusCode = $metadata?.httpStatusCode
  return statusCode === undefined || statusCode < 300
    ? new ObjectAnswerInvalid({ message: "The store's answer is not one of S3" })
    : new ObjectRefused({ statusCode, code: name ?? "" })
}

const decoded = (key: string): string => {
  try {
    return decodeURIComponent(key.replaceAll("+", " "))
  } catch {
    return key
  }
}

export const layer = ({ policy }: { readonly policy: EgressPolicy }): Layer.Layer<ObjectStore, never, Remote> =>
  Layer.effect(
    ObjectStore,
    Effect.gen(function* () {
      const remote = yield* Remote
      const library = yield* Effect.cached(load)

      /** Sends one request. The response content, if any, lives as long as the scope. */
      const send = Effect.fnUntraced(function* <A>(
        asked: ObjectRequest,
        command: (library: Library, client: S3Client, signal: AbortSignal) => Promise<A>
      ) {
        const loaded = yield* library
        const run = Effect.runPromiseWith(yield* Effect.context<Scope.Scope>())
        const seen: S3Call = {}
        const respondTo = respond(remote, asked, seen)
        const client = new loaded.S3Client({
          ...configOf(asked.bucket),
          requestHandler: {
            metadata: { handlerProtocol: "http/1.1" },
            // The client takes any answer of this shape.
            handle: (request: SignedRequest, { abortSignal }: { abortSignal?: AbortSignal } = {}) =>
              run(respondTo(request), { signal: abortSignal }) as Promise<never>
          }
        })
        const output = yield* Effect.tryPromise({
          try: (signal) => command(loaded, client, signal),
          catch: (error) => seen.failure ?? refusalOf(error)
        })
        return { output, content: seen.content }
      })

      const list = Effect.fn("ObjectStore.list")(function* (
        bucket: Bucket,
        { after, prefix }: { readonly prefix: string; readonly after: string | null }
      ) {
        const { output } = yield* send({ bucket, isContent: false }, ({ ListObjectsV2Command }, client, signal) =>
          client.send(
            new ListObjectsV2Command({
              Bucket: bucket.name,
              Prefix: prefix,
              EncodingType: "url",
              ...(after === null ? {} : { ContinuationToken: after })
            }),
            { abortSignal: signal }
          )
        )
        const keys = (output.Contents ?? []).flatMap(({ Key: key }) => (key === undefined ? [] : [key]))
        const next = output.IsTruncated === true ? (output.NextContinuationToken ?? null) : null
        return { keys: output.EncodingType === "url" ? keys.map(decoded) : keys, next }
      }, Effect.scoped)

      const read = Effect.fn("ObjectStore.read")(function* (
        bucket: Bucket,
        { etag, from, key }: { readonly key: string; readonly from: number; readonly etag: string | null }
      ) {
        const { content } = yield* send({ bucket, isContent: true }, ({ GetObjectCommand }, client, signal) =>
          client.send(
            new GetObjectCommand({
              Bucket: bucket.name,
              Key: key,
              ...(from === 0 ? {} : { Range: `bytes=${from}-` }),
              ...(etag === null ? {} : { IfMatch: etag })
            }),
            { abortSignal: signal }
          )
        )
        if (content === undefined) {
          return yield* new ObjectAnswerInvalid({ message: "The store's answer has no content" })
        }
        const found = strongEtag(content)
        if (etag !== null && found !== etag) return yield* new ObjectRefused({ statusCode: 412, code: "Changed" })
        const isThere = from === 0 || beginsAt(content, from)
        if (!isThere) return yield* new ObjectRefused({ statusCode: 416, code: "NoRanges" })
        return { etag: found, body: content.body }
      })

      return ObjectStore.of({ policy, list, read })
    })
  )
