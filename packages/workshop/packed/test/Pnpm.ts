/** pnpm with local packs, before any registry has them. */
import * as path from "node:path"
import { installByPnpm } from "../Install.ts"
import type { Pack } from "../Release.ts"
import * as Newcomer from "./Newcomer.ts"

export const promise = "pnpm installs the packs themselves, and a first webhook is verified there (P951)"

/** `names`: the packages of README's first webhook. */
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
