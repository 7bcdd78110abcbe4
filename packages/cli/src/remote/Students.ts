/** `limbeck student`: registers a student trained elsewhere, and lists students. */
import { createHash } from "node:crypto"
import { createReadStream, openAsBlob } from "node:fs"
import { pipeline } from "node:stream/promises"
import type { Client, StudentModel, StudentModelCreate } from "@limbeck/client"
import type { Output } from "../Output.ts"
import type { Environment } from "../serve/Environment.ts"
import { CommandError } from "./CommandError.ts"
import { withInput } from "./InputFile.ts"
import { printList } from "./Listing.ts"
import type { Command } from "./Remote.ts"
import { keyOf } from "./Sources.ts"
import { send } from "./Upload.ts"

export interface NewStudent {
  readonly name: string
  readonly baseModel: string
  /** A model to upload: a GGUF file, or a tar of its files, gzipped or not. */
  readonly file?: string | undefined
  /** The id of an interrupted upload. */
  readonly resume?: string | undefined
  /** Or where it answers. */
  readonly baseUrl?: string | undefined
  readonly model?: string | undefined
  readonly keyFrom?: string | undefined
  /** The run that it belongs to. */
  readonly run?: string | undefined
}

const lineOf = ({ accuracy, base, id, name, origin }: StudentModel): string =>
  [id, origin, base, name ?? "-", accuracy === null ? "not evaluated" : `accuracy ${accuracy}`].join(" ")

const digestOf = async (file: string): Promise<string> => {
  const hash = createHash("sha256")
  await pipeline(createReadStream(file), hash)
  return hash.digest("hex")
}

const uploaded = (client: Client, output: Output, file: string, resume: string | undefined) =>
  withInput(file, async ({ name: filename, path }) => {
    const sha256 = await digestOf(path)
    const about = { format: "student_model", sha256 } as const
    const { id } = await send(client, output, await openAsBlob(path), { filename, resume }, about)
    const { errors, status } = await client.uploads.wait(id)
    if (status === "succeeded") return { upload: id, sha256 }
    throw new CommandError(`${filename} is ${status}: ${errors[0]?.message ?? "its content did not come"}`)
  })

const endpointOf = (environment: Environment, { baseUrl, keyFrom, model }: NewStudent) => {
  if (baseUrl === undefined && model === undefined && keyFrom === undefined) return undefined
  if (baseUrl === undefined || model === undefined) throw new CommandError("--base-url and --model go together")
  return { base_url: baseUrl, model, ...keyOf(environment, keyFrom) }
}

export const register =
  (environment: Environment, student: NewStudent): Command =>
  async (client, output) => {
    const { baseModel, file, name, resume, run } = student
    const endpoint = endpointOf(environment, student)
    if (endpoint !== undefined && file !== undefined) {
      throw new CommandError("Name a file to upload, or --base-url where the student answers: one of them")
    }
    const body: StudentModelCreate = {
      name,
      base_model: baseModel,
      ...(endpoint === undefined ? {} : { endpoint }),
      ...(file === undefined ? {} : { artifact: await uploaded(client, output, file, resume) }),
      ...(run === undefined ? {} : { run })
    }
    const made = await client.studentModels.create(body)
    output.result(made, lineOf(made))
    return 0
  }

export const list: Command = (client, output) =>
  printList(output, client.studentModels.list(), lineOf, "There is no student yet: limbeck run --live trains one")
