import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { isGraphqlSchema } from '../../../../shared/reading/graphql/is-graphql-schema.ts'
import { readPage } from '../../../../shared/reading/read-page.ts'
import { tempDir } from '../../../fixtures/temp-dir.ts'
import { contextOf, pageText } from '../page-text.ts'

const read = (text: string) => readPage(text, contextOf('schema.graphql'))

const shop = `"""
The shop.

Every request needs a **key**.
"""
schema { query: Query, mutation: Changes }

type Query {
  "Orders, newest first."
  orders("How many." first: Int = 10, after: ID): [Order!]!
}

extend type Query { ping: Boolean }

type Changes { "Pays." pay(order: ID!): Order @deprecated(reason: "use charge") }

"What somebody bought."
type Order implements Node @key(fields: "id") {
  id: ID!
  "In cents."
  total: Int!
}

enum State { "Not paid." OPEN PAID }
directive @key("The fields." fields: String!) on OBJECT
scalar Date
`

describe('a GraphQL schema', () => {
  test('has a section per operation and type, with its definition as code', async () => {
    expect(pageText(await read(shop))).toMatchInlineSnapshot(`
      "# (no title)

      The shop.

      Every request needs a **key**.

      ## Query > orders

      Orders, newest first.

      ~~~ graphql
      orders(first: Int = 10, after: ID): [Order!]!
      ~~~

      - \`first\`: How many.

      ## Query > ping

      ~~~ graphql
      ping: Boolean
      ~~~

      ## Mutation > pay

      Pays.

      ~~~ graphql
      pay(order: ID!): Order @deprecated(reason: "use charge")
      ~~~

      ## Order

      What somebody bought.

      ~~~ graphql
      type Order implements Node @key(fields: "id") {
        id: ID!
        total: Int!
      }
      ~~~

      - \`total\`: In cents.

      ## State

      ~~~ graphql
      enum State {
        OPEN
        PAID
      }
      ~~~

      - \`OPEN\`: Not paid.

      ## key

      ~~~ graphql
      directive @key(fields: String!) on OBJECT
      ~~~

      - \`fields\`: The fields.

      ## Date

      ~~~ graphql
      scalar Date
      ~~~"
    `)
  })

  test('links each section to its line', async () => {
    const { sections } = await read(shop)
    expect(sections.map(({ headings, line }) => [headings.at(-1), line])).toContainEqual(['orders', 9])
  })

  test.each([
    ['query { a }', 'not a GraphQL schema: it defines no types'],
    ['type {', 'not a readable GraphQL schema: Syntax Error: Expected Name, found "{".'],
    [`type Query { a: ${'['.repeat(50_000)}Int }`, /Maximum call stack|not a readable/],
    [`type Query { ${'a: Int '.repeat(400_000)} }`, /more that 1000000 tokens/],
  ])('is rejected with a reason if it is %#', async (text, reason) => {
    await expect(read(text)).rejects.toThrow(reason)
  })
})

test.each([
  ['type Query { a: Int }', true],
  ['# x\n  extend type Mutation { a: Int }', true],
  ['schema { query: Q }', true],
  [`${'#'.repeat(65_530)}\ntype Query { a: Int }`, true],
  ['type User { a: Int }', false],
  ['query Query { a }', false],
])('a GraphQL file is a schema if it has operations: %#', async (text, expected) => {
  const file = join(tempDir(), 'a.graphql')
  writeFileSync(file, text)
  expect(await isGraphqlSchema(file)).toBe(expected)
})
