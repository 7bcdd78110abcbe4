// @effect-diagnostics globalFetch:off
/** What README promises to somebody who has an empty folder: its very lines, run there, and the clock beside them. */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import * as fs from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import * as path from "node:path"
import { createInterface } from "node:readline"
import { setTimeout } from "node:timers/promises"
import { freePort } from "../Alone.ts"

const readme = fs.readFileSync(path.resolve(import.meta.dirname, "../../../../README.md"), "utf8")

/** The lines of README's only block with `phrase`. */
const linesWith = (language: string, phrase: string): ReadonlyArray<string> => {
  const blocks = [...readme.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, "gms"))].map(
    ([, text = ""]) => text
  )
  const found = blocks.filter((text) => text.includes(phrase))
  if (found.length !== 1) throw new Error(`README has ${found.length} blocks with ${phrase}`)
  return (found[0] ?? "").split("\n").filter((line) => line !== "")
}

export const webhookLines = linesWith("ts", 'await events.publish({ type: "order.paid", object: { object')
const callLines = linesWith("sh", "npx limbeck source add")

const atMost = (max: number, lines: ReadonlyArray<string>): ReadonlyArray<string> =>
  lines.length <= max ? [] : [`README takes ${lines.length} lines where it may take ${max}`]

/** Runs `command` as the leader of a process group, so that all its processes can be ended. */
const start = (folder: string, command: string, more: Readonly<Record<string, string>> = {}): ChildProcess =>
  spawn("/bin/sh", ["-c", command], {
    cwd: folder,
    env: { ...process.env, ...more },
    stdio: ["ignore", "pipe", "inherit"],
    detached: true
  })

/** The first line that holds `phrase`; undefined when the program ends before. */
const lineOf = async (child: ChildProcess, phrase: string): Promise<string | undefined> => {
  for await (const line of createInterface({ input: child.stdout! })) {
    if (!line.includes(phrase)) continue
    child.stdout?.resume()
    return line
  }
  return undefined
}

const end = async (child: ChildProcess) => {
  const exited = once(child, "exit")
  if (child.exitCode === null) process.kill(-(child.pid ?? 0), "SIGTERM")
  if (child.exitCode === null) await exited
}

const verifies = async (folder: string, lines: ReadonlyArray<string>): Promise<ReadonlyArray<string>> => {
  fs.writeFileSync(path.join(folder, "main.ts"), lines.join("\n"))
  const program = start(folder, "exec node main.ts")
  try {
    const line = await lineOf(program, "verified:")
    return line === "verified: order.paid" ? [] : [`the program of README did not verify a webhook: ${line}`]
  } finally {
    await end(program)
  }
}

const completion = { choices: [{ index: 0, message: { role: "assistant", content: "Hi" }, finish_reason: "stop" }] }

const listening = async (answer: unknown) => {
  const server = createServer((request, response) => {
    const reply = () => response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answer))
    request.resume().once("end", reply)
  }).listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as AddressInfo // It listens on a port.
  return { server, port }
}

const callId = /^x-service-call-id: (\S+)/im

/** Whether the server has the call. */
const isCaptured = async (origin: string, folder: string, id: string): Promise<boolean> => {
  const token = /^LIMBECK_TOKEN=(.+)$/m.exec(fs.readFileSync(path.join(folder, ".env"), "utf8"))?.[1]
  for (let tries = 0; tries < 100; tries++) {
    const { status } = await fetch(`${origin}/v1/distill/calls/${id}`, {
      headers: { authorization: `Bearer ${token}` }
    })
    if (status === 200) return true
    await setTimeout(100)
  }
  return false
}

/** On a free port, and with a provider on this machine; else as README has it. */
const call = async (folder: string): Promise<ReadonlyArray<string>> => {
  const provider = await listening(completion)
  const port = String(await freePort())
  const [up = "", ...rest] = callLines.map((line) =>
    line.replace("https://api.openai.com/v1", `http://127.0.0.1:${provider.port}/v1`)
  )
  const server = start(folder, up, { PORT: port })
  try {
    if ((await lineOf(server, "Limbeck listens on")) === undefined) return ["limbeck up ended"]
    const shell = start(folder, rest.join("\n"), { OPENAI_API_KEY: "sk-nobodys" })
    const said = (await shell.stdout!.toArray()).join("")
    const id = callId.exec(said)?.[1]
    if (id === undefined) return [`the call of README was not proxied: ${said}`]
    return [
      ...((await isCaptured(`http://127.0.0.1:${port}`, folder, id)) ? [] : [`${id} was not captured`]),
      ...atMost(5, callLines)
    ]
  } finally {
    await end(server)
    provider.server.close()
  }
}

/** A step in a folder with freshly installed packages; returns its faults. */
export interface Step {
  readonly promise: string
  readonly take: (folder: string) => Promise<ReadonlyArray<string>>
}

export const firstWebhook: Step = {
  promise: "an empty folder has its first verified webhook by at most 12 lines of README (P342)",
  take: async (folder) => [...(await verifies(folder, webhookLines)), ...atMost(12, webhookLines)]
}

/** README's lines with the imports of the engine alone, which installs neither the loop nor the program. */
const leanLines = webhookLines.flatMap((line) =>
  line === 'import { memory, Webhooks } from "limbeck"'
    ? [
        'import { layer as memory } from "@limbeck/storage-memory/WebhookStorage"',
        'import * as Webhooks from "@limbeck/webhooks-host/Webhooks"'
      ]
    : [line]
)

export const leanWebhook: Step = {
  promise: "the first webhook is verified with the webhook engine alone installed (P1020)",
  take: (folder) => verifies(folder, leanLines)
}

export const firstCall: Step = {
  promise: "an empty folder has its first proxied and captured call by at most 5 lines of README (P343)",
  take: call
}
