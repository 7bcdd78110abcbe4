/** publint's rules, applied to the packs as installers get them. */
import * as fs from "node:fs"
import * as path from "node:path"
import { publint } from "publint"
import { formatMessage } from "publint/utils"
import type { Pack } from "./Release.ts"

export const promise = "publint finds no fault in the packs"

const faultsOf = async (packed: string, { filename, name }: Pack): Promise<ReadonlyArray<string>> => {
  const { buffer } = new Uint8Array(fs.readFileSync(path.join(packed, filename)))
  const { messages, pkg } = await publint({ pack: { tarball: buffer }, level: "error", strict: true })
  return messages.map((message) => `${name}: ${formatMessage(message, pkg, { color: false })}`)
}

/** `packed`: where the packs lie. Warnings are faults, too. */
export const faults = async (packed: string, packs: ReadonlyArray<Pack>): Promise<ReadonlyArray<string>> =>
  (await Promise.all(packs.map((pack) => faultsOf(packed, pack)))).flat()
