import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { afterAll, assert, beforeAll, it } from "@effect/vitest"
import * as EmbeddedPostgres from "@limbeck/embedded-postgres/EmbeddedPostgres"
import * as Tools from "@limbeck/testing/Tools"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { folder, kill, owner, postmaster, query, supervisors, until, untilGone } from "./support.ts"

const keep = (dataDir: string) => EmbeddedPostgres.launch({ dataDir, durable: false })

const rowsOf = Effect.fnUntraced(function* (dataDir: string) {
  const { url } = yield* keep(dataDir)
  return yield* query(url, "select n from kept order by n")
}, Effect.scoped)

const template = Effect.gen(function* () {
  const dataDir = yield* folder
  const write = Effect.gen(function* () {
    const { url } = yield* keep(dataDir)
    yield* query(url, "create table kept (n int)")
    yield* query(url, "insert into kept values (1)")
  })
  yield* Effect.scoped(write)
  return dataDir
})

const scope = Scope.makeUnsafe()
let original = ""
beforeAll(async () => {
  original = await Effect.runPromise(Scope.provide(template, scope))
})
afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))

/** A folder with one row in it, and no server at work. */
const filled = Effect.tap(folder, (dataDir) =>
  Effect.sync(() => execFileSync("cp", ["-a", path.join(original, "data"), dataDir]))
)

it.live("a throw-away server leaves nothing behind", () =>
  Effect.gen(function* () {
    const host = yield* Effect.scoped(
      Effect.gen(function* () {
        const server = yield* EmbeddedPostgres.launch()
        assert.deepEqual(yield* query(server.url, "select 1 as one"), [{ one: 1 }])
        assert.strictEqual(fs.statSync(server.host).mode & 0o077, 0)
        return server.host
      })
    )
    assert.isFalse(fs.existsSync(host))
  })
)

it.live("a kept folder keeps its rows over a restart, also where the server's account can't walk to it (P27)", () =>
  Effect.gen(function* () {
    const dataDir = yield* filled
    assert.deepEqual(yield* rowsOf(dataDir), [{ n: 1 }])
    assert.deepEqual(fs.readdirSync(path.join(dataDir, "claims")), [])
  })
)

it.live("a kept folder is durable by default", () =>
  Effect.gen(function* () {
    const dataDir = yield* filled
    const { url } = yield* EmbeddedPostgres.launch({ dataDir })
    assert.deepEqual(yield* query(url, "show fsync"), [{ fsync: "on" }])
    assert.deepEqual(yield* query(url, "show synchronous_commit"), [{ synchronous_commit: "on" }])
  })
)

it.live("a second server on a folder is refused and names the first one's owner, which goes on", () =>
  Effect.gen(function* () {
    const dataDir = yield* filled
    const { url } = yield* keep(dataDir)
    const error = yield* Effect.flip(keep(dataDir))
    assert.strictEqual(error._tag, "DirectoryInUse")
    assert.include(error.message, String(process.pid))
    assert.deepEqual(yield* query(url, "select n from kept"), [{ n: 1 }])
  })
)

it.live("a folder in use by another process is refused", () =>
  Effect.gen(function* () {
    const dataDir = yield* filled
    const other = yield* owner(dataDir)
    const error = yield* Effect.flip(keep(dataDir))
    assert.strictEqual(error._tag, "DirectoryInUse")
    assert.include(error.message, String(other.pid))
  })
)

it.live("a server that was killed starts again with what was committed (P27)", () =>
  Effect.gen(function* () {
    const dataDir = yield* filled
    yield* Effect.scoped(
      Effect.gen(function* () {
        const { url } = yield* EmbeddedPostgres.launch({ dataDir })
        yield* query(url, "insert into kept values (2)")
        yield* kill(postmaster(dataDir))
      })
    )
    assert.deepEqual(yield* rowsOf(dataDir), [{ n: 1 }, { n: 2 }])
  })
)

it.live("a lock file that names a process which is no server does not stop a start", () =>
  Effect.gen(function* () {
    const dataDir = yield* filled
    const lines = [process.pid, path.join(dataDir, "data"), 1, 5432, "/tmp", "", "1 1", "ready"]
    fs.writeFileSync(path.join(dataDir, "data/postmaster.pid"), `${lines.join("\n")}\n`)
    assert.deepEqual(yield* rowsOf(dataDir), [{ n: 1 }])
  })
)

it.live("when its owner is killed a throw-away server stops and its files go", () =>
  Effect.gen(function* () {
    const other = yield* owner()
    const server = postmaster(other.host)
    yield* kill(other.pid)
    yield* untilGone(server)
    yield* until(() => !fs.existsSync(other.host))
  })
)

it.live("when its owner is killed a kept folder can be used again at once", () =>
  Effect.gen(function* () {
    const dataDir = yield* filled
    const other = yield* owner(dataDir)
    yield* kill(other.pid)
    yield* untilGone(other.pid)
    assert.deepEqual(yield* rowsOf(dataDir), [{ n: 1 }])
  })
)

it.live.skipIf(!Tools.isLinux("a server that outlived its owner"))(
  "a server that outlived its owner is stopped by the next one",
  () =>
    Effect.gen(function* () {
      const dataDir = yield* filled
      const other = yield* owner(dataDir)
      const orphan = postmaster(dataDir)
      for (const pid of supervisors(orphan)) yield* kill(pid)
      yield* kill(other.pid)
      yield* untilGone(other.pid)
      assert.strictEqual(postmaster(dataDir), orphan)
      assert.deepEqual(yield* rowsOf(dataDir), [{ n: 1 }])
      yield* untilGone(orphan)
    })
)

it.live("a folder of another major version is refused with both versions", () =>
  Effect.gen(function* () {
    const dataDir = yield* filled
    fs.writeFileSync(path.join(dataDir, "data/PG_VERSION"), "17\n")
    const error = yield* Effect.flip(keep(dataDir))
    assert.strictEqual(error._tag, "VersionMismatch")
    assert.include(error.message, "made by Postgres 17, and this is Postgres 18")
  })
)

it.live("what an interrupted initialisation left is cleared away", () =>
  Effect.gen(function* () {
    const dataDir = yield* folder
    const half = path.join(dataDir, "initialising-abc")
    fs.mkdirSync(half)
    fs.writeFileSync(path.join(half, "PG_VERSION"), "18\n")
    yield* Effect.scoped(keep(dataDir))
    assert.sameMembers(fs.readdirSync(dataDir), ["claims", "data"])
  })
)

it.live("a path that can't be a folder is refused by name", () =>
  Effect.gen(function* () {
    const file = path.join(yield* folder, "file")
    fs.writeFileSync(file, "")
    const error = yield* Effect.flip(keep(file))
    assert.strictEqual(error._tag, "DirectoryUnusable")
    assert.include(error.message, file)
  })
)

it.live("a setting that Postgres does not know fails with Postgres's own words", () =>
  Effect.gen(function* () {
    const dataDir = yield* filled
    const error = yield* Effect.flip(EmbeddedPostgres.launch({ dataDir, settings: { no_such_setting: "1" } }))
    assert.strictEqual(error._tag, "ProgramFailed")
    assert.include(error.message, "no_such_setting")
  })
)
