import { Hono } from "hono"
import { limbeck } from "./limbeck.ts"

export const app = new Hono()
app.mount("/limbeck", limbeck.fetch)
app.post("/orders", async (context) => context.json({ item: (await context.req.json()).item }))
