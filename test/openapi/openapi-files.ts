import { testHosted } from '../fixtures/test-hosted.ts'
import { testInstall } from '../fixtures/test-install.ts'

/** The OpenAPI documents that the two halves serve, by their file in `docs/`. */
export async function openapiFiles(): Promise<Record<string, string>> {
  const install = await testInstall()
  const hosted = await testHosted()
  try {
    return {
      'docs/openapi-onprem.json': await served(install.url),
      'docs/openapi-hosted.json': await served(hosted.url),
    }
  } finally {
    await install.close()
    await hosted.close()
  }
}

async function served(url: string): Promise<string> {
  const response = await fetch(`${url}/api/openapi.json`)
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`)
  return `${JSON.stringify(await response.json(), null, 2)}\n`
}
