/** Files that a server answers itself, each with its type and the policy of its page. */
import * as fs from "node:fs"
import type { IncomingMessage, ServerResponse } from "node:http"

/** A request handler for `node:http`, Express or Fastify. */
export interface NodeHandler {
  (request: IncomingMessage, response: ServerResponse): void
  /** The headers of every API response, also sent with the files. */
  readonly responseHeaders?: () => Readonly<Record<string, string>>
}

export interface StaticFile {
  /** Its `Content-Type`. */
  readonly type: string
  readonly body: string | { readonly file: string }
  /** How long browsers keep it, in seconds; 0 means that they ask each time. */
  readonly keptSeconds: number
  /** Changes when the content does. */
  readonly tag: string
  /** Compressed forms of the content, by coding (`Accept-Encoding`); the first accepted one is sent. */
  readonly coded?: ReadonlyArray<readonly [coding: string, file: string]>
}

/** By the path that is asked for, from the server's root. */
export type StaticFiles = Readonly<Record<string, StaticFile>>

export const types: Readonly<Record<string, string>> = {
  css: "text/css; charset=utf-8",
  html: "text/html; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  png: "image/png",
  svg: "image/svg+xml",
  txt: "text/plain; charset=utf-8"
}

/** Nothing of another origin, and no script or style inside the page. Styles that scripts set on elements are no inline styles. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'"
].join("; ")

const never = /^\s*q=0(\.0*)?\s*$/i

/** Whether `Accept-Encoding` names the coding, and does not refuse it (RFC 9110, 12.5.3). */
const takes = (accepted: string, coding: string): boolean =>
  accepted.split(",").some((entry) => {
    const [name = "", ...parameters] = entry.split(";")
    return name.trim().toLowerCase() === coding && !parameters.some((parameter) => never.test(parameter))
  })

const headersOf = ({ keptSeconds, tag, type }: StaticFile) => ({
  "content-type": type,
  "content-security-policy": policy,
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cache-control": keptSeconds === 0 ? "no-cache" : `public, max-age=${keptSeconds}`,
  etag: `"${tag}"`
})

/** As the client takes it: each coding has a tag of its own. */
const codedFor = (file: StaticFile, request: IncomingMessage) => {
  const { coded = [] } = file
  const accepted = String(request.headers["accept-encoding"] ?? "")
  const [coding, at] = coded.find(([name]) => takes(accepted, name)) ?? []
  const varies = coded.length === 0 ? {} : { vary: "Accept-Encoding" }
  if (coding === undefined || at === undefined) return { file, headers: { ...headersOf(file), ...varies } }
  const sent = { ...file, body: { file: at }, tag: `${file.tag}-${coding}` }
  return { file: sent, headers: { ...headersOf(sent), ...varies, "content-encoding": coding } }
}

/** `common`: the headers of every response. */
const send = (
  asked: StaticFile,
  common: Readonly<Record<string, string>>,
  request: IncomingMessage,
  response: ServerResponse
) => {
  const { file, headers: own } = codedFor(asked, request)
  const headers = { ...common, ...own }
  if (request.headers["if-none-match"] === own.etag) return response.writeHead(304, headers).end()
  const { body } = file
  if (typeof body === "string") {
    return response
      .writeHead(200, { ...headers, "content-length": Buffer.byteLength(body) })
      .end(request.method === "HEAD" ? "" : body)
  }
  response.writeHead(200, { ...headers, "content-length": fs.statSync(body.file).size })
  return request.method === "HEAD"
    ? response.end()
    : fs
        .createReadStream(body.file)
        .on("error", () => response.destroy())
        .pipe(response)
}

/** Answers these files itself, and leaves everything else to `handler`. */
export const wrap = (files: StaticFiles, handler: NodeHandler): NodeHandler => {
  const { responseHeaders = () => ({}) } = handler
  const answer: NodeHandler = (request, response) => {
    const [path = ""] = (request.url ?? "").split("?")
    const file = Object.hasOwn(files, path) ? files[path] : undefined
    const isRead = request.method === "GET" || request.method === "HEAD"
    if (file === undefined || !isRead) return handler(request, response)
    send(file, responseHeaders(), request, response)
  }
  return Object.assign(answer, { responseHeaders })
}
