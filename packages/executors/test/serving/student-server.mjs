/**
 * A small student server in plain Node that follows docs/deployments.md: requires its process's key, answers with its
 * artifact's text, calls the first offered tool, and writes its identity to a diary. Arguments: the artifact, the port, the
 * diary, and the behaviour.
 */
import { appendFileSync, readdirSync, readFileSync, statSync } from "node:fs"
import { createServer } from "node:http"
import path from "node:path"

const [artifact, port, diary, behavior = ""] = process.argv.slice(2)
const { LIMBECK_API_KEY, LIMBECK_ARTIFACT_DIR, LIMBECK_HOST, LIMBECK_MODEL, LIMBECK_PORT } = process.env
const fileIn = (place) =>
  statSync(place).isDirectory() ? fileIn(path.join(place, readdirSync(place).sort().at(-1))) : place
const wordsIn = (place) => readFileSync(fileIn(place), "utf8").trim()
const words = wordsIn(artifact)
const isTold = LIMBECK_ARTIFACT_DIR === artifact && LIMBECK_PORT === port && LIMBECK_HOST === "127.0.0.1"

const names = Object.keys(process.env)
appendFileSync(diary, `${JSON.stringify({ pid: process.pid, port: Number(port), words, isTold, names })}\n`)
if (behavior === "telling") {
  const environment = Object.entries(process.env).map(([name, value]) => `${name}=${value}\n`)
  process.stderr.write(environment.join(""))
  appendFileSync(diary, `${JSON.stringify({ pid: process.pid, environment })}\n`)
}
if (behavior === "dies") process.exit(3)
if (behavior === "stubborn") process.on("SIGTERM", () => {})

/** The text of each model: the started one, and loaded adapters. */
const models = new Map([[LIMBECK_MODEL, words]])

const saidTo = ({ messages, model }) => (behavior === "echo" ? messages.at(-1).content : models.get(model))

const messageOf = ({ tools, ...sent }) => {
  const words = saidTo(sent)
  if (tools === undefined) return { role: "assistant", content: words }
  const { name } = tools[0].function
  const call = { id: "call_1", type: "function", function: { name, arguments: JSON.stringify({ words }) } }
  return { role: "assistant", content: null, tool_calls: [call] }
}

const completion = (sent) => ({
  id: "chatcmpl-1",
  object: "chat.completion",
  created: 1,
  model: sent.model,
  choices: [{ index: 0, message: messageOf(sent), finish_reason: sent.tools === undefined ? "stop" : "tool_calls" }],
  usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 }
})

const streamed = (response, sent) => {
  response.writeHead(200, { "content-type": "text/event-stream" })
  const chunk = (delta, finish_reason = null) => {
    const choices = [{ index: 0, delta, finish_reason }]
    const body = { id: "chatcmpl-1", object: "chat.completion.chunk", created: 1, model: sent.model, choices }
    response.write(`data: ${JSON.stringify(body)}\n\n`)
  }
  chunk({ role: "assistant", content: "" })
  for (const word of saidTo(sent).split(/(?<= )/)) chunk({ content: word })
  chunk({}, "stop")
  response.end("data: [DONE]\n\n")
}

createServer(async (request, response) => {
  const json = (status, body) =>
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body))
  if (request.url === "/health" && behavior !== "models-only") return json(200, { status: "ok" })
  if (request.headers.authorization !== `Bearer ${LIMBECK_API_KEY}`) return json(401, { error: { message: "no key" } })
  if (request.url === "/v1/models") return json(200, { object: "list", data: [{ id: LIMBECK_MODEL, object: "model" }] })
  const sent = JSON.parse((await request.toArray()).join(""))
  const task = behavior === "adapters" ? /^\/v1\/(load|unload)_lora_adapter$/.exec(request.url)?.[1] : undefined
  if (task !== undefined) {
    const { lora_name, lora_path } = sent
    if (task === "unload") models.delete(lora_name)
    else models.set(lora_name, wordsIn(lora_path))
    appendFileSync(diary, `${JSON.stringify({ pid: process.pid, task, model: lora_name })}\n`)
    return json(200, {})
  }
  if (request.url !== "/v1/chat/completions") return json(404, { error: { message: "no such path" } })
  if (!models.has(sent.model)) return json(404, { error: { message: "no such model" } })
  return sent.stream === true ? streamed(response, sent) : json(200, completion(sent))
}).listen(Number(port), LIMBECK_HOST)
