/** Snapshots of caches on a disk: sealed, private, and never worth less than nothing. */
import * as fs from "node:fs"
import * as path from "node:path"
import { assert, it } from "@effect/vitest"
import { Snapshots } from "@limbeck/core/cache/SnapshotStore"
import * as Secrets from "@limbeck/core/secrets/Secrets"
import * as Crypto from "@limbeck/node/Crypto"
import { freshFolder } from "@limbeck/testing/Folders"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as FileSnapshots from "../src/cache/FileSnapshots.ts"

const key = (byte: number) => Redacted.make(new Uint8Array(32).fill(byte))

const store = (directory: string, byte = 1) =>
  Effect.provide(
    Effect.map(Snapshots, (snapshots) => snapshots!),
    FileSnapshots.layer({ directory }).pipe(Layer.provide(Secrets.layer([key(byte)])), Layer.provide(Crypto.layer))
  )

it.effect("a snapshot is sealed, and of its user alone (P888)", () =>
  Effect.gen(function* () {
    const directory = path.join(yield* freshFolder, "journal")
    const { load, save } = yield* store(directory)
    assert.isNull(yield* load("tokens"))
    assert.isTrue(yield* save("tokens", "first"))
    assert.isTrue(yield* save("tokens", "secret words"))
    assert.strictEqual(yield* load("tokens"), "secret words")
    const names = fs.readdirSync(directory)
    assert.deepStrictEqual(names, ["known-tokens"])
    const file = path.join(directory, "known-tokens")
    assert.strictEqual(fs.statSync(file).mode & 0o777, 0o600)
    assert.strictEqual(fs.statSync(directory).mode & 0o777, 0o700)
    assert.notInclude(fs.readFileSync(file, "utf8"), "secret")
  }).pipe(Effect.scoped)
)

it.effect("a snapshot of another key, another name, or with a byte changed is none", () =>
  Effect.gen(function* () {
    const directory = yield* freshFolder
    const { load, save } = yield* store(directory)
    yield* save("tokens", "words")
    assert.isNull(yield* (yield* store(directory, 2)).load("tokens"))
    const file = path.join(directory, "known-tokens")
    fs.copyFileSync(file, path.join(directory, "known-sources"))
    assert.isNull(yield* load("sources"))
    fs.writeFileSync(file, `${fs.readFileSync(file, "utf8").slice(0, -4)}AAAA`)
    assert.isNull(yield* load("tokens"))
    fs.rmSync(file)
    fs.mkdirSync(file)
    assert.isNull(yield* load("tokens"))
    assert.isFalse(yield* save("tokens", "words"))
    assert.deepStrictEqual(fs.readdirSync(directory).toSorted(), ["known-sources", "known-tokens"])
  }).pipe(Effect.scoped)
)
