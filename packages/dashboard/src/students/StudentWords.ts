/** How a student is called. */
import type { StudentModel } from "@limbeck/client"

export const nameOf = ({ base, name }: StudentModel): string => name ?? base
export const originOf = ({ origin }: StudentModel): string => (origin === "run" ? "here" : "elsewhere")
