import { limbeck } from "./limbeck.ts"

const handle = (request: Request): Promise<Response> => {
  const url = new URL(request.url)
  url.pathname = url.pathname.slice("/limbeck".length)
  return limbeck.fetch(new Request(url, request))
}

export { handle as DELETE, handle as GET, handle as HEAD, handle as PATCH, handle as POST, handle as PUT }
export const runtime = "nodejs"
export const dynamic = "force-dynamic"
