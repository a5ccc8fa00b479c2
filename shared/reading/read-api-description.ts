import { openapiPage } from './openapi/openapi-page.ts'
import { type Document, openDocument } from './openapi/references.ts'
import { valuesOf } from './openapi/values.ts'
import type { Page, Reader } from './page/page.ts'

const severalDocuments =
  'not an OpenAPI document: the file holds several YAML documents, divided by "---"; put each into its own file'

/** Reads an OpenAPI, Swagger or AsyncAPI document in JSON or YAML, and the files that it refers to. Throws for other text. */
export const apiDescriptionReader: Reader = async (text, context): Promise<Page> => {
  const document = open(text, context)
  const root = valuesOf(document.root)
  if (root.asyncapi !== undefined) {
    const { asyncapiPage } = await import('./asyncapi/asyncapi-page.ts')
    return asyncapiPage(document, context.path)
  }
  if (root.openapi === undefined && root.swagger === undefined)
    throw new Error('not an OpenAPI document: none of openapi, swagger and asyncapi is set')
  return openapiPage(document, context.path)
}

function open(...source: Parameters<typeof openDocument>): Document {
  try {
    return openDocument(...source)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'MULTIPLE_DOCS') throw new Error(severalDocuments)
    const why = error instanceof Error ? error.message.split('\n', 1)[0] : 'unknown error'
    throw new Error(`not a readable OpenAPI document: ${why}`)
  }
}
