import type { Block } from '../page/page.ts'
import { fencedCode, inlineText } from './inline-text.ts'
import { operationCode } from './operation-code.ts'
import { propertyLine, schemaLines, typeName } from './schema-lines.ts'
import { entriesOf, listOf, type Resolve, textOf, type Values, valuesOf } from './values.ts'

export const methods = ['get', 'post', 'put', 'patch', 'delete', 'head', 'options', 'trace', 'query'] as const

export type Operation = {
  /** `POST`. */
  method: string
  /** A path, or the name of a webhook. */
  path: string
  values: Values
  /** Parameters of the path, which apply to all its operations. */
  shared: unknown[]
  /** Description of the path. */
  about: unknown
}

/** `POST /pets`, its operationId, and whether it is deprecated. */
export function operationLine({ method, path, values }: Operation): string {
  const id = textOf(values.operationId)
  return `\`${method} ${path}\`${id === '' ? '' : ` (operationId \`${id}\`)`}${values.deprecated === true ? ', deprecated' : ''}`
}

/** Parameters, request body and responses of an operation, then its code. The caller puts the description in front. */
export function operationBlocks({ values, shared }: Operation, resolve: Resolve): Block[] {
  const all = mergeParameters([...shared, ...listOf(values.parameters)], resolve)
  const parameters = all.filter((parameter) => parameter.in !== 'body')
  const body = all.find((parameter) => parameter.in === 'body')
  const request = resolve(values.requestBody)
  const responses = entriesOf(values.responses).map(([status, response]) => ({ status, response: resolve(response) }))
  const texts = [
    titled(
      'Parameters:',
      parameters.map((parameter) => parameterLine(parameter, resolve)),
    ),
    ...(body ? [bodyText('', body, body.schema, resolve)] : []),
    ...entriesOf(request.content).map(([type, media]) => bodyText(`\`${type}\``, request, valuesOf(media).schema, resolve)),
    titled('Responses:', responseLines(responses, resolve)),
    securityText(values.security),
  ]
  const described = [...all, request, ...responses.map(({ response }) => response)]
  return [
    ...texts.filter((text) => text !== '').map((text): Block => ({ kind: 'prose', text, line: 0 })),
    ...described.flatMap(({ description }) => fencedCode(description)),
    ...operationCode(values, body?.schema, resolve),
  ]
}

/** A parameter of the operation replaces the path's parameter with the same name and location. */
function mergeParameters(parameters: unknown[], resolve: Resolve): Values[] {
  const merged = new Map<string, Values>()
  for (const parameter of parameters.map(resolve)) merged.set(`${textOf(parameter.in)} ${textOf(parameter.name)}`, parameter)
  return [...merged.values()]
}

function parameterLine(parameter: Values, resolve: Resolve): string {
  const schema = parameter.schema ?? valuesOf(entriesOf(parameter.content)[0]?.[1]).schema ?? parameter
  const notes = [textOf(parameter.in), parameter.required === true ? 'required' : '']
  const description = parameter.description ?? resolve(schema).description
  return propertyLine(textOf(parameter.name), { ...resolve(schema), description }, notes, resolve)
}

function bodyText(type: string, body: Values, schema: unknown, resolve: Resolve): string {
  const notes = [type, typeName(schema, resolve), body.required === true ? 'required' : ''].filter((note) => note !== '')
  const title = `Request body${bracketed(notes)}:${after(' ', inlineText(body.description))}`
  return [title, schemaLines(schema, resolve).join('\n')].filter((text) => text !== '').join('\n\n')
}

/** A schema that several responses share, as errors do, is listed once. */
function responseLines(responses: { status: string; response: Values }[], resolve: Resolve): string[] {
  const listed = new Set<Values>()
  return responses.flatMap(({ status, response }) => {
    const [type, media] = entriesOf(response.content)[0] ?? []
    const schema = media === undefined ? response.schema : valuesOf(media).schema
    const notes = [type === undefined ? '' : `\`${type}\``, typeName(schema, resolve)].filter((note) => note !== '')
    const line = `- \`${status}\`${bracketed(notes)}${after(': ', inlineText(response.description))}`
    const isListed = listed.has(resolve(schema))
    listed.add(resolve(schema))
    return [line, ...(isListed ? [] : schemaLines(schema, resolve).map((property) => `  ${property}`))]
  })
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
