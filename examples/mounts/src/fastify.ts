import Fastify, { type FastifyInstance } from "fastify"
import { limbeck } from "./limbeck.ts"

const prefix = "/limbeck"

/** In a scope of its own, where Fastify reads no bodies. */
const limbeckPlugin = async (scope: FastifyInstance) => {
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser("*", (_request, _payload, done) => done(null))
  scope.all("/*", (request, reply) => {
    reply.hijack()
    request.raw.url = request.raw.url?.slice(prefix.length) ?? "/"
    limbeck.node(request.raw, reply.raw)
  })
}

export const app = Fastify()
app.register(limbeckPlugin, { prefix })
app.post<{ Body: { item: string } }>("/orders", async ({ body }) => ({ item: body.item }))
