/** Refusals of this package, one class per fact. The table of `api` gives each its status, message and `param`. */
import { Fact } from "@limbeck/core/errors/Fact"
import { AnswerFields } from "@limbeck/distill/recipe/Recipe"
import * as Schema from "effect/Schema"

/** An alias has at most one deployment per mode. `field`: the field that requests this place. */
export class AliasTaken extends Fact<AliasTaken>()("AliasTaken", {
  alias: Schema.String,
  mode: Schema.String,
  field: Schema.Literals(["alias", "mode"])
}) {}

/** A retired deployment never changes again. */
export class DeploymentRetired extends Fact<DeploymentRetired>()("DeploymentRetired", {
  id: Schema.String
}) {}

/** A deployment that had one student only cannot be rolled back. */
export class NoPreviousStudent extends Fact<NoPreviousStudent>()("NoPreviousStudent", {
  deployment: Schema.String
}) {}

/** The student model is of a rehearsal or a stub. */
export class StudentNotDeployable extends Fact<StudentNotDeployable>()("StudentNotDeployable", {
  id: Schema.String
}) {}

/** No run of this installation can train the student again, or nothing would serve the result. */
export class StudentNotRetrainable extends Fact<StudentNotRetrainable>()("StudentNotRetrainable", {
  id: Schema.String,
  reason: Schema.String
}) {}

/** The student has not shown that it may answer in its teacher's place. */
export class EvidenceLacking extends Fact<EvidenceLacking>()("EvidenceLacking", {
  /**
   * There is none; no question has a threshold; it is below what was asked for; it is no better than the most frequent
   * answer; shadow contradicts it.
   */
  lack: Schema.Literals(["none", "questions", "min_agreement", "most_frequent", "shadow"]),
  from: Schema.NullOr(Schema.Literals(["holdout", "shadow", "both"])),
  compared: Schema.Int,
  /** The lower bound of the agreement, and the required value. */
  low: Schema.Finite,
  asked: Schema.Finite
}) {}

/** The student agrees with the teacher less often than the student in place, on the rows that both answered. */
export class StudentWorse extends Fact<StudentWorse>()("StudentWorse", {
  id: Schema.String,
  inPlace: Schema.String,
  rows: Schema.Int,
  /** Rows on which it agrees, and on which the student in place does. */
  agreed: Schema.Int,
  agreedInPlace: Schema.Int,
  /** The 95 % interval of the difference: its agreement less the other's. */
  low: Schema.Finite,
  high: Schema.Finite
}) {}

/** No answer of the student's evaluation told a confidence, so no threshold can be held against it. */
export class ConfidenceNotTold extends Fact<ConfidenceNotTold>()("ConfidenceNotTold", {
  id: Schema.String
}) {}

/** The deployment's `fields` differ from the fields of the student's training. */
export class FieldsUnlearnt extends Fact<FieldsUnlearnt>()("FieldsUnlearnt", {
  id: Schema.String,
  fields: AnswerFields
}) {}

/** The student model cannot be loaded. */
export class StudentUnservable extends Fact<StudentUnservable>()("StudentUnservable", {
  id: Schema.String,
  reason: Schema.String
}) {}

/** A live deployment names the source as its fallback, or has a student that embeds requests by it. */
export class SourceInUse extends Fact<SourceInUse>()("SourceInUse", {
  id: Schema.String,
  deployment: Schema.String,
  alias: Schema.String,
  use: Schema.Literals(["fallback", "embeddings"])
}) {}

/** Another person has leased the review entry, or enough people have judged the entry. */
export class ReviewEntryTaken extends Fact<ReviewEntryTaken>()("ReviewEntryTaken", {
  id: Schema.String,
  entry: Schema.Int
}) {}

/** This person has given another verdict on the entry of a review queue. */
export class VerdictGiven extends Fact<VerdictGiven>()("VerdictGiven", {
  id: Schema.String,
  entry: Schema.Int
}) {}

export type ServingError =
  | AliasTaken
  | DeploymentRetired
  | NoPreviousStudent
  | StudentNotDeployable
  | StudentNotRetrainable
  | EvidenceLacking
  | StudentWorse
  | ConfidenceNotTold
  | FieldsUnlearnt
  | StudentUnservable
  | SourceInUse
  | ReviewEntryTaken
  | VerdictGiven
