import { execFile } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { writeEncoder } from '../../../fixtures/local-models/tiny-model.ts'
import { transformersModule } from '../../../fixtures/local-models/transformers-module.ts'
import { tempDir } from '../../../fixtures/temp-dir.ts'

const fixture = (name: string) => new URL(`../../../fixtures/${name}`, import.meta.url)
const program = fileURLToPath(fixture('local-models/use-model.ts'))

test('a model opens no connection, even if it names a file that is missing', async () => {
  const modelsDir = tempDir()
  const file = join(modelsDir, 'connections')
  writeEncoder(join(modelsDir, 'whole'))
  const external = { 'transformers.js_config': { use_external_data_format: true } }
  writeEncoder(join(modelsDir, 'partial'), { 'config.json': { model_type: 'bert', architectures: ['BertModel'], ...external } })
  // The process of the model loads it.
  const recorder = `${fixture('record-connections.mjs')}?file=${file}`
  const module = join(modelsDir, 'recorded.mjs')
  writeFileSync(module, `import '${recorder}'\nexport * from '${await transformersModule()}'\n`)
  const use = async (name: string): Promise<unknown> => {
    const run = promisify(execFile)(process.execPath, [program, modelsDir, name, module])
    return JSON.parse((await run).stdout)
  }
  expect(await use('whole')).toHaveLength(1)
  expect(await use('partial')).toMatch(/The model "partial" crashed: .*onnx\/model\.onnx_data"\.$/)
  expect(existsSync(file) ? readFileSync(file, 'utf8') : '').toBe('')
}, 300_000)
