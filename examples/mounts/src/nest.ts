import { limbeck } from "./limbeck.ts"

/** What of Nest's application is asked; on its default platform it is Express. */
interface Application {
  readonly use: (path: string, handler: typeof limbeck.node) => unknown
  readonly listen: (port: number) => Promise<unknown>
}

/** Before `listen`, which is when Nest adds its body parsers. */
export const bootstrap = async (app: Application, port: number): Promise<void> => {
  app.use("/limbeck", limbeck.node)
  await app.listen(port)
}
