/** What the stock client of the OpenAI API gets from a server: arguments are its address and a model; prints one JSON object. */
import OpenAI from "openai"

const [baseURL, model] = process.argv.slice(2)
const openai = new OpenAI({ baseURL, apiKey: "key-of-this-process", maxRetries: 0 })
const messages = [{ role: "user", content: "goods: tea; city: Lima; name: Ada" }]
const tools = [{ type: "function", function: { name: "look", parameters: { type: "object" } } }]

const whole = await openai.chat.completions.create({ model, messages })
const streamed = await openai.chat.completions.stream({ model, messages }).finalChatCompletion()
const called = await openai.chat.completions.create({ model, messages, tools })
const calledInStream = await openai.chat.completions.stream({ model, messages, tools }).finalChatCompletion()
const message = called.choices[0].message
const results = (message.tool_calls ?? []).map(({ id }) => ({ role: "tool", tool_call_id: id, content: "sunny" }))
const afterwards = await openai.chat.completions.create({ model, messages: [...messages, message, ...results] })
const { data } = await openai.models.list()

const models = data.map(({ id }) => id)
process.stdout.write(JSON.stringify({ whole, streamed, called, calledInStream, afterwards, models }))
