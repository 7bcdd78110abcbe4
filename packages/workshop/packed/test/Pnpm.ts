/** What pnpm makes of the packs as they lie in a folder, before they are in any registry. */
import * as path from "node:path"
import { installByPnpm } from "../Install.ts"
import type { Pack } from "../Release.ts"
import * as Newcomer from "./Newcomer.ts"

export const promise = "pnpm installs the packs themselves, and a first webhook is verified there (P951)"

/** `names`: of the packages that README's first webhook takes. */
export const faults = async (
  folder: string,
  packs: ReadonlyArray<Pack>,
  packed: string,
  names: ReadonlyArray<string>
): Promise<ReadonlyArray<string>> => {
  const files = packs.filter(({ name }) => names.includes(name)).map(({ filename }) => path.join(packed, filename))
  await installByPnpm(folder, packed, files)
  return Newcomer.firstWebhook.take(folder)
}
