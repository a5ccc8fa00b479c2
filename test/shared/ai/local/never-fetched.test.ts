import { execFile } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { installedRuntime } from '../../../../shared/ai/local/runtime.ts'
import { tinyEncoder, writeEncoder } from '../../../fixtures/local-models/tiny-model.ts'
import { tempDir } from '../../../fixtures/temp-dir.ts'

const fixture = (name: string) => new URL(`../../../fixtures/${name}`, import.meta.url)
const program = fileURLToPath(fixture('local-models/use-model.ts'))

test('a model opens no connection, even if it names a file that is missing', async () => {
  const modelsDir = tempDir()
  const file = join(modelsDir, 'connections')
  writeEncoder(join(modelsDir, 'whole'))
  writeEncoder(join(modelsDir, 'partial'), { 'onnx/model.onnx': tinyEncoder(undefined, 'model.onnx_data') })
  // The process of the model loads it.
  const recorder = `${fixture('record-connections.mjs')}?file=${file}`
  const [onnx, tokenizers] = [installedRuntime.onnx, installedRuntime.tokenizers].map((name) => import.meta.resolve(name))
  const module = join(modelsDir, 'recorded.mjs')
  writeFileSync(
    module,
    `import '${recorder}'\nexport * from '${onnx}'\nexport { default } from '${onnx}'\nexport * from '${tokenizers}'\n`,
  )
  const use = async (name: string): Promise<unknown> => {
    const run = promisify(execFile)(process.execPath, [program, modelsDir, name, module])
    return JSON.parse((await run).stdout)
  }
  expect(await use('whole')).toHaveLength(1)
  expect(await use('partial')).toMatch(/The model "partial" cannot be loaded: .*model\.onnx_data/)
  expect(existsSync(file) ? readFileSync(file, 'utf8') : '').toBe('')
}, 300_000)
