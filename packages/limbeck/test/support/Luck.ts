/** Luck that a seed replays: numbers from 0 up to 1 (a Lehmer generator). */
export const luck = (seed: number): (() => number) => {
  const modulus = 2 ** 31 - 1
  let state = seed % modulus
  return () => {
    state = (state * 48_271) % modulus
    return state / modulus
  }
}
