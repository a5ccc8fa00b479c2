import { fieldTable, nameOf, type Schema, table, typeAndNeed, typeOf } from './schema-rows.ts'

type Content = Record<string, { schema: Schema }>
type Parameter = { in: string; name: string; schema: Schema; required?: boolean; description?: string }

type Operation = {
  tags?: string[]
  /** For a route outside the API. */
  servers?: unknown
  summary: string
  description: string
  parameters?: Parameter[]
  requestBody?: { content: Content }
  responses: Record<string, { description: string; content?: Content }>
  'x-carrel-caller'?: string
}

export type OpenapiDocument = {
  tags: { name: string }[]
  servers: { url: string }[]
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Schema> }
}

type Page = {
  title: string
  /** File name of the OpenAPI document. */
  document: string
  /** How a request says who sends it. */
  credential: string
  /** The callers that a route admits, in words, by the name in the document. */
  callers: Record<string, string>
}

/** A page for people: every route of an OpenAPI document by tag, then the types that routes share. */
export function apiPage(document: OpenapiDocument, page: Page): string {
  const { Error: error, ...types } = document.components.schemas
  const [{ url: root = '' } = {}] = document.servers
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      name: `${method.toUpperCase()} ${operation.servers ? '' : root}${path}`,
      operation,
    })),
  )
  const ofTag = (tag: string) =>
    operations.flatMap(({ name, operation }) => (operation.tags?.includes(tag) ? routeLines(name, operation, page) : []))
  const lines = [
    `# ${page.title}`,
    '',
    '<!-- npm run reference writes this page. -->',
    '',
    `The [OpenAPI document](${page.document}) is the same for programs; a server returns its own at \`/api/openapi.json\`.`,
    ...wrapped(`${page.credential} Optional fields may be absent.`),
    '',
    ...document.tags.flatMap(({ name }) => [`## ${name}`, '', ...ofTag(name)]),
    '## Errors',
    '',
    `${error?.description ?? ''}`,
    '',
    ...fieldTable(error ?? {}),
    ...table(['status', 'meaning'], errorMeanings(operations.map(({ operation }) => operation))),
    '## Types',
    '',
    ...Object.entries(types).flatMap(([name, schema]) => [`### ${name}`, '', ...describedFields(schema)]),
  ]
  return `${lines.join('\n').trimEnd()}\n`
}

function routeLines(name: string, operation: Operation, { callers }: Page): string[] {
  const caller = operation['x-carrel-caller']
  const parameters = (operation.parameters ?? []).map(({ name, in: place, schema, required, description }) => [
    `\`${name}\``,
    place,
    typeAndNeed(schema, required === true),
    description ?? schema.description ?? '',
  ])
  const answers = Object.entries(operation.responses)
  const errors = answers.filter(([status]) => !isSuccess(status)).map(([status]) => status)
  return [
    `### ${operation.summary}`,
    '',
    `\`${name}\``,
    '',
    ...wrapped(operation.description),
    '',
    `For ${caller === undefined ? 'everyone' : (callers[caller] ?? unknownCaller(caller))}.`,
    '',
    ...(parameters.length > 0 ? table(['parameter', 'in', 'type', 'meaning'], parameters) : []),
    ...bodyLines(operation.requestBody?.content ?? {}),
    ...answers.filter(([status]) => isSuccess(status)).flatMap(answerLines),
    ...(errors.length > 0 ? [`[Errors](#errors): ${errors.join(', ')}.`, ''] : []),
  ]
}

const bodyLines = (content: Content): string[] =>
  Object.entries(content).flatMap(([type, { schema }]) => {
    const fields = fieldTable(schema)
    return [`Body (\`${type}\`)${fields.length > 0 ? ':' : `: ${typeOf(schema)}.`}`, '', ...fields]
  })

function answerLines([status, { description, content = {} }]: [string, Operation['responses'][string]]): string[] {
  const kinds = Object.entries(content).map(([type, { schema }]) =>
    type === 'application/json' ? (schema.properties ? 'JSON' : typeOf(schema)) : `\`${type}\``,
  )
  const fields = Object.values(content).flatMap(({ schema }) => fieldTable(schema))
  return [`Returns ${status}: ${[description, ...kinds].join('; ')}${fields.length > 0 ? ':' : '.'}`, '', ...fields]
}

function describedFields(schema: Schema): string[] {
  const about = schema.description ? [...wrapped(schema.description), ''] : []
  const fields = fieldTable(schema)
  return [...about, ...(fields.length > 0 ? fields : [typeOf(schema), ''])]
}

function errorMeanings(operations: Operation[]): string[][] {
  const meanings = new Map<string, Set<string>>()
  for (const { responses } of operations)
    for (const [status, { description }] of Object.entries(responses))
      if (!isSuccess(status)) meanings.set(status, (meanings.get(status) ?? new Set()).add(description))
  return [...meanings].sort().map(([status, said]) => [status, [...said].join('; ')])
}

function wrapped(text: string): string[] {
  const lines = ['']
  for (const word of text.split(/\s+/)) {
    const last = lines.at(-1) ?? ''
    if (last === '') lines[lines.length - 1] = word
    else if (last.length + word.length < 120) lines[lines.length - 1] = `${last} ${word}`
    else lines.push(word)
  }
  return lines
}

const isSuccess = (status: string): boolean => /^[23]/.test(status)

function unknownCaller(name: string): never {
  throw new Error(`No words for the caller ${nameOf(name)}: add them to test/reference/reference-files.ts.`)
}
