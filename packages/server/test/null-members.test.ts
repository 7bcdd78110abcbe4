/**
 * Null for an optional member of a body equals a missing member, for every such member of every operation, except where the
 * description defines null.
 */
import { assert, beforeAll, it } from "@effect/vitest"
import { hasty } from "@limbeck/testing/http/DeploymentSteps"
import { freshKey } from "@limbeck/testing/http/Steps"
import { type Answer, type Client, expectStatus } from "./support/Client.ts"
import { allowsBody, everyOperation, schemaNamed } from "./support/Document.ts"
import { type Furniture, furnish, pathWith } from "./support/Furnished.ts"
import { onOneStorage } from "./support/House.ts"
import { pairsOf } from "./support/OptionalMembers.ts"

type Operation = (typeof everyOperation)[number]

const cases = everyOperation.flatMap((operation) => {
  const schema = operation.operation.requestBody?.content["application/json"]?.schema
  return schema === undefined
    ? []
    : pairsOf(schema, schemaNamed(operation.document)).map((pair) => ({ operation, pair }))
})

/** Members with a meaningful null; their descriptions define it. */
const nullsWithMeaning = ["updateSource api_key", "createDeployment guard", "updateAgent source", "updateAgent model"]

let names = 0

/** Replaces example ids by the furniture's, and names by fresh ones. */
const filled = (body: unknown, ids: Furniture): unknown =>
  JSON.parse(JSON.stringify(body), (name, value) => {
    if ((name === "name" || name === "alias") && typeof value === "string") return `name-${++names}`
    return typeof value === "string" ? (exampleIds(ids)[value] ?? value) : value
  })

const exampleIds = (ids: Furniture): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.values(ids).map((id) => [`${id.split("_")[0]}_01kaf3tn0e5v2b8w6xq4rj7mcd`, id]))

/** The answer without the parts that differ between equal requests: ids, times, secrets, names, and counts of pending deliveries. */
const compared = ({ status, text }: Answer<unknown>) => ({
  status,
  text: text
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "(time)")
    .replaceAll(/\b[a-z]+_[0-9a-hjkmnp-tv-z]{26}/g, "(id)")
    .replaceAll(/\b(whsec|svc_live|svc_test)_\w+/g, "(secret)")
    .replaceAll(/\b[0-9A-Za-z]{43}\b/g, "(secret)")
    .replaceAll(/name-\d+/g, "(name)")
    .replaceAll(/"(\w*latency_ms|duration_ms|pending)":\d+/g, '"$1":0')
})

onOneStorage(
  "a body",
  (house) => {
    let live: Client | undefined
    let ids: Furniture = {}
    beforeAll(async () => {
      const workspace = await house.workspace()
      live = workspace.live
      ids = await furnish(house, workspace)
    })

    /** A separate token for operations that change or end one. */
    const token = async () =>
      expectStatus(await live!.post<{ readonly id: string }>("/v1/tokens", { name: "a", scopes: ["events:read"] }), 201)
        .id

    /** Each retraining makes a version of its own, which the hash of its plan covers. */
    const withoutOwnHash = (operation: Operation, answer: Answer<unknown>) =>
      operation.operation.operationId === "retrainDeployment"
        ? { ...answer, text: answer.text.replace(/"plan_hash":"[0-9a-f]{64}"/, '"plan_hash":"(hash)"') }
        : answer

    const send = async ({ method, path }: Operation, body: unknown) => {
      const all = path.includes("{token_id}") ? { ...ids, token_id: await token() } : ids
      const headers = { "content-type": "application/json", ...freshKey() }
      return live!.send(method, pathWith(path, all), { body: JSON.stringify(filled(body, ids)), headers })
    }

    it("may have null by the document wherever it may be without the member (P944)", () => {
      for (const { operation, pair } of cases) {
        const [absent, nulled] = [allowsBody(operation, pair.absent), allowsBody(operation, pair.nulled)]
        assert.strictEqual(nulled, absent, `${operation.operation.operationId} ${pair.path}`)
      }
    })

    it("may have null for each optional member, which counts as absent (P944)", async () => {
      const different: Array<string> = []
      for (const { operation, pair } of cases) {
        const what = `${operation.operation.operationId} ${pair.path}`
        const absent = compared(withoutOwnHash(operation, await send(operation, pair.absent)))
        const nulled = compared(withoutOwnHash(operation, await send(operation, pair.nulled)))
        if (absent.status === nulled.status && absent.text === nulled.text) continue
        assert.isTrue(pair.isValue, `${what}\n  absent: ${absent.text}\n  null: ${nulled.text}`)
        different.push(what)
      }
      assert.sameMembers(different, nullsWithMeaning)
      assert.isAbove(cases.length, 85)
    })
  },
  { builtin: hasty }
)
