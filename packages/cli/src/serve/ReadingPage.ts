/**
 * `GET /docs`: the OpenAPI document of this very server as a page to read, by Swagger UI from the package's own files. It asks
 * nothing of any other origin, and its policy would not let it.
 */
import { createRequire } from "node:module"
import { type StaticFile, type StaticFiles, types } from "@limbeck/dashboard/StaticFiles"

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

const daySeconds = 86_400

const own = (type: string, body: string, keptSeconds: number): StaticFile => ({
  type,
  body,
  keptSeconds,
  tag: `${version}-${start.length + page.length}`
})

/** It changes with its package. */
const packaged = (type: string, name: string): StaticFile => ({
  type,
  body: { file: require.resolve(`swagger-ui-dist/${name}`) },
  keptSeconds: daySeconds,
  tag: version
})

const { css = "", html = "", js = "", png = "" } = types

export const files: StaticFiles = {
  "/docs": own(html, page, 0),
  "/docs/start.js": own(js, start, daySeconds),
  "/docs/swagger-ui-bundle.js": packaged(js, "swagger-ui-bundle.js"),
  "/docs/swagger-ui.css": packaged(css, "swagger-ui.css"),
  "/docs/favicon.png": packaged(png, "favicon-32x32.png")
}
