/** CSV by RFC 4180, piece by piece: fields in quotes may hold commas, line ends, and quotes that are written twice. */

export interface CsvRecord {
  /** Where it begins; the first line is 1. */
  readonly line: number
  readonly fields: ReadonlyArray<string>
}

/** A quote is open at the end of the text. */
class OpenQuote extends Error {
  constructor(line: number) {
    super(`line ${line}: a quoted field does not end`)
  }
}

/** Quotes, commas and line ends, and the text between them. */
const tokens = /"|,|\r\n|\n|[^",\r\n]+|\r/g

class Reader {
  #line = 1
  #begun = 1
  #fields: Array<string> = []
  #field = ""
  #isQuoted = false
  /** A quote inside quotes: ends the field, unless a second quote follows. */
  #isClosing = false
  #hasAny = false

  #inQuotes(token: string): void {
    if (token !== '"') this.#field += token
    else if (this.#isClosing) {
      this.#field += '"'
      this.#isClosing = false
    } else this.#isClosing = true
  }

  #outside(token: string): void {
    this.#isQuoted = false
    this.#isClosing = false
    this.#hasAny = true
    if (token === ",") {
      this.#fields.push(this.#field)
      this.#field = ""
    } else if (token === '"' && this.#field === "") this.#isQuoted = true
    else this.#field += token
  }

  /** The records completed by the text, which ends with a line end or is the last. */
  *take(text: string): Generator<CsvRecord, void, void> {
    for (const [token] of text.matchAll(tokens)) {
      if (this.#isQuoted && !(this.#isClosing && token !== '"')) this.#inQuotes(token)
      else if (token === "\n" || token === "\r\n") yield* this.#ended()
      else this.#outside(token)
      if (token.endsWith("\n")) this.#line++
    }
  }

  *end(): Generator<CsvRecord, void, void> {
    if (this.#isQuoted && !this.#isClosing) throw new OpenQuote(this.#begun)
    yield* this.#ended()
  }

  *#ended(): Generator<CsvRecord, void, void> {
    if (this.#hasAny) yield { line: this.#begun, fields: [...this.#fields, this.#field] }
    this.#begun = this.#line + 1
    this.#fields = []
    this.#field = ""
    this.#isQuoted = false
    this.#isClosing = false
    this.#hasAny = false
  }
}

/** Empty lines are no records. */
export async function* records(lines: AsyncIterable<string>): AsyncGenerator<CsvRecord, void, void> {
  const reader = new Reader()
  for await (const line of lines) yield* reader.take(`${line}\n`)
  yield* reader.end()
}
