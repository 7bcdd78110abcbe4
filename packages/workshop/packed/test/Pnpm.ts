/** What pnpm makes of the packs as they lie in a folder, before they are in any registry. */
import * as path from "node:path"
import { installByPnpm } from "../Install.ts"
import type { Manifest, Pack } from "../Release.ts"
import * as Newcomer from "./Newcomer.ts"

export const promise = "pnpm installs the packs themselves, and a first webhook is verified there (P951)"

/** `names`: of the packages that README's first webhook takes. */
export const faults = async (
  folder: string,
  packs: ReadonlyArray<Pack>,
  packed: string,
  names: ReadonlyArray<string>,
  { peerDependencies = {} }: Manifest
): Promise<ReadonlyArray<string>> => {
  const files = packs.filter(({ name }) => names.includes(name)).map(({ filename }) => path.join(packed, filename))
  // README's lines import it, and pnpm shows a program nothing but what it asked for.
  await installByPnpm(folder, packed, [...files, `effect@${peerDependencies["effect"]}`])
  return Newcomer.firstWebhook.take(folder)
}
