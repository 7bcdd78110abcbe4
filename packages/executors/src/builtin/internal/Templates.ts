/**
 * The system prompts that a student knows (contract 16.37). Rows of several prompts are told apart: each feature of a request
 * counts for all prompts and once more for its own, so that every prompt has a head over shared features (Daumé, "Frustratingly
 * easy domain adaptation", 2007). Not for the training's thread, which loads nothing of Effect.
 */
import { createHash } from "node:crypto"
import * as Id from "@limbeck/core/ids/Id"
import { fold } from "@limbeck/distill/dataset/TemplateRules"
import type { VersionTemplate } from "@limbeck/distill/dataset/VersionTemplate"
import { DistillLimits } from "@limbeck/distill/Limits"
import type { Model, Prediction } from "../Model.ts"
import type { Settings } from "../Settings.ts"
import { nothing, read as readText } from "./Reading.ts"
import { partsOf, type Turn } from "./Text.ts"

/** A prompt with fewer rows is not learnt, unless it is that of most rows. */
const rowsMin = 50
const mostShare = 0.5
/** Where fewer rows are of learnt prompts, prompts differ from row to row, and tell nothing of the workload. */
const coverageMin = 0.8

/** The ids of the learnt prompts; empty: the student does not tell prompts apart. */
export const learntOf = (templates: ReadonlyArray<VersionTemplate>): ReadonlyArray<string> => {
  const learnt = templates.filter(({ rows, share }) => rows > rowsMin || share > mostShare)
  const coverage = learnt.reduce((sum, { share }) => sum + share, 0)
  return coverage < coverageMin ? [] : learnt.map(({ id }) => id)
}

const isInstruction = ({ role }: Turn): boolean => role === "system" || role === "developer"

export const idOf = (instruction: string): string =>
  Id.fromDigest("tpl", createHash("sha256").update(fold(instruction)).digest())

interface Addressed {
  readonly turns: ReadonlyArray<Turn>
  /** The prompt among several. */
  readonly template?: string
  /** The learnt prompt, also the only one. */
  readonly id?: string
  readonly isUnknown: boolean
}

/** Finds the prompt of a conversation. A student with a single prompt assumes that prompt in requests without any. */
export const reader = ({ template, templates = [] }: Pick<Settings, "template" | "templates">) => {
  let last = { instruction: "", id: idOf("") }
  return (turns: ReadonlyArray<Turn>): Addressed => {
    if (templates.length === 0) return { turns, isUnknown: false }
    const instruction = turns
      .filter(isInstruction)
      .map(({ text }) => text)
      .join("\n")
    if (instruction !== last.instruction) last = { instruction, id: idOf(instruction) }
    const { id } = last
    if (!templates.includes(id)) return { turns, isUnknown: instruction !== "" || templates.length > 1 }
    if (templates.length > 1) return { turns, template: id, id, isUnknown: false }
    // The text that all rows share, in another writing.
    return {
      turns: template.system === null ? turns : turns.filter((turn) => !isInstruction(turn)),
      id,
      isUnknown: false
    }
  }
}

export interface AddressedPrediction extends Prediction {
  /** Whether the student does not know the prompt; the input is new then. */
  readonly isUnknownTemplate: boolean
  /** The id of its prompt; undefined for one that was not learnt. */
  readonly template: string | undefined
}

export interface AddressedModel extends Pick<Model, "about"> {
  /** `embedding`: of the `embeddedText`. */
  readonly predict: (turns: ReadonlyArray<Turn>, embedding?: Float32Array) => AddressedPrediction
}

/** Extracts the text to embed: the request without the common text, cut to the bound of embedded texts. */
export const embedding = (settings: Pick<Settings, "charactersMax" | "template" | "templates">) => {
  const addressed = reader(settings)
  const charactersMax = Math.min(settings.charactersMax, DistillLimits.embeddedCharactersMax)
  return (turns: ReadonlyArray<Turn>): string =>
    partsOf(readText(addressed(turns).turns, settings.template, charactersMax).turns).request
}

/** The model with its prompts told apart. */
export const addressing = ({ about, predict }: Model): AddressedModel => {
  const read = reader({ template: about.template ?? nothing, templates: about.templates ?? [] })
  return {
    about,
    predict: (turns, embedding) => {
      const { id, isUnknown, template, turns: addressed } = read(turns)
      const prediction = predict(addressed, { template, embedding })
      return {
        text: prediction.text,
        confidence: prediction.confidence,
        isNew: prediction.isNew || isUnknown,
        isUnknownTemplate: isUnknown,
        template: id,
        get distribution() {
          return prediction.distribution
        }
      }
    }
  }
}
