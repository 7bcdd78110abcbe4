/** An error, in the API's words, with the id that the people of the server need. */
import { ApiError } from "@limbeck/client"
import { wordsOf } from "../app/Queries.ts"
import { Text } from "./LongText.tsx"

interface Props {
  readonly error: unknown
  readonly again?: () => void
}

export const Failure = ({ again, error }: Props) =>
  error === null || error === undefined ? null : (
    <div role="alert" className="failure">
      <p>
        <Text label="the error" of={wordsOf(error)} />
      </p>
      {error instanceof ApiError && error.requestId !== null && (
        <p className="soft">
          Request <code>{error.requestId}</code>
        </p>
      )}
      {again !== undefined && (
        <button type="button" onClick={again}>
          Try again
        </button>
      )}
    </div>
  )
