/**
 * The life of an answer. The first event to arrive ends it; a retry of its request resumes only an answer that a crash
 * ended:
 *
 *     queued ── Answered ──▶ completed
 *       ├────── HandedOff ─▶ handed_off
 *       ├────── Broke ─────▶ failed ── Resumed ──▶ queued
 *       └────── Resumed ───▶ queued
 */
import type { CallId } from "@limbeck/capture/call/CapturedCall"
import * as Machine from "@limbeck/core/machine/Machine"
import type { Message, MessageFault, MessageStatus } from "./Message.ts"

export type MessageEvent =
  | { readonly _tag: "Answered"; readonly text: string; readonly call: string | null }
  | { readonly _tag: "HandedOff"; readonly text: string; readonly call: string | null; readonly url: string }
  /** `text`: what had come until then. */
  | { readonly _tag: "Broke"; readonly text: string; readonly error: MessageFault }
  /** Another attempt is begun, with this call. */
  | { readonly _tag: "Resumed"; readonly call: CallId }

const machine = Machine.make<MessageStatus, Message, MessageEvent>({
  name: "message",
  edges: {
    queued: { Answered: ["completed"], HandedOff: ["handed_off"], Broke: ["failed"], Resumed: ["queued"] },
    completed: {},
    failed: { Resumed: ["queued"] },
    handed_off: {}
  },
  apply: (message, event, now) => {
    if (event._tag === "Resumed") {
      const attempts = message.attempts + 1
      return {
        ...message,
        status: "queued",
        text: "",
        latencyMillis: null,
        error: null,
        attempts,
        attemptedCall: event.call
      }
    }
    const { text } = event
    const ended = { ...message, text, latencyMillis: Math.max(0, now - message.createdAt) }
    switch (event._tag) {
      case "Answered":
        return { ...ended, status: "completed", call: event.call }
      case "HandedOff":
        return { ...ended, status: "handed_off", call: event.call, handoffUrl: event.url }
      case "Broke":
        return { ...ended, status: "failed", error: event.error }
    }
  }
})

export const { transition } = machine
