/** What docs/receiving.md shows in other languages, against signatures that the server makes. */
import { spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import * as NodeDigest from "@limbeck/node/NodeDigest"
import { verify } from "@limbeck/client/webhooks/verify"

const page = readFileSync(fileURLToPath(new URL("../../../../docs/receiving.md", import.meta.url)), "utf8")
