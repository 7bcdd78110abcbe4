import { createServer } from "node:http"
import { limbeck } from "./limbeck.ts"

export const server = createServer((request, response) => {
  if (!request.url?.startsWith("/limbeck/")) return response.end("Your own application\n")
  request.url = request.url.slice("/limbeck".length)
  limbeck.node(request, response)
})
