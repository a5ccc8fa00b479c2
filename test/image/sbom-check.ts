import { ok } from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { Ajv } from 'ajv'
import formats from 'ajv-formats'
import { runContainer } from './container.ts'

const schemas = new URL('../../node_modules/@cyclonedx/cyclonedx-library/res/schema/', import.meta.url)
const schema = (name: string) => JSON.parse(readFileSync(new URL(`${name}.SNAPSHOT.schema.json`, schemas), 'utf8'))

type Sbom = { components: { purl: string }[] }

/** The image's list of parts matches the schema of CycloneDX and names packages of npm and of Debian, LanceDB's module, Node, the model and what
 * runs it. */
export async function checkSbom(image: string, hasModel: boolean): Promise<void> {
  const path = '/usr/local/lib/carrel/sbom.cdx.json'
  const options = { image, name: `carrel-sbom-${process.pid}`, options: ['--entrypoint', 'cat'], command: [path] }
  const sbom: Sbom = JSON.parse((await runContainer(options)).output)
  const ajv = new Ajv({ strict: false })
  formats.default(ajv)
  // A format that the package does not know.
  ajv.addFormat('iri-reference', true)
  ajv.addFormat('idn-email', true)
  for (const name of ['spdx', 'jsf-0.82'])
    ajv.addSchema({ ...schema(name), $id: `http://cyclonedx.org/schema/${name}.SNAPSHOT.schema.json` })
  const isValid = ajv.compile(schema('bom-1.6'))
  const valid: boolean = isValid(sbom)
  ok(valid, JSON.stringify(isValid.errors))
  const urls = sbom.components.map(({ purl }) => purl)
  for (const part of [
    'pkg:npm/hono@',
    'pkg:npm/react@',
    'pkg:npm/%40lancedb/lancedb-linux-',
    'pkg:deb/debian/git@',
    'pkg:generic/node@',
    'pkg:npm/onnxruntime-node@',
    'pkg:npm/%40huggingface/tokenizers@',
    ...(hasModel ? ['pkg:huggingface/Xenova/all-MiniLM-L6-v2@'] : []),
  ])
    ok(
      urls.some((url) => url.startsWith(part)),
      `${part} is missing`,
    )
  console.log(`          ${urls.length} components`)
}
