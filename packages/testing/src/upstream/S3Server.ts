/**
 * A small store that speaks the protocol of S3 over HTTP: lists and reads objects, pages, ranges and conditions included, for
 * who signs by Signature Version 4. Signatures are worked out here from the documentation of AWS, with none of its code.
 */
import { createHash, createHmac, timingSafeEqual } from "node:crypto"
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http"

export const credentials = { id: "AKIDEXAMPLE", secret: "wJalr/secret+kept", token: "session+token/kept" }

interface ObjectRequest {
  readonly url: string
  readonly range: string | undefined
  readonly ifMatch: string | undefined
}

export interface Store {
  /** Of the bucket `rows`. */
  readonly objects: Map<string, Buffer>
  readonly asked: Array<ObjectRequest>
  /** Keys of one page of a list. */
  pageSize: number
  /** May respond before the regular handler. */
  intercept: (request: IncomingMessage, response: ServerResponse, number: number) => boolean
}

export const make = (objects: Readonly<Record<string, string | Uint8Array>> = {}): Store => ({
  objects: new Map(Object.entries(objects).map(([key, content]) => [key, Buffer.from(content)])),
  asked: [],
  pageSize: 1_000,
  intercept: () => false
})

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex")
const hmac = (key: string | Buffer, text: string) => createHmac("sha256", key).update(text).digest()

const header = (request: IncomingMessage, name: string) => String(request.headers[name] ?? "")

const authorization =
  /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$/

/** Undefined where the signature is right; else what S3 says. */
const signatureFault = (request: IncomingMessage): string | undefined => {
  const [, id, date = "", region = "", names = "", signature = ""] =
    authorization.exec(header(request, "authorization")) ?? []
  if (id === undefined) return "AccessDenied"
  if (id !== credentials.id) return "InvalidAccessKeyId"
  const token = request.headers["x-amz-security-token"]
  if (token !== undefined && token !== credentials.token) return "InvalidToken"
  const signed = names.split(";")
  const isEnough = ["host", "x-amz-date", ...(token === undefined ? [] : ["x-amz-security-token"])]
  if (!isEnough.every((name) => signed.includes(name))) return "AccessDenied"
  const [path = "", query = ""] = (request.url ?? "").split("?")
  const canonical = [
    request.method,
    path,
    query.split("&").filter(Boolean).toSorted().join("&"),
    ...signed.map((name) => `${name}:${header(request, name).trim()}`),
    "",
    names,
    header(request, "x-amz-content-sha256")
  ].join("\n")
  const time = header(request, "x-amz-date")
  const toSign = ["AWS4-HMAC-SHA256", time, `${date}/${region}/s3/aws4_request`, sha256(canonical)].join("\n")
  const key = hmac(hmac(hmac(hmac(`AWS4${credentials.secret}`, date), region), "s3"), "aws4_request")
  const isRight = time.startsWith(date) && timingSafeEqual(hmac(key, toSign), Buffer.from(signature, "hex"))
  return isRight ? undefined : "SignatureDoesNotMatch"
}

const etagOf = (content: Buffer) => `"${createHash("md5").update(content).digest("hex")}"`

const refuse = (response: ServerResponse, status: number, code: string) =>
  void response
    .writeHead(status, { "content-type": "application/xml" })
    .end(`<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code><Message>No.</Message></Error>`)

const keyEncoded = (key: string) => encodeURIComponent(key).replaceAll("%2F", "/").replaceAll("%20", "+")

const list = (store: Store, search: URLSearchParams, response: ServerResponse) => {
  const prefix = search.get("prefix") ?? ""
  const after = search.get("continuation-token")
  const keys = [...store.objects.keys()]
    .filter((key) => key.startsWith(prefix))
    .toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
  const from = after === null ? 0 : keys.findIndex((key) => Buffer.from(key).toString("base64") === after) + 1
  const page = keys.slice(from, from + store.pageSize)
  const last = page.at(-1)
  const isTruncated = from + page.length < keys.length && last !== undefined
  const contents = page.map(
    (key) => `<Contents><Key>${keyEncoded(key)}</Key><Size>${store.objects.get(key)?.length}</Size></Contents>`
  )
  const next = isTruncated
    ? `<NextContinuationToken>${Buffer.from(last).toString("base64")}</NextContinuationToken>`
    : ""
  response.writeHead(200, { "content-type": "application/xml" }).end(
    `<?xml version="1.0" encoding="UTF-8"?>
<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Name>rows</Name><EncodingType>url</EncodingType>
<IsTruncated>${isTruncated}</IsTruncated>${contents.join("")}${next}</ListBucketResult>`
  )
}

const get = (content: Buffer, request: IncomingMessage, response: ServerResponse) => {
  const etag = etagOf(content)
  const condition = request.headers["if-match"]
  if (condition !== undefined && condition !== etag) return refuse(response, 412, "PreconditionFailed")
  const from = Number(/^bytes=(\d+)-$/.exec(header(request, "range"))?.[1] ?? 0)
  if (from > 0 && from >= content.length) return refuse(response, 416, "InvalidRange")
  const range = from === 0 ? {} : { "content-range": `bytes ${from}-${content.length - 1}/${content.length}` }
  response
    .writeHead(from === 0 ? 200 : 206, { etag, "content-length": content.length - from, ...range })
    .end(content.subarray(from))
}

/** Buckets are named by the path, or by the host: `rows.<host>`. */
export const listener =
  (store: Store): RequestListener =>
  (request, response) => {
    const number = store.asked.push({
      url: request.url ?? "",
      range: request.headers.range,
      ifMatch: request.headers["if-match"]
    })
    if (store.intercept(request, response, number - 1)) return
    const fault = signatureFault(request)
    if (fault !== undefined) return refuse(response, 403, fault)
    const { pathname, searchParams } = new URL(request.url ?? "", "http://here")
    const isByHost = header(request, "host").startsWith("rows.")
    const [, bucket, key = ""] = /^\/([^/]*)\/?(.*)$/.exec(isByHost ? `/rows${pathname}` : pathname) ?? []
    if (bucket === "closed") return refuse(response, 403, "AccessDenied")
    if (bucket === "abroad") return refuse(response, 301, "PermanentRedirect")
    if (bucket !== "rows") return refuse(response, 404, "NoSuchBucket")
    if (searchParams.get("list-type") === "2") return list(store, searchParams, response)
    const content = store.objects.get(decodeURIComponent(key))
    return content === undefined ? refuse(response, 404, "NoSuchKey") : get(content, request, response)
  }
