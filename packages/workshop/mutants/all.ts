/** Every mutant, with its subject before its name. */
import { mutants as billing } from "./billing.ts"
import { mutants as blobs } from "./blobs.ts"
import { mutants as capture } from "./capture.ts"
import { mutants as core } from "./core.ts"
import { mutants as dashboard } from "./dashboard.ts"
import { mutants as distill } from "./distill.ts"
import type { Mutant } from "./Mutant.ts"
import { mutants as people } from "./people.ts"
import { mutants as postgres } from "./postgres.ts"
import { mutants as rate } from "./rate.ts"
import { mutants as server } from "./server.ts"
import { mutants as answers } from "./serving/answers.ts"
import { mutants as deployments } from "./serving/deployments.ts"
import { mutants as claims } from "./webhooks/claims.ts"
import { mutants as deliveries } from "./webhooks/deliveries.ts"
import { mutants as egress } from "./webhooks/egress.ts"
import { mutants as recoveries } from "./webhooks/recoveries.ts"
import { mutants as shares } from "./webhooks/shares.ts"
import { mutants as swift } from "./webhooks/swift.ts"
import { mutants as workspaces } from "./workspaces.ts"

const subjects: Readonly<Record<string, ReadonlyArray<Mutant>>> = {
  core,
  postgres,
  rate,
  blobs,
  distill,
  billing,
  "webhooks claims": claims,
  "webhooks deliveries": deliveries,
  "webhooks shares": shares,
  "webhooks swift": swift,
  "webhooks recoveries": recoveries,
  "webhooks egress": egress,
  "serving deployments": deployments,
  "serving answers": answers,
  capture,
  server,
  people,
  workspaces,
  dashboard
}

export const mutants: ReadonlyArray<Mutant> = Object.entries(subjects).flatMap(([subject, found]) =>
  found.map((mutant) => ({ ...mutant, name: `${subject}: ${mutant.name}` }))
)
