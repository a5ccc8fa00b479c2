/** As far into a file as an OpenAPI document must have named itself. */
export const openapiHeadBytes = 16_384

const inJson = /["'](openapi|swagger)["']\s{0,20}:\s{0,20}["'](2\.0|3\.[0-9])/
const inYaml = /^["']?(openapi|swagger)["']?[ \t]{0,20}:[ \t]{0,20}["']?(2\.0|3\.[0-9])/m

/** Whether a JSON or YAML file, of which the beginning is enough, says that it is OpenAPI 3 or Swagger 2. */
export function isOpenapi(text: string, path: string): boolean {
  const head = text.slice(0, openapiHeadBytes)
  return path.toLowerCase().endsWith('.json') ? inJson.test(head) : inYaml.test(head) || inJson.test(head)
}
