/** Every kind of fault, by the name that the command line knows. */
import type { Fault } from "./Fault.ts"
import { clock } from "./kinds/clock.ts"
import { diskFull } from "./kinds/diskFull.ts"
import { freeze } from "./kinds/freeze.ts"
import { journal } from "./kinds/journal.ts"
import { kill } from "./kinds/kill.ts"
import { kills } from "./kinds/kills.ts"
import { readOnly } from "./kinds/readOnly.ts"
import { flap, restart } from "./kinds/restart.ts"
import { terminate } from "./kinds/terminate.ts"

export const kinds: Readonly<Record<string, Fault>> = {
  kill,
  kills,
  freeze,
  "read-only": readOnly,
  "disk-full": diskFull,
  restart,
  flap,
  terminate,
  clock,
  journal
}
