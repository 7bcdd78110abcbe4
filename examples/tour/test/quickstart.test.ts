import { execFile, spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import * as Tools from "@limbeck/testing/Tools"
import * as Server from "../src/Server.ts"
import * as Teacher from "../src/Teacher.ts"

const root = fileURLToPath(new URL("../../../", import.meta.url))
const page = readFileSync(`${root}docs/quickstart.md`, "utf8")

/** All that a reader pastes, but for the start of the server and the secrets that only the reader has. */
const commands = [...page.matchAll(/```sh\n(.*?)```/gs)]
  .map(([, block = ""]) => block)
  .filter((block) => !block.includes("npm start") && !block.includes("…"))
  .join("\n")

const has = (program: string) => Tools.has(program, "the quickstart", spawnSync(program, ["--version"]).status === 0)

// Programs on the reader's machine.
describe.skipIf(!["bash", "curl", "jq"].every(has))("the quickstart", () => {
  const death = new AbortController()
  let teacher: Teacher.Teacher
  let started: Server.StartedServer

  beforeAll(async () => {
    teacher = await Teacher.start()
    started = await Server.start("", (reason) => death.abort(reason))
  })
  afterAll(async () => {
    await started.cleanUp()
    await teacher.switchOff()
  })

  it("comes from captured calls to a student that answers, as it is written, and does so again on the same server (P110, P340)", async () => {
    const { liveToken, origin } = await started.listening
    const script = commands
      .replace("http://127.0.0.1:8080", origin)
      .replace("https://api.openai.com/v1", teacher.baseUrl)
    const run = promisify(execFile)
    for (const time of ["first", "second"]) {
      const { stdout } = await run("bash", ["-euo", "pipefail", "-c", script], {
        cwd: root,
        env: {
          PATH: process.env["PATH"],
          LIMBECK_TOKEN: liveToken,
          OPENAI_API_KEY: teacher.apiKey,
          MODEL: Teacher.model
        },
        signal: death.signal
      })
      assert.match(stdout, /"status": "ready",\s+"train_rows": 2\d\d,/, time)
      assert.match(stdout, /"status": "succeeded",\s+"totals"/, time)
      assert.match(stdout, /^x-service-served-by: (student|upstream_fallback)\r$/m, time)
      assert.match(stdout, /whsec_[0-9A-Za-z_-]+\n$/, time)
    }
  }, 240_000)
})
