import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { type Deployment, DeploymentStatus } from "../src/deployment/Deployment.ts"
import { DeploymentEvent, type DeploymentSettings, edges, transition } from "../src/deployment/DeploymentMachine.ts"

const endpoint = { baseUrl: "https://students.example/v1", model: "student-1", sealedKey: null, keyLast4: null }

const settings: DeploymentSettings = {
  mode: "active",
  studentModel: "stu_1",
  loop: null,
  fallback: null,
  onFallbackFailure: "fail",
  fields: "whole",
  trafficPercent: 100,
  timeoutMillis: 1_000,
  endpoint,
  studentConfidence: null,
  guard: null
}

const standing = { floor: null, evidence: null, watchedSince: null, guardedAt: null, breach: null, questions: [] }

const deploymentIn = (status: DeploymentStatus): Deployment => ({
  id: "dep_00000000000000000000000000",
  alias: "desk",
  ...settings,
  ...standing,
  studentSince: 0,
  driftAcceptedAt: 0,
  driftedAt: null,
  status,
  previousStudentModel: null,
  previousEndpoint: null,
  error: status === "failed" ? { code: "student_unreadable", message: "gone" } : null,
  createdAt: 0,
  updatedAt: 0,
  retiredAt: status === "retired" ? 0 : null
})

const changed = (changes: Partial<DeploymentSettings>) =>
  DeploymentEvent.Changed({ settings: { ...settings, ...changes }, standing })

const failed = DeploymentEvent.ProvisioningFailed({ code: "student_unreadable", message: "gone" })
const breach = { floor: 0.9, value: 0.8, low: 0.75, high: 0.85, comparisons: 300 }
const breached = DeploymentEvent.Breached({ breach })
const questionBreached = DeploymentEvent.QuestionBreached({
  breach: { ...breach, question: "qst_a", by: "difference" }
})
const all = [
  DeploymentEvent.Provisioned(),
  failed,
  changed({}),
  breached,
  DeploymentEvent.Drifted(),
  questionBreached,
  DeploymentEvent.DriftAccepted(),
  DeploymentEvent.Retired()
]

const after = (deployment: Deployment, event: DeploymentEvent, now = 5) =>
  Result.getOrThrow(transition(deployment, event, now))

describe("DeploymentMachine", () => {
  it("a breach guards its question alone", () => {
    const question = (id: string) => ({
      question: id,
      name: null,
      floor: 0.95,
      evidence: { compared: 300, agreed: 297 },
      differenceMax: 0.02,
      guardedAt: null
    })
    const before = { ...deploymentIn("ready"), questions: [question("qst_a"), question("qst_b")] }
    const { breach: shown, guardedAt, questions } = after(before, questionBreached)
    assert.isNull(guardedAt)
    assert.deepStrictEqual(
      questions.map((one) => one.guardedAt),
      [5, null]
    )
    assert.strictEqual(shown?.question, "qst_a")
  })

  it("the published diagram is this diagram", () =>
    assert.deepStrictEqual(
      DeploymentStatus.literals.flatMap((from) =>
        Object.entries<ReadonlyArray<DeploymentStatus>>(edges[from]).map(([event, to]) => `${from} --> ${to}: ${event}`)
      ),
      [
        "provisioning --> ready: Provisioned",
        "provisioning --> failed: ProvisioningFailed",
        "provisioning --> provisioning: Changed",
        "provisioning --> provisioning: DriftAccepted",
        "provisioning --> retired: Retired",
        "ready --> ready: Changed",
        "ready --> ready: Breached",
        "ready --> ready: Drifted",
        "ready --> ready: QuestionBreached",
        "ready --> ready: DriftAccepted",
        "ready --> retired: Retired",
        "failed --> provisioning: Changed",
        "failed --> failed: DriftAccepted",
        "failed --> retired: Retired"
      ]
    ))

  it("does what its table says and nothing else, and tells the time of every change", () => {
    for (const from of DeploymentStatus.literals) {
      for (const event of all) {
        const to = Object.entries<ReadonlyArray<DeploymentStatus>>(edges[from]).find(
          ([tag]) => tag === event._tag
        )?.[1][0]
        const next = Result.getOrUndefined(transition(deploymentIn(from), event, 5))
        assert.strictEqual(next?.status, to, `${from} ${event._tag}`)
        assert.strictEqual(next?.updatedAt, to === undefined ? undefined : 5)
      }
    }
  })

  it("retired is the only end, and every other state can come to it", () => {
    for (const from of DeploymentStatus.literals) {
      const next = Result.getOrUndefined(transition(deploymentIn(from), DeploymentEvent.Retired(), 5))
      assert.strictEqual(next?.retiredAt, from === "retired" ? undefined : 5)
    }
  })

  it("has an error exactly while it is failed, or retired after that", () => {
    const broken = after(deploymentIn("provisioning"), failed)
    assert.deepStrictEqual(broken.error, { code: "student_unreadable", message: "gone" })
    assert.isNull(after(broken, changed({ timeoutMillis: 5 })).error)
    assert.deepStrictEqual(after(broken, DeploymentEvent.Retired()).error, broken.error)
  })

  it("keeps what it knew of a breach until it is changed to stand otherwise (P215)", () => {
    const guarded = after(deploymentIn("ready"), breached)
    assert.deepInclude(guarded, { status: "ready", mode: "active", guardedAt: 5 })
    assert.deepStrictEqual(guarded.breach, breach)
    assert.deepInclude(after(guarded, changed({})), standing)
  })

  it("keeps the time of its drift until its calls are compared anew (P1331)", () => {
    const drifted = after(deploymentIn("ready"), DeploymentEvent.Drifted())
    assert.strictEqual(drifted.driftedAt, 5)
    assert.strictEqual(after(drifted, changed({ trafficPercent: 5 })).driftedAt, 5)
    for (const event of [DeploymentEvent.DriftAccepted(), changed({ studentModel: "stu_2" })]) {
      assert.isNull(after(drifted, event).driftedAt)
    }
  })

  it("compares calls anew after another student, mode or threshold and accepted drift, and after no other change (P1153)", () => {
    const ready = deploymentIn("ready")
    const acceptedAt = (event: DeploymentEvent) => after(ready, event).driftAcceptedAt
    const fallback = { source: "src_1", model: "gpt", belowConfidence: 0.5 }
    const resets = [changed({ studentModel: "stu_2" }), changed({ mode: "shadow" }), changed({ fallback })]
    for (const event of [...resets, DeploymentEvent.DriftAccepted()]) assert.strictEqual(acceptedAt(event), 5)
    assert.strictEqual(acceptedAt(changed({ trafficPercent: 5, timeoutMillis: 5 })), 0)
  })

  it("remembers the student that it leaves and where that one was served, and no other change does", () => {
    const ready = deploymentIn("ready")
    const same = after(ready, changed({ trafficPercent: 5, endpoint: { ...endpoint, model: "renamed" } }))
    assert.deepInclude(same, { previousStudentModel: null, previousEndpoint: null, trafficPercent: 5 })
    const moved = after(same, changed({ studentModel: "stu_2", endpoint: null, loop: "loop_1" }))
    assert.deepInclude(moved, { studentModel: "stu_2", endpoint: null, loop: "loop_1", previousStudentModel: "stu_1" })
    assert.deepStrictEqual(moved.previousEndpoint, { ...endpoint, model: "renamed" })
  })

  it("back and forth between two students is as if nothing had been, and a ready one is ready all the way (P75)", () => {
    const first = deploymentIn("ready")
    const second = after(first, changed({ studentModel: "stu_2", endpoint: null }), 1)
    const back = after(second, changed({ studentModel: "stu_1", endpoint: second.previousEndpoint }), 2)
    const forth = after(back, changed({ studentModel: "stu_2", endpoint: back.previousEndpoint }), 1)
    for (const { status } of [second, back, forth]) assert.strictEqual(status, "ready")
    assert.deepStrictEqual(forth, second)
    assert.deepInclude(back, { studentModel: "stu_1", endpoint, previousStudentModel: "stu_2", previousEndpoint: null })
  })
})
