/** A link that signs a person in, once. Only the SHA-256 of its secret is stored. */
import * as Schema from "effect/Schema"
import * as Id from "../ids/Id.ts"
import { Limits } from "../Limits.ts"
import * as Kind from "../resources/Kind.ts"
import { Millis } from "../time/Timestamp.ts"
import { PersonId } from "./Person.ts"
import { labelOf } from "./Session.ts"

export const SignInLink = Schema.Struct({
  id: Id.schema("lnk"),
  person: PersonId,
  /** Lowercase hex SHA-256 of the secret. */
  digest: Schema.String,
  createdAt: Millis
})
export type SignInLink = typeof SignInLink.Type

/** Unused links live in `Partition.system`. */
export const kind = Kind.make({
  name: "sign_in_link",
  schema: SignInLink,
  unique: ({ digest }) => digest,
  labels: ({ person }) => [labelOf(person)]
})

export const endsAt = ({ createdAt }: SignInLink): Millis => createdAt + Limits.signInLinkMillis
