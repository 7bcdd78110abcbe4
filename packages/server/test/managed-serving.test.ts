/** Students that this server serves by processes of its own (contract 15.18). */
import { existsSync } from "node:fs"
import { afterAll, assert, beforeAll, it } from "@effect/vitest"
import { fromHooks } from "@limbeck/testing/AtEnd"
import { eventually } from "@limbeck/testing/Eventually"
import * as Deployments from "@limbeck/testing/http/DeploymentSteps"
import { freshKey } from "@limbeck/testing/http/Steps"
import { assertRefused, expectStatus } from "./support/Client.ts"
import { onOneStorage } from "./support/House.ts"
import { begin, options, ServedPlace } from "./support/ManagedStudents.ts"
import { assertHas, callOf } from "./support/Provider.ts"
import { answered, asked, call, saidIn } from "./support/Serving.ts"

const place = new ServedPlace()
const atEnd = fromHooks(afterAll)
beforeAll(() => place.open(atEnd))

onOneStorage(
  "a student that this server serves",
  (house) => {
    let begun: ReturnType<typeof begin> | undefined
    const story = () => {
      begun ??= begin(house)
      return begun
    }

    it("is started for its deployment, and answers the stock client, in streams and with tools (P310)", async () => {
      const { live, named, openai, studentOf } = await story()
      const deployment = await Deployments.deployAndWait(live, {
        alias: "first",
        student_model: await studentOf("first"),
        mode: "active"
      })
      assert.deepInclude(deployment, { status: "ready", managed: true, endpoint: null })
      const model = "svc:first"
      const messages = [{ role: "user" as const, content: "Who are you?" }]
      const { data, response } = await openai.chat.completions.create({ model, messages }).withResponse()
      assert.strictEqual(data.choices[0]?.message.content, `I am ${named}first`)
      assert.strictEqual(response.headers.get("x-service-served-by"), "student")
      assertHas(await callOf(live, response.headers), { served_by: "student" })
      const stream = await openai.chat.completions.stream({ model, messages }).finalContent()
      assert.strictEqual(stream, `I am ${named}first`)
      const tools = [{ type: "function" as const, function: { name: "look_up", parameters: { type: "object" } } }]
      const called = await openai.chat.completions.create({ model, messages, tools })
      const [toolCall] = called.choices[0]?.message.tool_calls ?? []
      assert.deepInclude(toolCall, { type: "function" })
      assert.include(JSON.stringify(toolCall), "look_up")
      const [started, ...others] = place.startsOf(`${named}first`)
      assert.isEmpty(others)
      assert.isTrue(started?.isTold)
    })

    it("has an environment of what it is told and what holds no secret (P311)", async () => {
      const { named } = await story()
      const keys = ["LIMBECK_API_KEY", "VLLM_API_KEY", "LLAMA_API_KEY"]
      const about = ["LIMBECK_ARTIFACT_DIR", "LIMBECK_PORT", "LIMBECK_HOST", "LIMBECK_MODEL"]
      const told = [...about, ...keys, "MODELS_DIR", "PATH"]
      // What a shell adds.
      const usual = [...told, "PWD", "OLDPWD", "SHLVL", "_"]
      const { names = [] } = place.startsOf(`${named}first`)[0] ?? {}
      assert.includeMembers([...names], told)
      assert.includeMembers(usual, [...names])
    })

    it("is one process for all its aliases, and goes with its files when the last of them is retired (P311, P379)", async () => {
      const { live, named, studentOf, workspace } = await story()
      const student_model = await studentOf("shared")
      const ids = []
      for (const alias of ["shared.1", "shared.2"]) {
        const { id, status } = await Deployments.deployAndWait(live, { alias, student_model, mode: "active" })
        assert.strictEqual(status, "ready")
        ids.push(id)
        const said = saidIn(await answered(await call(house, workspace, asked(alias))))
        assert.strictEqual(said, `I am ${named}shared`)
      }
      assert.lengthOf(place.startsOf(`${named}shared`), 1)
      expectStatus(await live.post(`${Deployments.path}/${ids[0]}/retire`, {}), 200)
      assert.isTrue(existsSync(place.filesOf(student_model)))
      const last = await answered(await call(house, workspace, asked("shared.2")))
      assert.strictEqual(saidIn(last), `I am ${named}shared`)
      expectStatus(await live.post(`${Deployments.path}/${ids[1]}/retire`, {}), 200)
      await place.gone(`${named}shared`)
      assert.lengthOf(place.startsOf(`${named}shared`), 1)
      await eventually("its files are gone", async () => (existsSync(place.filesOf(student_model)) ? undefined : true))
    })

    it("answers before the alias moves to it, and the one before is stopped (P313)", async () => {
      const { live, named, studentOf, workspace } = await story()
      const alias = "moved"
      const { id } = await Deployments.deployAndWait(live, {
        alias,
        student_model: await studentOf("before"),
        mode: "active"
      })
      const next = await studentOf("after")
      const moved = await live.patch<Deployments.DeploymentView>(`${Deployments.path}/${id}`, { student_model: next })
      assert.deepInclude(expectStatus(moved, 200), { status: "ready", student_model: next, managed: true })
      // Nobody waits for a start: it has no fallback, and answers the first call.
      const said = saidIn(await answered(await call(house, workspace, asked(alias))))
      assert.strictEqual(said, `I am ${named}after`)
      await place.gone(`${named}before`)
      const back = await live.post<Deployments.DeploymentView>(`${Deployments.path}/${id}/rollback`, {})
      assert.deepInclude(expectStatus(back, 200), { status: "ready", managed: true })
      assert.strictEqual(saidIn(await answered(await call(house, workspace, asked(alias)))), `I am ${named}before`)
    })

    it("gives way to an endpoint that others run, and comes back", async () => {
      const { live, named, studentOf, workspace } = await story()
      const alias = "elsewhere"
      const { id } = await Deployments.deployAndWait(live, {
        alias,
        student_model: await studentOf("home"),
        mode: "active"
      })
      const endpoint = { base_url: "https://students.example/v1", model: "student-1" }
      const away = expectStatus(
        await live.patch<Deployments.DeploymentView>(`${Deployments.path}/${id}`, { endpoint }),
        200
      )
      assert.deepInclude(away, { managed: false, endpoint: { ...endpoint, api_key_last4: null } })
      await place.gone(`${named}home`)
      const here = await live.patch<Deployments.DeploymentView>(`${Deployments.path}/${id}`, { endpoint: null })
      assert.deepInclude(expectStatus(here, 200), { managed: true, endpoint: null })
      assert.strictEqual(saidIn(await answered(await call(house, workspace, asked(alias)))), `I am ${named}home`)
    })
  },
  { ...options, servers: place.commanded("") }
)

onOneStorage(
  "a student whose server dies",
  (house) => {
    it("fails its deployment with the exit code, and nothing is left running (P313)", async () => {
      const { live, named, studentOf } = await begin(house)
      const student_model = await studentOf("dies")
      const deployment = await Deployments.deployAndWait(live, { alias: "dies", student_model, mode: "active" })
      assert.strictEqual(deployment.status, "failed")
      assert.strictEqual(deployment.error?.code, "student_not_served")
      assert.include(deployment.error?.message, "exit code 3")
      assert.notInclude(deployment.error?.message, place.folder)
      await place.gone(`${named}dies`)
    })
  },
  { ...options, servers: place.commanded("dies") }
)

onOneStorage(
  "where nothing serves students",
  (house) => {
    it("one with an artifact needs an endpoint, and the refusal says what to set up", async () => {
      const { live, studentOf } = await begin(house)
      const body = { alias: "homeless", student_model: await studentOf("homeless"), mode: "active" }
      const refused = await Deployments.post(live, body, freshKey())
      assertRefused(refused, 400, "invalid_request_error", "endpoint")
      assert.include(JSON.stringify(refused.body), "SERVING_COMMAND")
    })
  },
  options
)
