/** Which calls of a source are kept: a share of them, decided by the id alone, so that every server decides alike. */

import type { Capture } from "../source/Source.ts"
import { placeOf } from "./EvenPlace.ts"

export const isKept = ({ enabled, sample_rate }: Capture, id: string): boolean =>
  enabled && (sample_rate === 1 || placeOf(id) < sample_rate)
