/** As far into a file as an OpenAPI document must have named itself. */
export const openapiHeadBytes = 16_384

const inJson = /["'](openapi|swagger)["']\s{0,20}:\s{0,20}["'](2\.0|3\.[0-9])/
const inYaml = /^["']?(openapi|swagger)["']?[ \t]{0,20}:[ \t]{0,20}["']?(2\.0|3\.[0-9])/m

/** Whether a JSON or YAML file, of which the beginning is enough, says that it is OpenAPI 3 or Swagger 2: in YAML the first document of it. */
export function isOpenapi(text: string, path: string): boolean {
  const head = text.slice(0, openapiHeadBytes)
  if (path.toLowerCase().endsWith('.json')) return inJson.test(head)
  const first = head.split(/^---(?=\s)/m).find((document) => /^[ \t]*[^\s#%]/m.test(document)) ?? ''
  return inYaml.test(first) || inJson.test(first)
}
