import express from "express"
import { limbeck } from "./limbeck.ts"

export const app = express()
app.use("/limbeck", limbeck.node)
app.use(express.json())
app.post("/orders", (request, response) => void response.json({ item: request.body.item }))
