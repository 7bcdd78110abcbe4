/** Reads tenants' buckets: stores with the S3 protocol. */

import type { EgressPolicy } from "@limbeck/core/egress/EgressPolicy"
import { Fact } from "@limbeck/core/errors/Fact"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import type * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import type * as Stream from "effect/Stream"
import type { RemoteError } from "./Remote.ts"

interface ObjectKeys {
  readonly accessKeyId: string
  readonly secretAccessKey: Redacted.Redacted<string>
  readonly sessionToken: Redacted.Redacted<string> | null
}

export interface Bucket {
  readonly name: string
  readonly region: string
  /** An absolute http or https URL. */
  readonly endpoint: string
  /** The bucket's name begins the path, not the host. */
  readonly pathStyle: boolean
  readonly livemode: boolean
  readonly keys: ObjectKeys
}

/** The store answered, and refused. */
export class ObjectRefused extends Fact<ObjectRefused>()("ObjectRefused", {
  statusCode: Schema.Int,
  /** The store's own word, such as `NoSuchKey`; empty where it said none. */
  code: Schema.String
}) {}

/** The response of a server other than an object store. */
export class ObjectAnswerInvalid extends Data.TaggedError("ObjectAnswerInvalid")<{ readonly message: string }> {}

/** The host has not installed the bucket client package. */
export class ObjectClientMissing extends Fact<ObjectClientMissing>()("ObjectClientMissing", {
  package: Schema.String
}) {}

export type ObjectError = ObjectRefused | ObjectAnswerInvalid | ObjectClientMissing | RemoteError

export interface ObjectPage {
  /** In the store's order: by the bytes of the keys. */
  readonly keys: ReadonlyArray<string>
  /** What asks for the next page; null at the last one. */
  readonly next: string | null
}

export interface ObjectPart {
  /** Strong, or null. */
  readonly etag: string | null
  /** As it came over the wire; at the pace of who reads it. To be read once. */
  readonly body: Stream.Stream<Uint8Array, RemoteError>
}

export class ObjectStore extends Context.Service<
  ObjectStore,
  {
    /** Connections are made only where it allows; a caller that accepts an endpoint checks it against the same. */
    readonly policy: EgressPolicy
    /** One page of the objects whose keys begin with `prefix`, from `after` on (a page's `next`). */
    readonly list: (
      bucket: Bucket,
      options: { readonly prefix: string; readonly after: string | null }
    ) => Effect.Effect<ObjectPage, ObjectError>
    /**
     * Reads an object from byte `from`, within the scope. `etag` restricts it to that version: another one is refused
     * (412). Fails rather than starting at another byte.
     */
    readonly read: (
      bucket: Bucket,
      options: { readonly key: string; readonly from: number; readonly etag: string | null }
    ) => Effect.Effect<ObjectPart, ObjectError, Scope.Scope>
  }
>()("@limbeck/distill/connector/ObjectStore") {}
