/** People sign in and out over HTTP (contract 15.17; service-api 5.4, 5.10). */
import { createHash } from "node:crypto"
import { assert, it } from "@effect/vitest"
import type { PersonDeleted } from "@limbeck/api/PeopleApi"
import type { LinkPreview, Session } from "@limbeck/api/SessionsApi"
import type { Whoami } from "@limbeck/api/WhoamiApi"
import * as Partition from "@limbeck/core/partition/Partition"
import * as StoredSession from "@limbeck/core/people/Session"
import * as SignInLink from "@limbeck/core/people/SignInLink"
import { eventually } from "@limbeck/testing/Eventually"
import * as Effect from "effect/Effect"
import { type Answer, assertInvalid, assertRefused, expectStatus } from "./support/Client.ts"
import { type House, onEachStorage, type SignedInPerson } from "./support/House.ts"

const sessions = "/v1/sessions"
const session = "/v1/session"
const loops = "/v1/distill/loops"
const minute = 60_000

type SessionView = typeof Session.Type

/** Every sign-in from this machine counts for one address: time gives the attempts back. */
const anew = (house: House) => house.passTime(2 * minute)

const signIn = (house: House, link: string, headers: Readonly<Record<string, string>> = {}) =>
  house.client(null).with(headers).post<SessionView>(sessions, { link })

const cookieOf = (answer: Answer<unknown>): string => answer.headers.get("set-cookie") ?? ""

const told = ({ status, text }: Answer<unknown>) => [status, text.replace(/req_\w{26}/, "")]

onEachStorage("a link", (house) => {
  it("signs its person in, and says who they are, where, and how they prove it (P280)", async () => {
    const workspace = await house.workspace()
    const person = await house.person(workspace, "member", "Ann@Example.com ")
    const answer = await signIn(house, await house.link(person.id))
    const shown = expectStatus(answer, 201)
    assert.deepStrictEqual(shown.person, {
      id: person.id,
      object: "person",
      email: "ann@example.com",
      name: "ann@example.com"
    })
    assert.deepStrictEqual(
      shown.workspaces.map(({ id, role }) => ({ id, role })),
      [{ id: workspace.id, role: "member" }]
    )
    assert.strictEqual(Date.parse(shown.expires_at) - Date.parse(shown.created_at), 7 * 24 * 60 * minute)
    assert.strictEqual(answer.headers.get("cache-control"), "no-store")
    const cookie = cookieOf(answer).split(";")[0] ?? ""
    const again = await house.client(null).with({ cookie }).get<SessionView>(session)
    assert.deepStrictEqual(expectStatus(again, 200), shown)
    assert.notInclude(answer.text, cookie.split("=")[1] ?? "")
  })

  it("is used once, however many use it at once (P280)", async () => {
    const { id } = await house.person(await house.workspace(), "owner")
    const link = await house.link(id)
    const answers = await Promise.all(Array.from({ length: 8 }, () => signIn(house, link)))
    assert.sameMembers(
      answers.map(({ status }) => status),
      [201, ...Array.from({ length: 7 }, () => 401)]
    )
    anew(house)
  })

  it("that is wrong, used or expired, or whose person is gone, is told alike (P280)", async () => {
    const workspace = await house.workspace()
    const { id } = await house.person(workspace, "owner")
    const gone = await house.person(workspace, "owner")
    const [used, expired, orphan] = [await house.link(id), await house.link(id), await house.link(gone.id)]
    expectStatus(await signIn(house, used), 201)
    await house.withPeople(({ people }) => people.remove(gone.id))
    house.passTime(15 * minute)
    const wrong = await signIn(house, "0".repeat(43))
    assertRefused(wrong, 401, "authentication_error")
    for (const link of [used, expired, orphan, "", "x".repeat(512)]) {
      assert.deepStrictEqual(told(await signIn(house, link)), told(wrong))
    }
    anew(house)
    // A minute earlier it is good.
    const last = await house.link(id)
    house.passTime(14 * minute)
    expectStatus(await signIn(house, last), 201)
    assertInvalid(await house.client(null).post(sessions, {}), "link")
    anew(house)
  })

  it("is guessed by no address more often than ten times at once; who succeeds counts for nothing (P280)", async () => {
    const { id } = await house.person(await house.workspace(), "owner")
    anew(house)
    const links = await Promise.all(Array.from({ length: 15 }, () => house.link(id)))
    for (const link of links) expectStatus(await signIn(house, link), 201)
    const [used = ""] = links
    for (let attempt = 0; attempt < 10; attempt++) assert.strictEqual((await signIn(house, used)).status, 401)
    const good = await house.link(id)
    assertRefused(await signIn(house, good), 429, "rate_limit_error")
    // No longer than a second for one attempt.
    house.passTime(1_000)
    expectStatus(await signIn(house, good), 201)
    anew(house)
  })

  it("is kept out by nobody's guesses: they count apart, and are refused ten at a time (P867)", async () => {
    const { id } = await house.person(await house.workspace(), "owner")
    anew(house)
    const guesses = [
      "guess",
      "0".repeat(54),
      (await house.link(id)).replace(/.$/, (last) => (last === "0" ? "1" : "0"))
    ]
    const statuses: Array<number> = []
    for (let attempt = 0; attempt < 30; attempt++) {
      statuses.push((await signIn(house, guesses[attempt % guesses.length] ?? "")).status)
    }
    assert.isTrue(statuses.every((status) => status === 401 || status === 429))
    assert.deepStrictEqual(
      statuses.slice(0, 10),
      Array.from({ length: 10 }, () => 401)
    )
    assert.include(statuses, 429)
    expectStatus(await signIn(house, await house.link(id)), 201)
    anew(house)
  })

  it("is looked at as often as anybody likes: that uses nothing up, and says whom it signs in (P868)", async () => {
    const { email, id, name } = await house.person(await house.workspace(), "owner", "look@example.com")
    const link = await house.link(id)
    const look = (headers = {}) =>
      house.client(null).with(headers).post<typeof LinkPreview.Type>("/v1/sessions/preview", { link })
    for (let count = 0; count < 15; count++) {
      const seen = await look()
      assert.deepInclude(expectStatus(seen, 200), { object: "sign_in_link", person: { email, name } })
      assert.isNull(seen.headers.get("set-cookie"))
      assert.strictEqual(seen.headers.get("cache-control"), "no-store")
    }
    assertRefused(await look({ origin: "https://evil.example" }), 403, "permission_error")
    expectStatus(await signIn(house, link), 201)
    const used = await look()
    assert.deepStrictEqual(told(used), told(await signIn(house, link)))
    anew(house)
  })

  it("ends the session before it in the same browser, on the server, or neither has happened (P868)", async () => {
    const workspace = await house.workspace()
    const [ann, bob] = [await house.signedIn(workspace, "owner"), await house.signedIn(workspace, "member")]
    const other = await house.sessionOf(ann.id, workspace)
    const refused = await signIn(house, "0".repeat(54), { cookie: ann.cookie })
    assertRefused(refused, 401, "authentication_error")
    expectStatus(await ann.client.get(session), 200)
    expectStatus(await signIn(house, await house.link(bob.id), { cookie: ann.cookie }), 201)
    assertRefused(await ann.client.get(session), 401, "authentication_error")
    // Other browsers of the same person stay signed in.
    expectStatus(await other.client.get(session), 200)
    const died = await house.withPeople(({ links, storage }) =>
      Effect.flip(
        storage.transaction(
          Effect.andThen(
            Effect.flatMap(links.make(bob.id), ({ secret }) => links.use(secret, other.cookie.split("=")[1])),
            Effect.fail("died" as const)
          )
        )
      )
    )
    assert.strictEqual(died, "died")
    expectStatus(await other.client.get(session), 200)
  })

  it("is used up with the session that it begins, or neither has happened (P286)", async () => {
    const { id } = await house.person(await house.workspace(), "owner")
    const link = await house.link(id)
    const kept = () =>
      house.withPeople(({ resources }) =>
        resources.findByLabels(Partition.system, StoredSession.kind, [StoredSession.labelOf(id)])
      )
    // A process that dies before the commit leaves what a transaction leaves that fails at its end.
    const died = await house.withPeople(({ links, storage }) =>
      Effect.flip(storage.transaction(Effect.andThen(links.use(link), Effect.fail("died" as const))))
    )
    assert.strictEqual(died, "died")
    assert.lengthOf(await kept(), 0)
    expectStatus(await signIn(house, link), 201)
    assert.lengthOf(await kept(), 1)
    assertRefused(await signIn(house, link), 401, "authentication_error")
  })

  it("and a session are stored as digests alone (P280)", async () => {
    const { id } = await house.person(await house.workspace(), "owner")
    const link = await house.link(id)
    const stored = await house.withPeople(({ resources }) =>
      resources.findByLabels(Partition.system, SignInLink.kind, [StoredSession.labelOf(id)])
    )
    assert.deepStrictEqual(
      stored.map(({ digest }) => digest),
      [createHash("sha256").update(link).digest("hex")]
    )
    const answer = await signIn(house, link)
    const secret = /=(\w{43});/.exec(cookieOf(answer))?.[1] ?? ""
    const [kept] = await house.withPeople(({ resources }) =>
      resources.findByLabels(Partition.system, StoredSession.kind, [StoredSession.labelOf(id)])
    )
    assert.strictEqual(kept?.digest, createHash("sha256").update(secret).digest("hex"))
    assert.notInclude(JSON.stringify([stored, kept]), secret)
  })

  it("signs nobody in from a page of another origin (P281)", async () => {
    const { id } = await house.person(await house.workspace(), "owner")
    const link = await house.link(id)
    for (const headers of [
      { origin: "https://evil.example" },
      { "sec-fetch-site": "cross-site" },
      { origin: "null" }
    ]) {
      assertRefused(await signIn(house, link, headers), 403, "permission_error")
    }
    expectStatus(await signIn(house, link, { origin: house.origin, "sec-fetch-site": "same-origin" }), 201)
  })
})

onEachStorage("a session", (house) => {
  const make = async (role: "owner" | "member" | "viewer" = "member") => {
    const workspace = await house.workspace()
    return { workspace, person: await house.signedIn(workspace, role) }
  }

  it("has a cookie that no script reads and no other site sends (P281)", async () => {
    const { id } = await house.person(await house.workspace(), "owner")
    const plain = cookieOf(await signIn(house, await house.link(id)))
    assert.match(plain, /^service-session=\w{43}; Path=\/; Max-Age=604800; HttpOnly; SameSite=Strict$/)
    const secure = cookieOf(await signIn(house, await house.link(id), { "x-forwarded-proto": "https" }))
    assert.match(secure, /^__Host-service-session=\w{43}; Path=\/; Max-Age=604800; HttpOnly; SameSite=Strict; Secure$/)
    const cookie = secure.split(";")[0] ?? ""
    expectStatus(await house.client(null).with({ cookie }).get(session), 200)
  })

  it("changes nothing without its CSRF token, or from another origin (P281)", async () => {
    const { person, workspace } = await make()
    const other = await make()
    const bare = house.client(null).with({ cookie: person.cookie, "service-workspace": workspace.id })
    const { csrf_token } = expectStatus(await bare.get<SessionView>(session), 200)
    const foreign = expectStatus(await other.person.client.get<SessionView>(session), 200).csrf_token
    const post = (headers: Readonly<Record<string, string>>) => bare.with(headers).post(loops, { name: "a" })
    for (const token of ["", "wrong", csrf_token.slice(1), `${csrf_token}0`, foreign]) {
      assertRefused(await post({ "x-csrf-token": token }), 403, "permission_error", "X-CSRF-Token")
    }
    assertRefused(await bare.post(loops, { name: "a" }), 403, "permission_error", "X-CSRF-Token")
    for (const headers of [
      { origin: "https://evil.example" },
      { origin: "null" },
      { origin: `${house.origin}0` },
      { origin: house.origin.replace("http:", "https:") },
      { "sec-fetch-site": "cross-site" },
      { "sec-fetch-site": "same-site" },
      { "sec-fetch-site": "none" }
    ]) {
      assertRefused(await post({ "x-csrf-token": csrf_token, ...headers }), 403, "permission_error")
    }
    assertRefused(await bare.delete(session), 403, "permission_error", "X-CSRF-Token")
    const { data } = expectStatus(await bare.get<{ data: ReadonlyArray<unknown> }>(loops), 200)
    assert.deepStrictEqual(data, [])
    expectStatus(await post({ "x-csrf-token": csrf_token }), 201)
    expectStatus(await post({ "x-csrf-token": csrf_token, origin: house.origin, "sec-fetch-site": "same-origin" }), 201)
  })

  it("ends when it is signed out of, and takes its cookie along (P283)", async () => {
    const { person } = await make("viewer")
    const shown = expectStatus(await person.client.get<SessionView>(session), 200)
    const answer = await person.client.delete<typeof PersonDeleted.Type>(session)
    assert.deepStrictEqual(expectStatus(answer, 200) as unknown, { id: shown.id, object: "session", deleted: true })
    assert.match(cookieOf(answer), /^service-session=; Path=\/; Max-Age=0; HttpOnly; SameSite=Strict$/)
    assertRefused(await person.client.get(session), 401, "authentication_error")
    assertRefused(await person.client.get(loops), 401, "authentication_error")
  })

  it("ends after 12 hours without a request, and after a week of them (P283)", async () => {
    const hour = 60 * minute
    const [idle, used] = [(await make()).person, (await make()).person]
    const ask = async ({ client }: SignedInPerson) => (await client.get(session)).status
    /** Ends once the use is written, which no request waits for. */
    const use = async ({ client, id }: SignedInPerson) => {
      const { status } = await client.get(session)
      await eventually("the use is written", async () => {
        const [kept] = await house.withPeople(({ resources }) =>
          resources.findByLabels(Partition.system, StoredSession.kind, [StoredSession.labelOf(id)])
        )
        return house.now() - (kept?.usedAt ?? 0) < hour
      })
      return status
    }
    for (let hours = 0; hours < 7 * 24; hours += 11) {
      assert.strictEqual(await use(used), 200, `${hours} hours`)
      house.passTime(11 * hour)
    }
    assert.strictEqual(await ask(used), 401)
    assert.strictEqual(await ask(idle), 401)
  })

  it("chooses workspace and mode among what its person has; a token chooses nothing (P284)", async () => {
    const { person, workspace } = await make()
    const whoami = async (headers: Readonly<Record<string, string>>, client = person.client) =>
      client.with(headers).get<typeof Whoami.Type>("/v1/whoami")
    const shown = expectStatus(await whoami({}), 200)
    assert.deepInclude(shown, { livemode: true })
    assert.deepInclude(shown.credential, { type: "session", environment: "live", role: "member" })
    assert.include(shown.credential.scopes, "distill:write")
    assert.notInclude(shown.credential.scopes, "proxy:write")
    const test = expectStatus(await whoami({ "service-mode": "test", "service-workspace": workspace.id }), 200)
    assert.deepInclude(test, { livemode: false })
    assertInvalid(await whoami({ "service-mode": "sandbox" }), "Service-Mode")

    const other = await house.workspace()
    const refused = await whoami({ "service-workspace": other.id })
    assertRefused(refused, 403, "permission_error", "Service-Workspace")
    const none = await whoami({ "service-workspace": `ws_${"0".repeat(26)}` })
    assert.deepStrictEqual(told(none), told(refused))

    // Data written in one mode is absent in the other.
    const { id } = expectStatus(
      await person.client.with({ "service-mode": "test" }).post<{ id: string }>(loops, { name: "a" }),
      201
    )
    expectStatus(await workspace.test.get(`${loops}/${id}`), 200)
    assertRefused(await workspace.live.get(`${loops}/${id}`), 404, "not_found_error")

    const asToken = await whoami({ "service-mode": "test", "service-workspace": other.id }, workspace.live)
    assert.deepInclude(expectStatus(asToken, 200), { livemode: true })
    assert.strictEqual(asToken.body.workspace.id, workspace.id)
    // A token is not helped by a cookie either.
    const both = await house.client("svc_live_wrong").with({ cookie: person.cookie }).get(loops)
    assertRefused(both, 401, "authentication_error")
  })

  it("names a workspace with each request, also where there is but one (P284)", async () => {
    const [one, two] = [await house.workspace(), await house.workspace()]
    const person = await house.signedIn(one, "viewer")
    const { email } = await house.withPeople(({ people }) => people.find(person.id))
    await house.person(two, "member", email ?? "")
    const unnamed = house.client(null).with({ cookie: person.cookie })
    assertInvalid(await unnamed.get(loops), "Service-Workspace")
    assertInvalid(
      await house
        .client(null)
        .with({ cookie: (await make()).person.cookie })
        .get(loops),
      "Service-Workspace"
    )
    for (const [{ id }, status] of [
      [one, 403],
      [two, 201]
    ] as const) {
      const answer = await person.client.with({ "service-workspace": id }).post(loops, { name: "a" })
      assert.strictEqual(answer.status, status)
    }
    const shown = expectStatus(await unnamed.get<SessionView>(session), 200)
    assert.deepStrictEqual(
      shown.workspaces.map(({ id, role }) => [id, role]),
      [
        [one.id, "viewer"],
        [two.id, "member"]
      ]
    )
  })

  it("ends at once when its person is removed, and is held to a new role at once (P283)", async () => {
    const { person, workspace } = await make("owner")
    const post = () => person.client.post(loops, { name: "a" })
    expectStatus(await post(), 201)
    const { email } = await house.withPeople(({ people }) => people.find(person.id))
    await house.person(workspace, "viewer", email ?? "")
    assertRefused(await post(), 403, "permission_error")
    await house.setRole(workspace, person.id, null)
    assertRefused(await person.client.get(loops), 403, "permission_error", "Service-Workspace")
    await house.withPeople(({ people }) => people.remove(person.id))
    assertRefused(await person.client.get(loops), 401, "authentication_error")
    assertRefused(await person.client.get(session), 401, "authentication_error")
  })

  it("is the person's own in idempotency keys: two with one key do two things (P285)", async () => {
    const workspace = await house.workspace()
    const [ann, bob] = [await house.signedIn(workspace, "member"), await house.signedIn(workspace, "member")]
    const key = { "idempotency-key": "same" }
    const post = async ({ client }: SignedInPerson) =>
      expectStatus(await client.post<{ id: string }>(loops, { name: "a" }, key), 201).id
    const [first, again, other] = [await post(ann), await post(ann), await post(bob)]
    assert.strictEqual(again, first)
    assert.notStrictEqual(other, first)
    const asToken = expectStatus(await workspace.live.post<{ id: string }>(loops, { name: "a" }, key), 201).id
    assert.notInclude([first, other], asToken)
  })
})

onEachStorage("links and sessions that have ended", (house) => {
  it("are removed, and no others (P288)", async () => {
    const workspace = await house.workspace()
    const { id } = await house.person(workspace, "viewer")
    const label = StoredSession.labelOf(id)
    const kept = () =>
      house.withPeople(({ resources }) =>
        Effect.zipWith(
          resources.findByLabels(Partition.system, SignInLink.kind, [label]),
          resources.findByLabels(Partition.system, StoredSession.kind, [label]),
          (links, sessions) => [links.length, sessions.length] as const
        )
      )
    const comesTo = (links: number, sessions: number) =>
      eventually(`${links} links and ${sessions} sessions`, async () => {
        house.passTime(11 * minute)
        const [linksKept, sessionsKept] = await kept()
        return linksKept === links && sessionsKept === sessions
      })
    expectStatus(await signIn(house, await house.link(id)), 201)
    await house.link(id)
    await comesTo(0, 1)
    house.passTime(6 * 24 * 60 * minute)
    expectStatus(await signIn(house, await house.link(id)), 201)
    assert.deepStrictEqual(await kept(), [0, 2])
    house.passTime(24 * 60 * minute)
    await comesTo(0, 1)
    await house.withPeople(({ people }) => people.remove(id))
    assert.deepStrictEqual(await kept(), [0, 0])
  })
})

onEachStorage(
  "the rate limit of a person",
  (house) => {
    it("is theirs, whichever session they use (P285)", async () => {
      const workspace = await house.workspace()
      const [ann, bob] = [await house.signedIn(workspace, "viewer"), await house.signedIn(workspace, "viewer")]
      const ask = async ({ client }: SignedInPerson) => (await client.get(loops)).status
      for (let count = 0; count < 3; count++) assert.strictEqual(await ask(ann), 200)
      assertRefused(await ann.client.get(session), 429, "rate_limit_error")
      assert.strictEqual(await ask(bob), 200)
      expectStatus(await workspace.live.get(loops), 200)
    })
  },
  { settings: { rateLimit: { perSecond: 0.001, burst: 3 } } }
)

onEachStorage(
  "a session under https",
  (house) => {
    it("is read from no cookie that another host of the domain may set (P281)", async () => {
      const person = await house.signedIn(await house.workspace(), "viewer")
      assertRefused(await person.client.get(session), 401, "authentication_error")
      const cookie = `__Host-${person.cookie}`
      expectStatus(await house.client(null).with({ cookie }).get(session), 200)
      const signedIn = await signIn(house, await house.link(person.id), { origin: "https://limbeck.example" })
      assert.match(cookieOf(signedIn), /^__Host-service-session=\w{43};.*; Secure$/)
      // A network attacker can serve an http page under our host.
      const { host } = new URL(house.origin)
      for (const origin of ["http://limbeck.example", `http://${host}`]) {
        assertRefused(await signIn(house, await house.link(person.id), { origin }), 403, "permission_error")
      }
      expectStatus(await signIn(house, await house.link(person.id), { origin: `https://${host}` }), 201)
    })
  },
  { settings: { publicUrl: "https://limbeck.example/limbeck" } }
)
