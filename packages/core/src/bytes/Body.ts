/** The bytes of a body: whole, or a flow of pieces as they arrive. A reader takes them once. */
import * as Stream from "effect/Stream"
import * as Flow from "./Flow.ts"

export type Body<E> =
  | { readonly _tag: "Whole"; readonly bytes: Uint8Array }
  | { readonly _tag: "Flow"; readonly flow: Flow.Flow<E> }

export const whole = (bytes: Uint8Array): Body<never> => ({ _tag: "Whole", bytes })

export const flowing = <E>(flow: Flow.Flow<E>): Body<E> => ({ _tag: "Flow", flow })

/** The same bytes, for readers that combine streams. */
export const toStream = <E>(body: Body<E>): Stream.Stream<Uint8Array, E> =>
  body._tag === "Whole" ? Stream.succeed(body.bytes) : Flow.toStream(body.flow)

/** The same bytes, for readers that take pieces. */
export const toFlow = <E>(body: Body<E>): Flow.Flow<E> =>
  body._tag === "Whole" ? Flow.prepend<E>([body.bytes]) : body.flow
