/** How much of a text or list the page draws at a time, with reasons. The rest is drawn on request. */
export const DrawingLimits = {
  /**
   * Characters of one text. Layout of a paragraph may take time by the square of its length: 4,000 characters that change their direction at each
   * one take 21 ms in Chromium, 16,000 take 150 ms.
   */
  textMax: 4_000,
  /** Total characters of all drawn texts: 6 of the slowest take 126 ms. */
  textsMax: 24_000,
  /** The least number of characters of each text, however many texts a page has. */
  textMin: 200,
  /** Messages, lines, rows of a table. */
  itemsMax: 20,
  /** Characters of a text in a table, or of an error message. */
  cellMax: 500,
  /** Characters of a text's opening in a list, on one line. */
  openingMax: 140,
  /** Longest completion that counts as a label, in characters: JSON labels have at most 500. */
  labelMax: 500,
  /** Levels of JSON that are indented: deeper ones would be mostly blanks. */
  indentsMax: 20
} as const
