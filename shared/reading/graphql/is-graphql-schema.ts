import { createReadStream } from 'node:fs'

const root = /(?:^|\n)[ \t]{0,9}(?:extend[ \t]{1,9})?(?:schema\b|type[ \t]{1,9}(?:Query|Mutation|Subscription)\b)/
/** Longer than a match. */
const seamChars = 100

/** True for a GraphQL file that defines the schema or one of the types with its operations. Other files hold requests, or a part of a schema in a test. */
export async function isGraphqlSchema(file: string): Promise<boolean> {
  let seam = '\n'
  for await (const piece of createReadStream(file, { encoding: 'latin1' })) {
    if (root.test(seam + piece)) return true
    seam = (seam + piece).slice(-seamChars)
  }
  return false
}
