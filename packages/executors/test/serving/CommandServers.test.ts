import { assert, describe, it } from "@effect/vitest"
import { Blobs } from "@limbeck/core/blobs/Blobs"
import * as OwnPorts from "@limbeck/core/egress/OwnPorts"
import * as Partition from "@limbeck/core/partition/Partition"
import { ModelServers } from "@limbeck/distill/student/ModelServers"
import * as Gunzip from "@limbeck/distill/upload/Gunzip"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as CommandServers from "../../src/serving/CommandServers.ts"

const partition = Partition.make("ws_00000000000000000000000001", false)
const student = { id: "stu_1", base: "tiny", artifact: { sha256: "0".repeat(64), bytes: 1, format: "file" } } as const

describe("a student's own server", () => {
  // A folder cannot be made below a file; no content is asked for.
  const folder = `${process.execPath}/served`
  const servers = CommandServers.layer({ command: "true", environment: {}, folder }).pipe(
    Layer.provide([
      Layer.mock(Blobs)({}),
      Gunzip.layerPortable,
      Layer.succeed(OwnPorts.OwnPorts, OwnPorts.make(undefined))
    ])
  )

  it.live("whose folder cannot be written is given up, and whoever waits for it is told why", () =>
    Effect.gen(function* () {
      const held = yield* (yield* ModelServers).hold(partition, student)
      const { message } = yield* Effect.flip(held.ready)
      assert.match(message, /^it cannot be started: .*ENOTDIR/)
      assert.isTrue(held.isGivenUp())
    }).pipe(Effect.scoped, Effect.provide(servers))
  )
})
