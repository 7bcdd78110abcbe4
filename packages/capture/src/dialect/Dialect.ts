/** The dialect that a provider speaks (contract 16.2). */
import * as Schema from "effect/Schema"

/**
 * `openai`: chat completions, completions, responses, embeddings and decisions; `anthropic`: messages; `systemone`: decisions of
 * System One's form.
 */
export const Dialect = Schema.Literals(["openai", "anthropic", "systemone"])
export type Dialect = typeof Dialect.Type
