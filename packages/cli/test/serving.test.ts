import { existsSync, readFileSync } from "node:fs"
import { cp, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { eventually } from "@limbeck/testing/Eventually"
import { temporaryFolder } from "@limbeck/testing/Folders"
import { leaks } from "@limbeck/testing/fixtures/Credentials"
import { deployed, isAlive, type StudentServer } from "./ServedStudent.ts"
import { liveToken, testToken } from "./Server.ts"

const gone = (one: StudentServer) =>
  eventually("the student's process is gone", async () => (isAlive(one) ? undefined : true))

describe.concurrent("SERVING_COMMAND", () => {
  it("serves what a trainer has published, with no secret, and dies with a server that is killed (P314, P379)", async ({
    onTestFinished
  }) => {
    const options = { STORAGE: "embedded", behavior: "stubborn" }
    const { api, path, said, served, server, started, student } = await deployed(onTestFinished, options)
    const words = await said()
    assert.isNotEmpty(words)
    const [first, ...others] = started()
    assert.isDefined(first)
    assert.isEmpty(others)
    assert.include(first.names, "MODELS_DIR")
    assert.notInclude(first.names, "OPENAI_API_KEY")
    await server.kill()
    await gone(first)
    // Files of a formerly served student without a deployment.
    const other = join(served, "stu_00000000000000000000000000")
    await cp(join(served, student), other, { recursive: true })
    await server.start()
    await eventually("what the killed server has left is removed", async () => (existsSync(other) ? undefined : true))
    assert.isTrue(existsSync(join(served, student)))
    // Nobody has told it: the first call starts it again.
    assert.strictEqual(await said(), words)
    assert.lengthOf(started(), 2)
    await api.create(`${path}/retire`, {})
    await eventually("nothing is kept of it", async () => (existsSync(join(served, student)) ? undefined : true))
  })

  it("does not outlive a server that is asked to stop, which ends well (P314)", async ({ onTestFinished }) => {
    const { said, server, started } = await deployed(onTestFinished, { STORAGE: "memory" })
    await said()
    assert.strictEqual((await server.stop()).code, 0)
    for (const one of started()) assert.isFalse(isAlive(one))
  })

  it("tells neither a trainer nor a student's server a secret of its own, and shows none that they print (P386)", async ({
    onTestFinished
  }) => {
    const folder = await temporaryFolder(onTestFinished)
    const printed = join(folder, "printed")
    const lines = leaks.filter(([line]) => !line.includes("\n"))
    await writeFile(printed, lines.map(([line]) => `${line}\n`).join(""))
    const secrets = {
      DATABASE_URL: "postgres://limbeck:planted-database@127.0.0.1:9/none",
      ENCRYPTION_KEY: Buffer.alloc(32, "planted").toString("base64"),
      OPENAI_API_KEY: "planted-model",
      HF_TOKEN: "planted-hub",
      CUDA_SECRET: "planted-device",
      AWS_SECRET_ACCESS_KEY: "planted-bucket"
    }
    // The trainer publishes its environment, so that the student's answer shows it.
    const trainer = `env >&2; cat "${printed}" >&2; env >env; echo '{"type":"result","artifact":"env"}'`
    const { api, run, said, served, started, student } = await deployed(onTestFinished, {
      STORAGE: "memory",
      behavior: "telling",
      trainer,
      environment: secrets
    })
    const log = readFileSync(join(served, `${student}.log`), "utf8")
    const logs = await api.text(`/v1/distill/runs/${run.id}/logs?limit=1000`)
    const seen = { artifact: String(await said()), diary: JSON.stringify(started()), log, logs }
    for (const [where, text] of Object.entries(seen)) {
      assert.include(text, "PATH=", where)
      for (const secret of [...Object.values(secrets), liveToken, testToken, "planted"]) {
        assert.notInclude(text, secret, where)
      }
    }
    const shown = logs.replaceAll("\\", "")
    const leaked = lines.filter(([, secret]) => shown.includes(secret.replaceAll("\\", "")))
    assert.deepStrictEqual(leaked, [])
    assert.include(logs, "[redacted]")
  })
})
