import { Limbeck, memory, postgres } from "limbeck"

const { DATABASE_URL: url, PUBLIC_URL = "http://127.0.0.1:3000" } = process.env

export const limbeck = await Limbeck.make({
  storage: url === undefined ? memory : postgres({ url }),
  settings: { publicUrl: `${PUBLIC_URL}/limbeck` }
})
