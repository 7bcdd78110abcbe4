/** Concurrent clients of two servers on one storage see what one client after the other could have seen. */
import { assert, describe, it } from "@effect/vitest"
import { caseCount } from "@limbeck/testing/Campaign"
import { History, linearized, type Model } from "@limbeck/testing/history/Linearizability"
import * as Deployments from "@limbeck/testing/http/DeploymentSteps"
import { body as sourceBody, sources } from "@limbeck/testing/http/SourceSteps"
import * as Generator from "@limbeck/testing/random/Generator"
import type { Answer, Client } from "./support/Client.ts"
import { onTwoServers } from "./support/SharedStorages.ts"

/** A status, and the id of what was made. */
interface Seen {
  readonly status: number
  readonly id: string
}

type Input = { readonly act: "create" | "find" | "remove"; readonly id: string }

interface Identified {
  readonly id: string
}

/**
 * A name that one resource at a time has: a creation takes a free name and is refused with a taken one; a removal frees it;
 * a look at an id finds who has the name.
 */
const uniqueName: Model<string | null, Input, Seen> = {
  initial: null,
  step: (holder, { act, id }, seen) => {
    if (act === "create") {
      if (seen.status === 201) return holder === null ? seen.id : undefined
      return seen.status === 409 && holder !== null ? holder : undefined
    }
    const isThere = holder === id
    if ((seen.status === 200) !== isThere) return undefined
    return act === "remove" && isThere ? null : holder
  }
}

/** The body under a key: the first takes it, the same ones are answered alike, and others are refused. */
interface Keyed {
  readonly body: string
  readonly id: string
}
const keyOnce: Model<Keyed | null, { readonly body: string }, Seen> = {
  initial: null,
  step: (holder, { body }, { id, status }) => {
    if (status !== 201) return holder !== null && holder.body !== body ? holder : undefined
    if (holder === null) return { body, id }
    return holder.body === body && holder.id === id ? holder : undefined
  }
}

const seenOf = ({ body, status }: Answer<Identified>): Seen => ({ status, id: status === 201 ? body.id : "" })

const clientsCount = 4
const operationsEach = 8
const seeds = Array.from({ length: caseCount(3, 100) }, (_, seed) => seed)

/** Runs clients at once, each with operations of its own, and asserts that some order explains what they saw. */
const assertLinearizable = async <State, In, Out>(
  model: Model<State, In, Out>,
  history: History<In, Out>,
  act: (client: number) => Promise<unknown>
) => {
  const client = async (_: unknown, index: number) => {
    for (let count = 0; count < operationsEach; count++) await act(index)
  }
  await Promise.all(Array.from({ length: clientsCount }, client))
  assert.lengthOf(history.operations, clientsCount * operationsEach)
  assert.isDefined(linearized(model, history.operations), JSON.stringify(history.operations, null, 2))
}

describe("the checker of histories", () => {
  const at = (calledAt: number, returnedAt: number, act: Input["act"], id: string, status: number) => ({
    input: { act, id: act === "create" ? "" : id },
    output: { status, id: act === "create" ? id : "" },
    calledAt,
    returnedAt
  })

  it("accepts what some order explains, and nothing else", () => {
    const overlapping = [at(0, 5, "create", "a", 201), at(1, 4, "create", "", 409), at(2, 3, "find", "a", 404)]
    assert.isDefined(linearized(uniqueName, overlapping))
    assert.isUndefined(linearized(uniqueName, [at(0, 1, "create", "a", 201), at(2, 3, "create", "b", 201)]))
    assert.isUndefined(linearized(uniqueName, [at(0, 1, "create", "a", 201), at(2, 3, "find", "a", 404)]))
    assert.isUndefined(linearized(uniqueName, [at(0, 1, "create", "", 409)]))
  })
})

onTwoServers(
  "clients at once",
  (first, second) => {
    const servers = async () => {
      const workspace = await first.workspace()
      return [workspace.live, second.client(workspace.liveToken)] as const
    }

    /** Clients that create, find and remove the resource that has a name. */
    const onName = async (
      seed: number,
      callers: ReadonlyArray<Client>,
      create: (caller: Client) => Promise<Answer<Identified>>,
      find: (caller: Client, id: string) => Promise<Answer<unknown>>,
      remove: (caller: Client, id: string) => Promise<Answer<unknown>>
    ) => {
      const { below, pick } = Generator.make(seed)
      const history = new History<Input, Seen>()
      const ids: Array<string> = []
      await assertLinearizable(uniqueName, history, async (index) => {
        const caller = callers[index % callers.length]!
        const act = ids.length === 0 ? "create" : pick(["create", "find", "remove"] as const)
        const id = act === "create" ? "" : ids[Math.max(0, ids.length - 1 - below(2))]!
        const seen = await history.record({ act, id }, async () => {
          if (act === "create") return seenOf(await create(caller))
          return { status: (await (act === "find" ? find : remove)(caller, id)).status, id: "" }
        })
        if (act === "create" && seen.status === 201) ids.push(seen.id)
      })
    }

    it.each(seeds)("create, find and remove sources of one name in some order, seed %i (P1856)", async (seed) => {
      const body = sourceBody()
      await onName(
        seed,
        await servers(),
        (caller) => caller.post(sources, body),
        (caller, id) => caller.get(`${sources}/${id}`),
        (caller, id) => caller.delete(`${sources}/${id}`)
      )
    })

    it.each(seeds)("deploy, look up and retire under one alias in some order, seed %i (P1856)", async (seed) => {
      const callers = await servers()
      const { fallback, students } = await Deployments.scene(callers[0])
      const deployed = {
        alias: "desk",
        student_model: students[0],
        mode: "active",
        fallback,
        endpoint: { ...Deployments.endpoint, api_key: Deployments.apiKey }
      }
      const isIn = async (caller: Client, id: string) => {
        const { status } = await Deployments.get(caller, id)
        return status === "retired" ? 404 : 200
      }
      await onName(
        seed,
        callers,
        (caller) => Deployments.post(caller, deployed),
        async (caller, id) => ({ status: await isIn(caller, id) }) as Answer<unknown>,
        (caller, id) => caller.post(`${Deployments.path}/${id}/retire`)
      )
    })

    it.each(seeds)("write once under a key, in some order, seed %i (P1856)", async (seed) => {
      const { below } = Generator.make(seed)
      const callers = await servers()
      const history = new History<{ readonly body: string }, Seen>()
      const send = async (caller: Client, name: string): Promise<Seen> => {
        const answer = await caller.post<Identified>(
          "/v1/distill/loops",
          { name },
          { "idempotency-key": `once-${seed}` }
        )
        return answer.text.includes("idempotency_key_in_flight") ? send(caller, name) : seenOf(answer)
      }
      await assertLinearizable(keyOnce, history, (index) => {
        const body = `loop ${below(2)}`
        return history.record({ body }, () => send(callers[index % callers.length]!, body))
      })
    })
  },
  { builtin: Deployments.hasty, llm: Deployments.hasty }
)
