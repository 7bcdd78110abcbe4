// Shifts the system's clock.
// @effect-diagnostics globalDate:off
/** Loaded before a server of a fault: its clock is off by the milliseconds that the file `SHIFTED_CLOCK` holds. */
import * as fs from "node:fs"

const file = process.env["SHIFTED_CLOCK"] ?? ""
const pollMillis = 50

let offsetMillis = 0
const read = (): void => {
  offsetMillis = Number(fs.readFileSync(file, "utf8"))
}
read()
// By the monotonic clock, which no jump moves.
fs.watchFile(file, { interval: pollMillis, persistent: false }, read)

const { now } = Date
const shifted = (): number => now() + offsetMillis

globalThis.Date = new Proxy(Date, {
  construct: (date, given, self) => Reflect.construct(date, given.length === 0 ? [shifted()] : given, self),
  get: (date, name) => (name === "now" ? shifted : Reflect.get(date, name))
})
