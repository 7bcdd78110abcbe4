/**
 * `GET /docs`: the OpenAPI document of this very server as a page to read, by Swagger UI from the package's own files. It asks
 * nothing of any other origin, and its policy would not let it.
 */
import * as fs from "node:fs"
import type { IncomingMessage, ServerResponse } from "node:http"
import { createRequire } from "node:module"
import type { NodeHandler } from "@limbeck/server/Mounts"

const require = createRequire(import.meta.url)
const { version } = require("swagger-ui-dist/package.json") as { readonly version: string } // It is a package's own.

/** Places are relative: a server may be reached under a path. */
const page = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>API</title>
    <link rel="icon" href="docs/favicon.png">
    <link rel="stylesheet" href="docs/swagger-ui.css">
  </head>
  <body>
    <div id="page"></div>
    <script src="docs/swagger-ui-bundle.js"></script>
    <script src="docs/start.js"></script>
  </body>
</html>
`

/** Tokens that a reader types in are forgotten with the page, and no validator is asked. */
const start = `SwaggerUIBundle({
  url: "v1/openapi.json",
  dom_id: "#page",
  deepLinking: true,
  docExpansion: "none",
  defaultModelsExpandDepth: 0,
  persistAuthorization: false,
  validatorUrl: null
})
`

interface Asset {
  readonly type: string
  readonly body: string | { readonly file: string }
}

const packaged = (type: string, name: string): Asset => ({
  type,
  body: { file: require.resolve(`swagger-ui-dist/${name}`) }
})

const script = "text/javascript; charset=utf-8"

const assets: Readonly<Record<string, Asset>> = {
  "/docs": { type: "text/html; charset=utf-8", body: page },
  "/docs/start.js": { type: script, body: start },
  "/docs/swagger-ui-bundle.js": packaged(script, "swagger-ui-bundle.js"),
  "/docs/swagger-ui.css": packaged("text/css; charset=utf-8", "swagger-ui.css"),
  "/docs/favicon.png": packaged("image/png", "favicon-32x32.png")
}

/** Styles that scripts set on elements are no inline styles to a browser; icons are in the style sheet as data. */
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

/** The files change with their package, and the rest with ours: after a day, and after a reload, a browser asks again. */
const headersOf = ({ type }: Asset) => ({
  "content-type": type,
  "content-security-policy": policy,
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cache-control": type.startsWith("text/html") ? "no-cache" : "public, max-age=86400",
  etag: `"${version}-${start.length + page.length}"`
})

const send = (asset: Asset, request: IncomingMessage, response: ServerResponse) => {
  const headers = headersOf(asset)
  if (request.headers["if-none-match"] === headers.etag) return response.writeHead(304, headers).end()
  const { body } = asset
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

/** Answers the page and its files itself, and leaves everything else to `handler`. */
export const around =
  (handler: NodeHandler): NodeHandler =>
  (request, response) => {
    const [path = ""] = (request.url ?? "").split("?")
    const asset = Object.hasOwn(assets, path) ? assets[path] : undefined
    const isRead = request.method === "GET" || request.method === "HEAD"
    if (asset === undefined || !isRead) return handler(request, response)
    send(asset, request, response)
  }
