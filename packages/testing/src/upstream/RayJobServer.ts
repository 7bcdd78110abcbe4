/**
 * Ray's job API like Ray 2.60's, on one machine: really runs entrypoints like Ray, each in a session of its own. A job
 * begins once its resources are free. `npm run check:ray` runs the same tests on a real cluster.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { setTimeout as sleep } from "node:timers/promises"

interface SubmittedJob {
  readonly entrypoint: string
  readonly submission_id: string
  readonly metadata: Readonly<Record<string, string>> | null
  readonly entrypoint_num_cpus?: number
  readonly entrypoint_num_gpus?: number
}

interface Job {
  readonly asked: SubmittedJob
  status: "PENDING" | "RUNNING" | "STOPPED" | "SUCCEEDED" | "FAILED"
  message: string
  child: ChildProcess | null
  isStopping: boolean
}

/** Signals a group until it is empty. */
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

/** What Ray does with jobs. */
class Jobs {
  readonly #jobs = new Map<string, Job>()
  readonly submissions: Array<SubmittedJob> = []
  #free: number

  constructor(cpus: number) {
    this.#free = cpus
  }

  find(id: string): Job | undefined {
    return this.#jobs.get(id)
  }

  submit(asked: SubmittedJob): void {
    this.submissions.push(asked)
    const waiting = { status: "PENDING", message: messages.PENDING, child: null, isStopping: false } as const
    this.#jobs.set(asked.submission_id, { asked, ...waiting })
    this.add(0)
  }

  /** So many processors more; what waits for them starts. */
  add(cpus: number): void {
    this.#free += cpus
    for (const job of this.#jobs.values()) {
      const asked = (job.asked.entrypoint_num_cpus ?? 0) + 1e3 * (job.asked.entrypoint_num_gpus ?? 0)
      if (job.status === "PENDING" && asked <= this.#free) this.#start(job)
    }
  }

  #start(job: Job): void {
    this.#free -= job.asked.entrypoint_num_cpus ?? 0
    job.status = "RUNNING"
    job.message = messages.RUNNING
    job.child = spawn("/bin/sh", ["-c", job.asked.entrypoint], { detached: true, stdio: "ignore" })
    job.child.once("exit", (code) => {
      if (job.isStopping) this.#end(job, "STOPPED", messages.STOPPED)
      else if (code === 0) this.#end(job, "SUCCEEDED", messages.SUCCEEDED)
      else this.#end(job, "FAILED", `Job entrypoint command failed with exit code ${code}`)
    })
  }

  #end(job: Job, status: Job["status"], message: string): void {
    job.status = status
    job.message = message
    // The entrypoint's leftover processes end with Ray's supervisor of the job.
    signal(job.child, "SIGKILL")
    this.add(job.asked.entrypoint_num_cpus ?? 0)
  }

  /** Returns whether there was anything to stop. Ray lets a job that waits go on waiting. */
  stop(job: Job): boolean {
    if (job.status !== "RUNNING") return job.status === "PENDING"
    job.isStopping = true
    signal(job.child, "SIGTERM")
    void sleep(3_000).then(() => job.status === "RUNNING" && signal(job.child, "SIGKILL"))
    return true
  }

  /** As if the machines died, with all jobs on them. */
  forget(): void {
    for (const { asked, child, status } of this.#jobs.values()) {
      child?.removeAllListeners("exit")
      signal(child, "SIGKILL")
      if (status === "RUNNING") this.#free += asked.entrypoint_num_cpus ?? 0
    }
    this.#jobs.clear()
  }
}

const taken = (id: string): string =>
  "RuntimeError: Request failed with status code 400: Traceback (most recent call last):\n" +
  `ValueError: Job with submission_id ${id} already exists. Please use a different submission_id.\n.`

/** Listens on 127.0.0.1 until `close`. `cpus`: how many its jobs share. */
export const make = async ({ cpus = 1 }: { readonly cpus?: number } = {}) => {
  const jobs = new Jobs(cpus)
  let answersLost = 0

  const submit = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    // The tests check the shape of the body.
    const asked = (await bodyOf(request)) as SubmittedJob
    const id = asked.submission_id
    if (jobs.find(id) !== undefined) return send(response, 500, taken(id))
    jobs.submit(asked)
    if (answersLost === 0) return send(response, 200, { job_id: id, submission_id: id })
    answersLost--
    response.destroy()
  }

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const isOfBrowser = "sec-fetch-mode" in request.headers
    if (isOfBrowser && request.method !== "GET")
      return send(response, 405, "'POST' method not allowed for browser traffic.")
    const [, api, list, id = "", action] = (request.url ?? "").split("/")
    const route = `${request.method} ${api}/${list}`
    if (route === "GET api/version") return send(response, 200, { version: "4", ray_version: "2.60.0" })
    if (route === "POST api/jobs" && id === "") return submit(request, response)
    const job = jobs.find(decodeURIComponent(id))
    if (job === undefined) return send(response, 404, `Job ${id} does not exist`)
    const isStop = request.method === "POST" && action === "stop"
    return send(response, 200, isStop ? { stopped: jobs.stop(job) } : shown(job))
  }

  const server = createServer((request, response) => void answer(request, response))
  server.listen(0, "127.0.0.1")
  await once(server, "listening")

  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, // It listens on a port.
    /** Those that were taken, as they came. */
    submissions: jobs.submissions as ReadonlyArray<SubmittedJob>,
    addCpus: (more: number) => jobs.add(more),
    /** The next submission is taken, and its answer lost. */
    loseAnswer: () => void answersLost++,
    forget: () => jobs.forget(),
    /** Ends all jobs too. */
    close: () => {
      jobs.forget()
      server.closeAllConnections()
      server.close()
    }
  }
}
