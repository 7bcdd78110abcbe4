/**
 * Ray's job API as Ray 2.60 speaks it, on one machine: it really runs entrypoints, as Ray does, each in a session of its own.
 * A job begins when what it asks for is free. `npm run check:ray` runs the same tests on a real cluster.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { setTimeout as sleep } from "node:timers/promises"

interface Submitted {
  readonly entrypoint: string
  readonly submission_id: string
  readonly metadata: Readonly<Record<string, string>> | null
  readonly entrypoint_num_cpus?: number
  readonly entrypoint_num_gpus?: number
}

interface Job {
  readonly asked: Submitted
  status: "PENDING" | "RUNNING" | "STOPPED" | "SUCCEEDED" | "FAILED"
  message: string
  child: ChildProcess | null
  isStopping: boolean
}

/** A group is signaled until nobody is left in it. */
const signal = (child: ChildProcess | null, name: "SIGTERM" | "SIGKILL"): void => {
  try {
    if (child?.pid !== undefined) process.kill(-child.pid, name)
  } catch {
    // Gone already.
  }
}

const messages = {
  PENDING:
    "Job has not started yet. It may be waiting for resources (CPUs, GPUs, memory, custom resources) to become available.",
  RUNNING: "Job is currently running.",
  STOPPED: "Job was intentionally stopped.",
  SUCCEEDED: "Job finished successfully."
} as const

const bodyOf = async (request: IncomingMessage): Promise<unknown> => {
  const chunks: Array<Buffer> = []
  for await (const chunk of request) chunks.push(chunk)
  return JSON.parse(Buffer.concat(chunks).toString() || "null")
}

const send = (response: ServerResponse, status: number, body: unknown): void => {
  const isText = typeof body === "string"
  response.writeHead(status, {
    "content-type": isText ? "text/plain; charset=utf-8" : "application/json; charset=utf-8"
  })
  response.end(isText ? body : JSON.stringify(body))
}

const shown = ({ asked, child, message, status }: Job) => ({
  type: "SUBMISSION",
  job_id: null,
  submission_id: asked.submission_id,
  status,
  entrypoint: asked.entrypoint,
  message,
  metadata: asked.metadata,
  runtime_env: null,
  driver_exit_code: child?.exitCode ?? null
})

export const make = async ({ cpus = 1, port = 0 }: { readonly cpus?: number; readonly port?: number } = {}) => {
  const jobs = new Map<string, Job>()
  const submissions: Array<Submitted> = []
  let free = cpus
  let answersLost = 0

  const end = (job: Job, status: Job["status"], message: string): void => {
    job.status = status
    job.message = message
    free += job.asked.entrypoint_num_cpus ?? 0
    // What the entrypoint left behind goes with Ray's supervisor of the job.
    signal(job.child, "SIGKILL")
    startWaiting()
  }

  const start = (job: Job): void => {
    free -= job.asked.entrypoint_num_cpus ?? 0
    job.status = "RUNNING"
    job.message = messages.RUNNING
    job.child = spawn("/bin/sh", ["-c", job.asked.entrypoint], { detached: true, stdio: "ignore" })
    job.child.once("exit", (code) => {
      if (job.isStopping) end(job, "STOPPED", messages.STOPPED)
      else if (code === 0) end(job, "SUCCEEDED", messages.SUCCEEDED)
      else
        end(
          job,
          "FAILED",
          `Job entrypoint command failed with exit code ${code}, last available logs (truncated to 20,000 chars):\n`
        )
    })
  }

  const startWaiting = (): void => {
    for (const job of jobs.values()) {
      const asked = (job.asked.entrypoint_num_cpus ?? 0) + 1e3 * (job.asked.entrypoint_num_gpus ?? 0)
      if (job.status === "PENDING" && asked <= free) start(job)
    }
  }

  const submit = (asked: Submitted, response: ServerResponse): void => {
    const id = asked.submission_id
    const taken = `RuntimeError: Request failed with status code 400: Traceback (most recent call last):\nValueError: Job with submission_id ${id} already exists. Please use a different submission_id.\n.`
    if (jobs.has(id)) {
      send(response, 500, taken)
      return
    }
    submissions.push(asked)
    jobs.set(id, { asked, status: "PENDING", message: messages.PENDING, child: null, isStopping: false })
    startWaiting()
    if (answersLost > 0) {
      answersLost--
      response.destroy()
      return
    }
    send(response, 200, { job_id: id, submission_id: id })
  }

  /** Ray lets a job that waits go on waiting. */
  const stop = (job: Job, response: ServerResponse): void => {
    const isOpen = job.status === "RUNNING" || job.status === "PENDING"
    if (job.status === "RUNNING") {
      job.isStopping = true
      signal(job.child, "SIGTERM")
      void sleep(3_000).then(() => job.status === "RUNNING" && signal(job.child, "SIGKILL"))
    }
    send(response, 200, { stopped: isOpen })
  }

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const [, api, list, id = "", action] = (request.url ?? "").split("/")
    const isOfBrowser = "sec-fetch-mode" in request.headers
    if (isOfBrowser && request.method !== "GET")
      return send(response, 405, "'POST' method not allowed for browser traffic.")
    const route = `${request.method} ${api}/${list}`
    if (route === "GET api/version") return send(response, 200, { version: "4", ray_version: "2.60.0" })
    // The shape of the body is what is tested.
    if (route === "POST api/jobs" && id === "") return submit((await bodyOf(request)) as Submitted, response)
    const job = jobs.get(decodeURIComponent(id))
    if (job === undefined) return send(response, 404, `Job ${id} does not exist`)
    if (request.method === "POST" && action === "stop") return stop(job, response)
    return send(response, 200, shown(job))
  }

  const server = createServer((request, response) => void answer(request, response))
  server.listen(port, "127.0.0.1")
  await once(server, "listening")

  /** As if the head's machine died, with all jobs on it. */
  const forget = (): void => {
    for (const job of jobs.values()) {
      job.child?.removeAllListeners("exit")
      signal(job.child, "SIGKILL")
    }
    jobs.clear()
    free = cpus
  }

  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    submissions,
    /** From here on there are so many. */
    setCpus: (count: number) => {
      free += count - cpus
      startWaiting()
    },
    loseAnswer: () => void answersLost++,
    forget,
    close: () => {
      forget()
      server.closeAllConnections()
      server.close()
    }
  }
}
export type JobServer = Awaited<ReturnType<typeof make>>
