/** Adapters of one base model, served by one process (contract 15.18). */
import { existsSync } from "node:fs"
import { afterAll, assert, beforeAll, it } from "@effect/vitest"
import type { StudentModel } from "@limbeck/api/StudentModelsApi"
import { fromHooks } from "@limbeck/testing/AtEnd"
import { eventually } from "@limbeck/testing/Eventually"
import { type ArchiveEntry, tarOf } from "@limbeck/testing/fixtures/Archives"
import * as Deployments from "@limbeck/testing/http/DeploymentSteps"
import { expectStatus } from "./support/Client.ts"
import { onOneStorage } from "./support/House.ts"
import { begin, isAlive, options, ServedPlace, studentModels, uploadedStudent } from "./support/ManagedStudents.ts"
import { answered, asked, call, saidIn } from "./support/Serving.ts"

type Student = typeof StudentModel.Type

const place = new ServedPlace()
const atEnd = fromHooks(afterAll)
beforeAll(() => place.open(atEnd))

/** What makes an archive an adapter. */
const adapter = [{ path: "adapter_config.json", content: "{}" }]

onOneStorage(
  "adapters of one base model",
  (house) => {
    it("are served by one process, each under its own name, and loaded again when that was killed (P385)", async () => {
      const { live, named, workspace } = await begin(house)
      const deployed = async (alias: string, base_model = "tiny", more: ReadonlyArray<ArchiveEntry> = adapter) => {
        const content = tarOf([...more, { path: "words.txt", content: `I am ${named}${alias}` }])
        const { sha256, upload } = await uploadedStudent(live, content)
        const body = { name: alias, base_model, artifact: { upload, sha256 } }
        const { id: student_model } = expectStatus(await live.post<Student>(studentModels, body), 201)
        return Deployments.deployAndWait(live, { alias, student_model, mode: "active" })
      }
      const says = async (alias: string) => saidIn(await answered(await call(house, workspace, asked(alias))))
      const bases = () => place.startsOf("the base").filter(isAlive)
      const one = await deployed("one")
      const two = await deployed("two")
      assert.deepStrictEqual([one.status, two.status], ["ready", "ready"])
      for (const alias of ["one", "two"]) assert.strictEqual(await says(alias), `I am ${named}${alias}`)
      const [base, ...others] = bases()
      assert.isEmpty(others)
      assert.isDefined(base)

      process.kill(base.pid, "SIGKILL")
      await eventually("it is started again", async () => bases().find(({ pid }) => pid !== base.pid))
      for (const alias of ["two", "one"]) assert.strictEqual(await says(alias), `I am ${named}${alias}`)
      assert.lengthOf(bases(), 1)
      expectStatus(await live.post(`${Deployments.path}/${one.id}/retire`, {}), 200)
      const { student_model } = one
      await eventually("the first is let go of", async () =>
        place.readDiary().includes(`"unload","model":"${student_model}"}\n`) &&
        !existsSync(place.filesOf(student_model))
          ? true
          : undefined
      )
      assert.strictEqual(await says("two"), `I am ${named}two`)

      // A whole student has its own process, and one without its base has none.
      assert.strictEqual((await deployed("whole", "tiny", [])).status, "ready")
      assert.lengthOf(place.startsOf(`${named}whole`), 1)
      for (const base of ["absent", "../served", "--help"]) {
        const { error, id, status } = await deployed("lost", base)
        assert.deepInclude({ status, code: error?.code }, { status: "failed", code: "student_not_served" })
        assert.include(error?.message, "MODELS_DIR")
        expectStatus(await live.post(`${Deployments.path}/${id}/retire`, {}), 200)
      }
      expectStatus(await live.post(`${Deployments.path}/${two.id}/retire`, {}), 200)
      await eventually("the base is not served any more", async () => (bases().length === 0 ? true : undefined))
    })
  },
  { ...options, servers: place.commanded("adapters", "{base}") }
)
