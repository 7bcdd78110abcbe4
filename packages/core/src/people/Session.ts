/** A session: a person signed in with one browser. Only the SHA-256 of its secret is stored. */
import * as Schema from "effect/Schema"
import * as Id from "../ids/Id.ts"
import { Limits } from "../Limits.ts"
import * as Kind from "../resources/Kind.ts"
import { Millis } from "../time/Timestamp.ts"
import { PersonId } from "./Person.ts"

export const Session = Schema.Struct({
  id: Id.schema("ses"),
  person: PersonId,
  /** Lowercase hex SHA-256 of the secret. */
  digest: Schema.String,
  /** As exact as a minute. */
  usedAt: Millis,
  createdAt: Millis
})
export type Session = typeof Session.Type

export const labelOf = (person: string): string => `person:${person}`

/** Sessions live in `Partition.system`: they choose a workspace with each request. */
export const kind = Kind.make({
  name: "session",
  schema: Session,
  unique: ({ digest }) => digest,
  labels: ({ person }) => [labelOf(person)]
})

/** The latest end of a session, regardless of use. */
export const endsAt = ({ createdAt }: Session): Millis => createdAt + Limits.sessionMillis

export const isLive = (session: Session, now: Millis): boolean =>
  now < endsAt(session) && now - session.usedAt < Limits.sessionIdleMillis
