/** Addresses of the dashboard's pages. Who shows all of them has parameters for each row of the dashboard's own table. */
import { type PageName, pageTable } from "../../../dashboard/src/app/PageTable.ts"

type ParameterIn<Path extends string> = Path extends `${string}/:${infer Name}/${infer Rest}`
  ? Name | ParameterIn<`/${Rest}`>
  : Path extends `${string}/:${infer Name}`
    ? Name
    : never

/** The ids in the address of a page. */
type Parameters<Name extends PageName> = Readonly<Record<ParameterIn<(typeof pageTable)[Name]["path"]>, string>>

const addressWith = (name: PageName, values: Readonly<Record<string, string>>): string =>
  pageTable[name].path.replace(/:(\w+)/g, (_, parameter: string) => {
    const value = values[parameter]
    if (value === undefined || value === "") throw new Error(`${name} has no ${parameter}`)
    return value
  })

/** The address of a page, behind the `#`. */
export const addressOf = <Name extends PageName>(name: Name, parameters: Parameters<Name>): string =>
  addressWith(name, parameters)

const names = Object.keys(pageTable) as ReadonlyArray<PageName>

/** Each page once. */
export type EachPage = { readonly [Name in PageName]: Parameters<Name> }

export const addressesOf = (pages: EachPage): Readonly<Record<string, string>> =>
  Object.fromEntries(names.map((name) => [name, addressWith(name, pages[name])]))

/** The addresses of each page, one for each visible state. */
export type VisitedPages = { readonly [Name in PageName]: readonly [Parameters<Name>, ...Array<Parameters<Name>>] }

export const addressesVisited = (pages: VisitedPages): ReadonlyArray<string> =>
  names.flatMap((name) => pages[name].map((parameters) => addressWith(name, parameters)))
