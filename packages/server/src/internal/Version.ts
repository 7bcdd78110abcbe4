/** Of these packages, which are released together: `npm run release` writes it. */
export const version: string = "0.0.0"
