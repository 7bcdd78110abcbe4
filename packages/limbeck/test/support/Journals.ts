/** What waits in a server's journal. */
import { fetch } from "undici"

export const waitingAt = async (origin: string): Promise<number> => {
  const { capture } = (await (await fetch(`${origin}/healthz`)).json()) as {
    readonly capture: { readonly waiting: number }
  } // As /healthz has it.
  return capture.waiting
}
