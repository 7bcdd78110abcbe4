/** What a resource that belongs to a loop can be found by. */

export const of = (loop: string): string => `loop:${loop}`

/** The labels of a resource with an optional loop. */
export const labels = (loop: string | null | undefined): ReadonlyArray<string> =>
  loop === null || loop === undefined ? [] : [of(loop)]
