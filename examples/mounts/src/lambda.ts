import { limbeck } from "./limbeck.ts"

/** Of an event of an HTTP API or a function URL, format 2.0, what a request is made of. */
export interface LambdaEvent {
  readonly rawPath: string
  readonly rawQueryString: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  readonly isBase64Encoded: boolean
  readonly requestContext: { readonly http: { readonly method: string } }
}

export const handler = async (event: LambdaEvent) => {
  const { body, headers, isBase64Encoded, rawPath, rawQueryString, requestContext } = event
  const path = rawPath.slice("/limbeck".length)
  const url = `https://${headers["host"]}${path}${rawQueryString === "" ? "" : `?${rawQueryString}`}`
  const bytes = body === undefined ? null : Buffer.from(body, isBase64Encoded ? "base64" : "utf8")
  const response = await limbeck.fetch(new Request(url, { method: requestContext.http.method, headers, body: bytes }))
  return {
    statusCode: response.status,
    headers: Object.fromEntries(response.headers),
    body: Buffer.from(await response.arrayBuffer()).toString("base64"),
    isBase64Encoded: true
  }
}
