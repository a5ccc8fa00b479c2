import type { Block } from '../page/page.ts'
import { prose } from './describe.ts'
import { errorExamples, examplesOf, type Response } from './examples.ts'
import { fencedCode, inlineText, titleText } from './inline-text.ts'
import type { Operation } from './list-operations.ts'
import { propertyLine, type Scope, schemaLines, typeName } from './schema-lines.ts'
import { entriesOf, listOf, refName, textOf, type Values, valuesOf } from './values.ts'

/** Parameters, request body and responses of an operation, then its examples. */
export function operationBlocks({ values, shared }: Operation, scope: Scope): Block[] {
  const { refs } = scope
  const all = mergeParameters([...shared, ...refs.list(values.parameters)], scope)
  const parameters = all.filter((parameter) => parameter.in !== 'body')
  const body = all.find((parameter) => parameter.in === 'body')
  const request = refs.resolve(values.requestBody)
  const responses = responsesOf(values, scope)
  const texts = [
    titled(
      'Parameters:',
      parameters.map((parameter) => parameterLine(parameter, scope)),
    ),
    ...(body ? [bodyText('', body, body.schema, scope)] : []),
    ...entriesOf(refs.resolve(request.content)).map(([type, media]) =>
      bodyText(`\`${type}\``, request, refs.resolve(media).schema, scope),
    ),
    titled('Responses:', responseLines(responses, scope)),
    titled('Response headers:', headerLines(responses, scope)),
    securityText(values.security),
  ]
  const described = [request, ...responses.map((response) => response.values)]
  return [
    ...texts.flatMap(prose),
    ...described.flatMap(({ description }) => fencedCode(refs.text(description))),
    ...examplesOf({ request, body, responses }, scope),
  ]
}

/** Adds the errors that other operations may refer to: their sections have their properties and examples. */
function responsesOf({ responses }: Values, scope: Scope): Response[] {
  const { refs } = scope
  return entriesOf(refs.resolve(responses)).map(([status, response]) => {
    const values = refs.resolve(response)
    if (!/^(?:[45]|default)/.test(status)) return { status, values, shares: 'nothing' }
    const { schema } = contentOf(values, scope)
    const shares = isReference(response) ? 'all' : isReference(schema) ? 'schema' : 'nothing'
    if (shares === 'all')
      scope.addError({ heading: errorHeading(status, refs.text(values.description)), values, isSchema: false })
    if (shares === 'schema') scope.addError({ heading: refName(schema), values: refs.resolve(schema), isSchema: true })
    return { status, values, shares }
  })
}

const isReference = (value: unknown): boolean => typeof valuesOf(value).$ref === 'string'
const errorHeading = (status: string, description: string): string => `${status} ${titleText(description)}`.trim()

/** A parameter of the operation replaces the path's parameter with the same name and location. */
function mergeParameters(parameters: unknown[], { refs }: Scope): Values[] {
  const merged = new Map<string, Values>()
  for (const parameter of parameters.map(refs.resolve)) merged.set(`${textOf(parameter.in)} ${textOf(parameter.name)}`, parameter)
  return [...merged.values()]
}

const parameterLine = (parameter: Values, scope: Scope): string =>
  valueLine(textOf(parameter.name), parameter, [textOf(parameter.in), parameter.required === true ? 'required' : ''], scope)

/** The line of a parameter or header, whose schema is in it, in its content, or itself. */
function valueLine(name: string, holder: Values, notes: string[], scope: Scope): string {
  const { refs } = scope
  const media = refs.resolve(entriesOf(refs.resolve(holder.content))[0]?.[1])
  const schema = refs.resolve(holder.schema ?? media.schema ?? holder)
  return propertyLine(name, { ...schema, description: holder.description ?? schema.description }, notes, scope, holder)
}

function bodyText(type: string, body: Values, schema: unknown, scope: Scope): string {
  const notes = [type, typeName(schema), body.required === true ? 'required' : ''].filter((note) => note !== '')
  const title = `Request body${bracketed(notes)}:${after(' ', inlineText(scope.refs.text(body.description)))}`
  return [title, schemaLines(schema, scope).join('\n')].filter((text) => text !== '').join('\n\n')
}

/** A schema that several responses have is listed once. */
function responseLines(responses: Response[], scope: Scope): string[] {
  const { refs } = scope
  const listed = new Set<Values>()
  return responses.flatMap(({ status, values, shares }) => {
    const { type, schema } = contentOf(values, scope)
    const line = `- \`${status}\`${bracketed(notesOf(type, schema))}${after(': ', inlineText(refs.text(values.description)))}`
    const resolved = refs.resolve(schema)
    const isListed = shares !== 'nothing' || listed.has(resolved)
    listed.add(resolved)
    return [line, ...(isListed ? [] : schemaLines(schema, scope).map((property) => `  ${property}`))]
  })
}

/** The body and the examples of a shared error. The caller puts the description in front. */
export function errorBlocks(values: Values, scope: Scope): Block[] {
  const { type, schema } = contentOf(values, scope)
  const lines = titled(`Response body${bracketed(notesOf(type, schema))}:`, schemaLines(schema, scope))
  return [...prose(lines), ...errorExamples(values, scope)]
}

function contentOf(response: Values, { refs }: Scope): { type: string; schema: unknown } {
  const [type = '', media] = entriesOf(refs.resolve(response.content))[0] ?? []
  return { type, schema: media === undefined ? response.schema : refs.resolve(media).schema }
}

const notesOf = (type: string, schema: unknown): string[] =>
  [type === '' ? '' : `\`${type}\``, typeName(schema)].filter((note) => note !== '')

/** A header that several responses have is listed once. */
function headerLines(responses: Response[], scope: Scope): string[] {
  const headers = new Map<string, unknown>()
  for (const { values } of responses)
    for (const [name, header] of entriesOf(scope.refs.resolve(values.headers))) if (!headers.has(name)) headers.set(name, header)
  return [...headers].map(([name, header]) => valueLine(name, scope.refs.resolve(header), [], scope))
}

function securityText(security: unknown): string {
  const choices = listOf(security).flatMap((choice) =>
    entriesOf(choice).map(([name, scopes]) => `\`${name}\`${bracketed(listOf(scopes).map(String))}`),
  )
  return choices.length > 0 ? `Authentication: ${choices.join(' or ')}` : ''
}

const titled = (title: string, lines: string[]): string => (lines.length > 0 ? `${title}\n\n${lines.join('\n')}` : '')
const bracketed = (words: string[]): string => (words.length > 0 ? ` (${words.join(', ')})` : '')
const after = (joint: string, text: string): string => (text === '' ? '' : joint + text)
