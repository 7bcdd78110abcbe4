// A receiver has no Effect clock.
// @effect-diagnostics globalDate:off
/**
 * Verifies a webhook: that its bytes were signed with your secret, and lately (service-api 6.3). Imports nothing and needs
 * nothing but Web Crypto, so it runs in Node, Bun, Deno, browsers' and edge workers.
 */
import type { OwnResources, WebhookEvent } from "./events.ts"

export type { EventResources, OwnResources, SignedEvent, WebhookEvent } from "./events.ts"

/** Largest accepted distance of a signature's timestamp (service-api 6.3). */
const defaultToleranceSeconds = 300

/** Why a webhook is refused; stable, for programs. */
export type Reason = "missing_header" | "malformed_header" | "expired" | "no_match" | "not_json"

/** An invalid webhook, with the reason. */
export interface Refusal {
  readonly valid: false
  readonly reason: Reason
  /** For a person: the cause and the remedy. */
  readonly hint: string
}

/** What `verify` returns: the event, or why it is refused. */
export type Verification<Own extends OwnResources = Record<never, never>> =
  | { readonly valid: true; readonly event: WebhookEvent<Own> }
  | Refusal

/** How strictly a signature is checked. */
export interface VerifyOptions {
  /** How far the signature's time may be from `now`, either way; 300 s by default. */
  readonly toleranceSeconds?: number
  /** Milliseconds since 1970; the system's clock by default. */
  readonly now?: () => number
}

const refuse = (reason: Reason, hint: string): Refusal => ({ valid: false, reason, hint })

const utf8 = new TextEncoder()
/** Only UTF-8 can be JSON. */
const strictUtf8 = new TextDecoder("utf-8", { fatal: true })

interface SignatureHeader {
  readonly timestamp: string
  readonly digests: ReadonlyArray<string>
}

/** `t=<unix seconds>,v1=<hex>[,v1=<hex>]`, in any order, among fields that we do not know. Text: why it is not that. */
const parseHeader = (header: string): SignatureHeader | string => {
  const fields = header.split(",").map((field) => field.trim())
  const valuesOf = (name: string) =>
    fields.filter((field) => field.startsWith(name)).map((field) => field.slice(name.length))
  const [timestamp, ...more] = valuesOf("t=")
  const digests = valuesOf("v1=")
  if (timestamp === undefined) return "the signature header has no t="
  if (more.length > 0) return "the signature header has more than one t=: it was joined from two, or tampered with"
  if (!/^\d{1,15}$/.test(timestamp)) return "t= in the signature header is not a whole number of seconds"
  if (digests.length === 0) return "the signature header has no v1="
  return { timestamp, digests }
}

const secretsOf = (secret: string | ReadonlyArray<string>): ReadonlyArray<string> => {
  const secrets = typeof secret === "string" ? [secret] : secret
  const complete =
    Array.isArray(secrets) && secrets.length > 0 && secrets.every((one) => typeof one === "string" && one !== "")
  // The receiver's own fault: a refusal would cost the delivery.
  if (!complete) throw new TypeError("No webhook secret was given, or an empty one: is its environment variable set?")
  return secrets
}

/** The signed bytes, copied, so that the parsed bytes are the verified bytes. */
const messageOf = (timestamp: string, body: string | Uint8Array): Uint8Array<ArrayBuffer> => {
  const head = utf8.encode(`${timestamp}.`)
  const tail = typeof body === "string" ? utf8.encode(body) : body
  const message = new Uint8Array(head.length + tail.length)
  message.set(head)
  message.set(tail, head.length)
  return message
}

const digestOf = async (secret: string, message: Uint8Array<ArrayBuffer>): Promise<Uint8Array> => {
  const { subtle } = globalThis.crypto
  const key = await subtle.importKey("raw", utf8.encode(secret), { name: "HMAC", hash: "SHA-256" }, false, ["sign"])
  return new Uint8Array(await subtle.sign("HMAC", key, message))
}

const toHex = (bytes: Uint8Array): string => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")

/** Constant time for texts of one length; only the length, which is no secret, shows. */
const isEqual = (left: string, right: string): boolean => {
  if (left.length !== right.length) return false
  let difference = 0
  for (let at = 0; at < left.length; at++) difference |= left.charCodeAt(at) ^ right.charCodeAt(at)
  return difference === 0
}

/** One HMAC per secret, however many digests the header has: a long header buys no work. */
const isSigned = async (
  secrets: ReadonlyArray<string>,
  { digests }: SignatureHeader,
  message: Uint8Array<ArrayBuffer>
): Promise<boolean> => {
  const expected = await Promise.all(secrets.map(async (secret) => toHex(await digestOf(secret, message))))
  // Compares every pair: the duration reveals nothing about the matching secret.
  return expected.map((one) => digests.map((digest) => isEqual(digest, one)).includes(true)).includes(true)
}

/** Bytes and text as they are; text says why it is neither. */
const bytesOf = (body: unknown): { readonly bytes: string | Uint8Array } | string => {
  if (typeof body === "string") return { bytes: body }
  if (ArrayBuffer.isView(body)) return { bytes: new Uint8Array(body.buffer, body.byteOffset, body.byteLength) }
  // Checks the tag: a buffer of another realm is no instance of ours.
  if (Object.prototype.toString.call(body) === "[object ArrayBuffer]") {
    // An ArrayBuffer, says its tag.
    return { bytes: new Uint8Array(body as ArrayBuffer) }
  }
  if (body === undefined || body === null) return "there is no body: pass the raw bytes of the request"
  return "the body was parsed, it is an object: pass the raw bytes, taken before any body parser"
}

const parseJson = (bytes: Uint8Array): unknown => {
  try {
    return JSON.parse(strictUtf8.decode(bytes))
  } catch {
    return undefined
  }
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Looks for the usual mistakes. The hint helps the reader and admits nothing. */
const hintFor = async (
  secrets: ReadonlyArray<string>,
  signed: SignatureHeader,
  message: Uint8Array<ArrayBuffer>
): Promise<string> => {
  const body = parseJson(message.subarray(signed.timestamp.length + 1))
  const compact = body === undefined ? undefined : messageOf(signed.timestamp, JSON.stringify(body))
  if (compact !== undefined && (await isSigned(secrets, signed, compact))) {
    return "the body was parsed and serialised again: pass the raw bytes"
  }
  if (secrets.some((secret) => secret !== secret.trim())) return "the secret begins or ends with white space"
  if (secrets.some((secret) => !secret.startsWith("whsec_"))) {
    return "the secret does not begin with whsec_: pass it whole, as the endpoint's creation or rotation showed it"
  }
  return "the secret is of another endpoint or was replaced, or the body is not the raw bytes that were sent"
}

const hintForTime = (offSeconds: number, tolerance: number): string => {
  const seconds = Math.ceil(Math.abs(offSeconds))
  const direction =
    offSeconds > 0 ? "signed in the past, so it may be an old request sent again" : "signed in the future"
  return `the clock is off by ${seconds} s, where ${tolerance} s are allowed; or the request was ${direction}`
}

/**
 * Verifies that these bytes are an event signed with one of the secrets, within the tolerance.
 *
 * @param rawBody the raw bytes of the request, before any parser.
 * @param header the value of `Service-Signature`.
 * @param secret the endpoint's whole secret, `whsec_` included; several while you rotate it, or for several endpoints.
 * @typeParam Own event types of your own, with the resource of each.
 * @throws TypeError (as a rejection) for a missing or empty secret: never the sender's fault.
 */
export const verify = async <Own extends OwnResources = Record<never, never>>(
  rawBody: string | Uint8Array | ArrayBuffer,
  header: string | null | undefined,
  secret: string | ReadonlyArray<string>,
  options: VerifyOptions = {}
): Promise<Verification<Own>> => {
  const secrets = secretsOf(secret)
  if (header === null || header === undefined || header === "") {
    return refuse(
      "missing_header",
      "there is no signature header: a proxy removed it, or somebody else sent the request"
    )
  }
  const signed = parseHeader(header)
  if (typeof signed === "string") return refuse("malformed_header", signed)
  const tolerance = options.toleranceSeconds ?? defaultToleranceSeconds
  const offSeconds = (options.now ?? Date.now)() / 1000 - Number(signed.timestamp)
  // The negated comparison also refuses a NaN tolerance or clock.
  if (!(Math.abs(offSeconds) <= tolerance)) return refuse("expired", hintForTime(offSeconds, tolerance))
  const body = bytesOf(rawBody)
  if (typeof body === "string") return refuse("no_match", body)
  const message = messageOf(signed.timestamp, body.bytes)
  if (!(await isSigned(secrets, signed, message))) {
    return refuse("no_match", await hintFor(secrets, signed, message))
  }
  const event = parseJson(message.subarray(signed.timestamp.length + 1))
  if (!isRecord(event) || typeof event["id"] !== "string" || typeof event["type"] !== "string") {
    return refuse("not_json", "the signature is right, but the body is not an event in JSON")
  }
  // The signature proves the sender, which sends this type.
  return { valid: true, event: event as unknown as WebhookEvent<Own> }
}

/** Thrown by `unwrap` for an invalid webhook. */
export class WebhookVerificationError extends Error {
  override readonly name = "WebhookVerificationError"
  readonly reason: Reason
  readonly hint: string

  constructor({ hint, reason }: Refusal) {
    super(`The webhook is not valid (${reason}): ${hint}`)
    this.reason = reason
    this.hint = hint
  }
}

/** The event, as `verify` finds it; what is not valid throws a `WebhookVerificationError`. */
export const unwrap = async <Own extends OwnResources = Record<never, never>>(
  ...given: Parameters<typeof verify>
): Promise<WebhookEvent<Own>> => {
  const result = await verify<Own>(...given)
  if (!result.valid) throw new WebhookVerificationError(result)
  return result.event
}
