/**
 * Splits an alias's calls: each key has a fixed position, and the student has those below its share. So a conversation
 * stays on its side, and a larger share only adds calls.
 */
import { placeOf } from "@limbeck/capture/tape/EvenPlace"

/** `key`: the caller's external id, else the call's own; aliases place it differently. `percent`: the student's share. */
export const isStudents = (alias: string, key: string, percent: number): boolean =>
  placeOf(`${alias}\n${key}`) * 100 < percent
