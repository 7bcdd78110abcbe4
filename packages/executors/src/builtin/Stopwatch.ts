/**
 * Seconds that this thread has had of a processor: what a training takes of the machine, and no more where others work on it
 * too. Before Node 23.9, which cannot tell, seconds of the clock.
 */
const hasOwnTime = typeof process.threadCpuUsage === "function"

export const seconds = (): number => {
  if (!hasOwnTime) return performance.now() / 1000
  const { system, user } = process.threadCpuUsage()
  return (user + system) / 1e6
}
