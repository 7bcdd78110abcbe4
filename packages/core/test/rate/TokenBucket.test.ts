import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import * as FastCheck from "effect/testing/FastCheck"
import { type Bucket, full, fullAfterMillis, learn, type RateLimit, settle, take } from "../../src/rate/TokenBucket.ts"

describe("a bucket that servers share", () => {
})
void [Schema, FastCheck, full, fullAfterMillis, learn, settle, take]
export type X = [Bucket, RateLimit]
