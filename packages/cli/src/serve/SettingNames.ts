/** The names of all settings. A variable with a similar name is a mistake, not another program's variable. */
import { mistakesBetween } from "@limbeck/core/text/Mistakes"
import { rows } from "./SettingTable.ts"

export const settingNames: ReadonlyArray<string> = rows.map(({ name }) => name)

/** `HOST` and `PORT` are too short to tell a mistake from another program's variable, such as `HOME`. */
const comparedFrom = 6

/** Longer names have room for two mistakes that still leave no doubt. */
const twoMistakesFrom = 10

const allowedMistakes = ({ length }: string): number => (length >= twoMistakesFrom ? 2 : 1)

const isSetting = (name: string): boolean => settingNames.includes(name)

/** The setting that was meant by a name that is none; undefined where it resembles none. Case does not count. */
export const closestSetting = (name: string): string | undefined => {
  if (isSetting(name)) return undefined
  const upper = name.toUpperCase()
  return settingNames.find((known) => {
    const allowed = allowedMistakes(known)
    const isNear = Math.abs(known.length - upper.length) <= allowed
    return known.length >= comparedFrom && isNear && mistakesBetween(known, upper) <= allowed
  })
}
