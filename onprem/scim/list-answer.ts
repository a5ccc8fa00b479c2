import { z } from 'zod'
import { parseInput } from '../../shared/api/input.ts'

const listSchema = 'urn:ietf:params:scim:api:messages:2.0:ListResponse'

/** Resources of a page. */
export const maxPage = 200
const defaultPage = 100

/** A resource, or a message about resources, as SCIM shows it. */
export type Resource = Record<string, unknown> & { schemas: string[] }

/** Says which attributes of a resource a provider reads, by their names in lower case. */
export type Shown = { has(name: string): boolean }

export type ListQuery = Shown & { filter: string | undefined; startIndex: number; count: number }

const numberRule = 'must be a whole number'
const WholeNumber = z
  .string(numberRule)
  .regex(/^-?\d{1,9}$/, numberRule)
  .transform(Number)
const Names = z.string().max(2_000, 'must not be longer than 2000 characters')

export const ShownQuery = z.object({
  attributes: Names.optional().describe('The only attributes that are returned, separated by commas'),
  excludedAttributes: Names.optional().describe('Attributes that are not returned, such as members'),
})
export const PageQuery = ShownQuery.extend({
  filter: z.string().optional().describe('Comparisons such as userName eq "ann@example.com", joined by and'),
  startIndex: WholeNumber.optional().describe('The first resource of the page; 1 by default'),
  count: WholeNumber.optional().describe(`Resources of the page, up to ${maxPage}; ${defaultPage} by default`),
})

export const shownIn = (query: Record<string, unknown>): Shown => shownBy(parseInput('query', ShownQuery, query))

/** Each parameter may be sent once. */
export function listQuery(sent: Record<string, string[]>): ListQuery {
  const query = parseInput(
    'query',
    PageQuery,
    Object.fromEntries(Object.entries(sent).map(([name, values]) => [name, values.length === 1 ? values[0] : values])),
  )
  const { filter, startIndex = 1, count = defaultPage } = query
  return { ...shownBy(query), filter, startIndex: Math.max(1, startIndex), count: Math.min(maxPage, Math.max(0, count)) }
}

/** Always returned (RFC 7643, section 7). */
const always = ['id', 'schemas']

function shownBy({ attributes, excludedAttributes }: z.output<typeof ShownQuery>): Shown {
  const [wanted, unwanted] = [namesIn(attributes), namesIn(excludedAttributes)]
  return { has: (name) => always.includes(name) || (wanted ? wanted.has(name) : !unwanted?.has(name)) }
}

/** A part of an attribute, such as `members.value`, stands for the whole one. */
function namesIn(text: string | undefined): Set<string> | undefined {
  const names = text?.split(',').map(
    (name) =>
      name
        .trim()
        .toLowerCase()
        .replace(/^urn:.*:/, '')
        .split('.')[0] ?? '',
  )
  return names && new Set(names)
}

export const selected = (shown: Shown, resource: Resource): Resource =>
  Object.fromEntries(Object.entries(resource).filter(([name]) => shown.has(name.toLowerCase()))) as Resource

export const listAnswer = (resources: readonly Resource[], total: number, startIndex: number): Resource => ({
  schemas: [listSchema],
  totalResults: total,
  startIndex,
  itemsPerPage: resources.length,
  Resources: resources,
})
