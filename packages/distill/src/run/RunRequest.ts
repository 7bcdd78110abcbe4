/**
 * The request for a run: what a caller may leave out, the default of each such field, and the rules that need nothing but
 * the request itself (contract 5). `RunRules` has the rules that need a version, a rehearsal or a run.
 */
import type { InvalidInput } from "@limbeck/core/errors/Errors"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import type * as Recipe from "../recipe/Recipe.ts"
import { checkProofShape } from "./internal/RunRules.ts"

/** A missing or null member has its default. */
export interface RunRequest {
  readonly name?: string | null | undefined
  readonly studentModelName?: string | null | undefined
  readonly datasetVersion: string
  readonly recipe: Recipe.Recipe
  /** The recipe as sent: hashed and returned in that form. */
  readonly recipeAsSent: Schema.JsonObject
  readonly maxCostUsd: number
  /** By default `local`. */
  readonly profile?: string | null | undefined
  /** By default false. In test mode every run is a dry run. */
  readonly dryRun?: boolean | null | undefined
  /** With `planHash`, or neither. */
  readonly validatedDryRun?: string | null | undefined
  readonly planHash?: string | null | undefined
  /** By default the loop of the dataset version. */
  readonly loop?: string | null | undefined
  /** The deployment whose student is trained again. The version of such a run may still be built. */
  readonly retrains?: string | null | undefined
}

/** A request in which every field that does not depend on the version has its value. */
export interface CompleteRequest {
  readonly name: string | null
  readonly studentModelName: string | null
  readonly datasetVersion: string
  readonly recipe: Recipe.Recipe
  readonly recipeAsSent: Schema.JsonObject
  readonly maxCostUsd: number
  readonly profile: string
  readonly dryRun: boolean
  /** To be checked before the run is made; null where none is named, and in test mode (contract 15.4). */
  readonly validatedDryRun: string | null
  readonly planHash: string | null
  /** Null: that of the version, see `loopOf`. */
  readonly loop: string | null
  /** Null: none. */
  readonly retrains: string | null
}

const defaults = { profile: "local", dryRun: false } as const

/** Checks the shape of a request and fills in the defaults. */
export const complete = (
  { livemode }: { readonly livemode: boolean },
  request: RunRequest
): Result.Result<CompleteRequest, InvalidInput> =>
  Result.map(checkProofShape(request.validatedDryRun, request.planHash), () => ({
    name: request.name ?? null,
    studentModelName: request.studentModelName ?? null,
    datasetVersion: request.datasetVersion,
    recipe: request.recipe,
    recipeAsSent: request.recipeAsSent,
    maxCostUsd: request.maxCostUsd,
    profile: request.profile ?? defaults.profile,
    dryRun: (request.dryRun ?? defaults.dryRun) || !livemode,
    // In test mode every run is a dry run, whatever it names, so that a live script works unchanged.
    validatedDryRun: livemode ? (request.validatedDryRun ?? null) : null,
    planHash: livemode ? (request.planHash ?? null) : null,
    loop: request.loop ?? null,
    retrains: request.retrains ?? null
  }))

/** The loop of a run: its own, or else that of its version. */
export const loopOf = (request: CompleteRequest, version: { readonly loop?: string | null }): string | null =>
  request.loop ?? version.loop ?? null
