/**
 * Permissions and visibility of every operation in the contract (service-api 5; contract 2): derived from the contract's
 * definitions, so that new operations are covered.
 */
import { assert, beforeAll, it } from "@effect/vitest"
import type { TokenWithSecret } from "@limbeck/api/TokensApi"
import { type Scope, scopes } from "@limbeck/core/tokens/Scope"
import { client as plainClient } from "@limbeck/testing/http/Client"
import { hasty } from "@limbeck/testing/http/DeploymentSteps"
import { freshKey } from "@limbeck/testing/http/Steps"
import { type Answer, assertInvalid, assertRefused, type Client, expectStatus, type ListOf } from "./support/Client.ts"
import { everyOperation, listsTimes } from "./support/Document.ts"
import { type Furniture, furnish, pathWith, unknownLike } from "./support/Furnished.ts"
import { type House, onPostgres, type Workspace } from "./support/House.ts"

type Operation = (typeof everyOperation)[number]

const row = { messages: [{ role: "user", content: "a" }], completion: "b" }

/** What a request needs to get past the checks of its shape, where `{}` does not. */
const bodies: Readonly<Record<string, unknown>> = {
  createDatasetVersion: { from: { upload: `upl_${"0".repeat(26)}` } },
  scoreCompletion: { row, completion: "b" },
  giveReviewVerdict: { entry: 1, verdict: "right" },
  undoReviewVerdict: { entry: 1 },
  recoverWebhookDeliveries: { since: "2026-01-01T00:00:00Z" },
  retrainDeployment: { budget: { max_cost_usd: 1 } }
}

/** A request with a well-formed body, if any. */
const send = (caller: Client, { method, operation }: Operation, path: string): Promise<Answer<unknown>> => {
  const isJson = operation.requestBody?.content["application/json"] !== undefined
  const body = isJson ? { body: JSON.stringify(bodies[operation.operationId] ?? {}) } : {}
  const headers = { ...freshKey(), ...(isJson ? { "content-type": "application/json" } : {}) }
  return caller.send(method, path, { ...body, headers })
}

const refused = (answer: Answer<unknown>, { method }: Operation, status: number, code: string, what: string) => {
  // An answer to HEAD has no envelope.
  if (method === "HEAD") assert.strictEqual(answer.status, status, what)
  else assertRefused(answer, status, code)
}

const isOpen = ({ operation: { security = [] } }: Operation): boolean => security.length === 0
const privateOperations = everyOperation.filter((operation) => !isOpen(operation))
/** Operations for tokens; people.test.ts covers those for people alone. */
const tokenOperations = privateOperations.filter(({ operation }) => !operation["x-service-human-only"])

/** Many at a time: each waits for nothing but its own answer. */
const atATime = 24
const forAll = async <A>(all: ReadonlyArray<A>, check: (one: A) => Promise<void>): Promise<void> => {
  const rest = all.values()
  await Promise.all(
    Array.from({ length: atATime }, async () => {
      for (const one of rest) await check(one)
    })
  )
}

/** One furnished workspace for all tests of a storage. */
const furnished = (house: House) => {
  let made: { readonly workspace: Workspace; readonly ids: Furniture } | undefined
  beforeAll(async () => {
    const workspace = await house.workspace()
    made = { workspace, ids: await furnish(house, workspace) }
  })
  return () => {
    if (made === undefined) throw new Error("Nothing was furnished")
    return made
  }
}

onPostgres(
  "every operation",
  (house) => {
    const scene = furnished(house)

    /** A client for each of these lists of scopes, whose token has them alone, in the caller's mode. */
    const holders = async (caller: Client, lists: ReadonlyArray<ReadonlyArray<Scope>>) => {
      const made = new Map<string, Client>()
      for (const [key, held] of new Map(lists.map((held) => [`${held}`, held]))) {
        const token = await caller.post<typeof TokenWithSecret.Type>("/v1/tokens", { name: "a", scopes: held })
        // Without the judge, which would take most of the time of hundreds of responses.
        made.set(key, plainClient(house.origin, expectStatus(token, 201).secret))
      }
      return (held: ReadonlyArray<Scope>): Client => {
        const holder = made.get(`${held}`)
        if (holder === undefined) throw new Error(`No token has ${held}`)
        return holder
      }
    }

    const isEnough = (scope: Scope, { operation }: Operation): boolean => {
      const needed = operation["x-service-scopes"]
      return needed.length === 0 || scope === "full_access" || needed.includes(scope)
    }

    /** The scopes of each token: one that is enough, alone; and all that are not. None is enough for what people alone do. */
    const scopesOfTokens = (operation: Operation): ReadonlyArray<ReadonlyArray<Scope>> => {
      if (operation.operation["x-service-human-only"]) {
        return [["full_access"], scopes.filter((scope) => scope !== "full_access")]
      }
      const others = scopes.filter((scope) => !isEnough(scope, operation))
      const enough = scopes.filter((scope) => isEnough(scope, operation)).map((scope) => [scope])
      return others.length === 0 ? enough : [...enough, others]
    }

    it("takes its own scope, in both modes, and none of the others, which are told nothing (P38)", async () => {
      const { ids, workspace } = scene()
      const unknown = Object.fromEntries(Object.entries(ids).map(([name, id]) => [name, unknownLike(id)]))
      for (const caller of [workspace.live, workspace.test]) {
        const holder = await holders(caller, privateOperations.flatMap(scopesOfTokens))
        const all = privateOperations.flatMap((operation) =>
          scopesOfTokens(operation).map((held) => ({ held, operation }))
        )
        await forAll(all, async ({ held, operation }) => {
          const what = `${operation.method} ${operation.path} with ${held}`
          const token = holder(held)
          if (operation.operation["x-service-human-only"]) {
            const answer = await send(token, operation, pathWith(operation.path, ids))
            return refused(answer, operation, 403, "permission_error", what)
          }
          if (held.some((scope) => isEnough(scope, operation))) {
            const { status } = await send(token, operation, pathWith(operation.path, unknown))
            return assert.notInclude([401, 403], status, what)
          }
          // What it asks for is there.
          const answer = await send(token, operation, pathWith(operation.path, ids))
          refused(answer, operation, 403, "permission_error", what)
          if (operation.method === "HEAD") return
          const [needed] = operation.operation["x-service-scopes"]
          const { message } = (answer.body as { readonly error: { readonly message: string } }).error
          assert.strictEqual(message, `The token lacks the scope ${needed}`, what)
        })
      }
    })

    it("is done by people as far as their role goes: viewers read, members write, and the proxy takes no session (P282)", async () => {
      const { ids, workspace } = scene()
      const unknown = Object.fromEntries(Object.entries(ids).map(([name, id]) => [name, unknownLike(id)]))
      const writes = ({ operation }: Operation) =>
        operation["x-service-scopes"].some((scope) => !scope.endsWith(":read"))
      const isProxy = ({ operation }: Operation) => operation["x-service-scopes"].includes("proxy:write")
      assert.isAbove(tokenOperations.filter(writes).length, 40)
      for (const role of ["viewer", "member", "owner"] as const) {
        const { client } = await house.signedIn(workspace, role)
        await forAll(tokenOperations, async (operation) => {
          const what = `${operation.method} ${operation.path} by ${role}`
          if (isProxy(operation) || (role === "viewer" && writes(operation))) {
            // What it asks for is there.
            const answer = await send(client, operation, pathWith(operation.path, ids))
            return refused(answer, operation, 403, "permission_error", what)
          }
          const { status } = await send(client, operation, pathWith(operation.path, unknown))
          assert.notInclude([401, 403], status, what)
        })
      }
    })

    it("shows a viewer no URL that lets its holder write (P282)", async () => {
      const { ids, workspace } = scene()
      const { client } = await house.signedIn(workspace, "viewer")
      const made = await workspace.live.post<{ id: string }>("/v1/distill/uploads", { filename: "a.jsonl" }, freshKey())
      const { id } = expectStatus(made, 201)
      const capability = "capability="
      assert.include((await workspace.live.get(`/v1/distill/uploads/${id}`)).text, capability)
      await forAll(
        tokenOperations.filter(({ method }) => method === "GET"),
        async (operation) => {
          const { text } = await client.get(pathWith(operation.path, { ...ids, upload_id: id }))
          assert.notInclude(text, capability, operation.path)
        }
      )
    })

    it("needs a token, unless it is public or its URL is the authority (P38)", async () => {
      const { ids } = scene()
      await forAll(privateOperations, async (operation) => {
        const answer = await send(house.client(null), operation, pathWith(operation.path, ids))
        refused(answer, operation, 401, "authentication_error", operation.path)
      })
      assert.sameMembers(
        everyOperation.filter(isOpen).map(({ method, path }) => `${method} ${path}`),
        [
          "GET /healthz",
          "GET /v1/openapi.json",
          "GET /v1/event_types",
          "GET /v1/shared/reports/{share_token}",
          // A link is the authority.
          "POST /v1/sessions",
          "POST /v1/sessions/preview",
          // A capability of the run's attempt is the authority.
          "POST /trainer/runs/{run_id}/scores"
        ]
      )
    })

    it("that names a resource finds none of another mode or workspace, and does not tell it from one that never was (P166)", async () => {
      const { ids, workspace } = scene()
      const other = await house.workspace()
      const naming = tokenOperations.filter(({ params }) => params.length > 0)
      const told = ({ text }: Answer<unknown>, id: string) => text.replace(/req_\w{26}/, "").replaceAll(id, "(id)")
      const all = naming.flatMap((operation) =>
        [workspace.test, other.live, other.test].map((caller) => ({ caller, operation }))
      )
      await forAll(all, async ({ caller, operation }) => {
        const what = `${operation.method} ${operation.path}`
        const first = ids[operation.params[0] ?? ""] ?? ""
        const unknown = { ...ids, [operation.params[0] ?? ""]: unknownLike(first) }
        const foreign = await send(caller, operation, pathWith(operation.path, ids))
        const absent = await send(caller, operation, pathWith(operation.path, unknown))
        refused(foreign, operation, 404, "not_found_error", what)
        assert.deepStrictEqual(
          [foreign.status, told(foreign, first)],
          [absent.status, told(absent, unknownLike(first))],
          what
        )
      })
      // The ids are good: whoever has them reads them. The deployment was retired before, and is no model any more.
      await forAll(
        naming.filter(({ method, params }) => method === "GET" && !params.includes("model")),
        async (operation) => {
          const answer = await workspace.live.get(pathWith(operation.path, ids))
          // Nobody has examined the version.
          const status = operation.path.endsWith("/suspects") ? 409 : 200
          assert.strictEqual(answer.status, status, operation.path)
        }
      )
    })

    it("that names a part of its own resource finds no part of another's (P166)", async () => {
      const { ids, workspace } = scene()
      const other = await house.workspace()
      const body = { url: "https://receiver.example/hook", enabled_events: ["*"] }
      const make = async (caller: Client) =>
        expectStatus(await caller.post<{ readonly id: string }>("/v1/webhook_endpoints", body), 201).id
      const nested = tokenOperations.filter(({ params }) => params.length > 1)
      assert.isNotEmpty(nested)
      for (const operation of nested) {
        assert.deepStrictEqual(operation.params, ["webhook_endpoint_id", "delivery_id"])
        for (const caller of [other.live, other.test, workspace.live]) {
          const own = { ...ids, webhook_endpoint_id: await make(caller) }
          const foreign = await send(caller, operation, pathWith(operation.path, own))
          assertRefused(foreign, 404, "not_found_error")
        }
      }
    })

    it("that lists shows the caller's mode and workspace alone, and filters by time where items have one (P167)", async () => {
      const { ids, workspace } = scene()
      const other = await house.workspace()
      const lists = tokenOperations.filter(
        (operation) =>
          operation.method === "GET" && listsTimes(operation) && operation.operation.operationId !== "listTokens"
      )
      assert.isAtLeast(lists.length, 18)
      const empty = new Set<string>()
      await forAll(lists, async (operation) => {
        const path = pathWith(operation.path, ids)
        const names = operation.operation.parameters.filter((one) => one.in === "query").map(({ name }) => name)
        assert.includeMembers(names, ["limit", "cursor", "created_after", "created_before"], path)
        const idsOf = async (query: string) =>
          expectStatus(await workspace.live.get<ListOf<{ readonly id: string }>>(`${path}?${query}`), 200).data.map(
            ({ id }) => id
          )
        const all = await idsOf("limit=100")
        if (all.length === 0) empty.add(operation.operation.operationId)
        const [past, future] = ["2000-01-01T00:00:00Z", "2100-01-01T00:00:00Z"]
        assert.deepStrictEqual(await idsOf(`limit=100&created_after=${past}&created_before=${future}`), all, path)
        assert.deepStrictEqual(await idsOf(`created_after=${future}`), [], path)
        assert.deepStrictEqual(await idsOf(`created_before=${past}`), [], path)
        for (const name of ["created_after", "created_before"]) {
          assertInvalid(await workspace.live.get(`${path}?${name}=yesterday`), name)
        }
        if (operation.params.length > 0) return
        for (const stranger of [workspace.test.with({ "service-mode": "live" }), other.live]) {
          const seen = expectStatus(await stranger.get<ListOf<unknown>>(`${path}?livemode=true`), 200)
          assert.deepStrictEqual(seen.data, [], path)
        }
      })
      // Each other list had something to hide.
      assert.deepStrictEqual([...empty], [])
    })
  },
  { builtin: hasty }
)
