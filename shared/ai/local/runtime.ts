import { existsSync } from 'node:fs'
import { join } from 'node:path'

/** The optional packages that run local models, at the versions that the tests use. */
export const runtimePackages = { 'onnxruntime-node': '1.30.0', '@huggingface/tokenizers': '0.2.0' }

/** Without its script, `onnxruntime-node` downloads no libraries for graphics cards. */
export const installRuntime = `npm install --global --ignore-scripts ${Object.entries(runtimePackages)
  .map(([name, version]) => `${name}@${version}`)
  .join(' ')}`

/** The modules to import as the packages. */
export type RuntimeModules = { onnx: string; tokenizers: string }
export const installedRuntime: RuntimeModules = { onnx: 'onnxruntime-node', tokenizers: '@huggingface/tokenizers' }

/** The packages in a folder, in which the command line installs them, or else those next to Carrel. */
export function runtimeIn(folder: string): RuntimeModules {
  const modules = join(folder, 'node_modules')
  const own = {
    onnx: join(modules, 'onnxruntime-node/dist/index.js'),
    tokenizers: join(modules, '@huggingface/tokenizers/dist/tokenizers.mjs'),
  }
  return existsSync(own.onnx) && existsSync(own.tokenizers) ? own : installedRuntime
}

/** The parts of the packages that local models use. */
export type Onnx = {
  InferenceSession: { create(path: string, options: SessionOptions): Promise<InferenceSession> }
  Tensor: new (type: 'int64', data: BigInt64Array, dims: number[]) => Tensor
}
export type InferenceSession = {
  inputNames: readonly string[]
  run(inputs: Record<string, Tensor>): Promise<Record<string, Tensor | undefined>>
}
export type Tensor = { dims: readonly number[]; data: ArrayLike<number> }
type SessionOptions = {
  intraOpNumThreads: number
  interOpNumThreads: number
  enableCpuMemArena: boolean
  enableMemPattern: boolean
  logSeverityLevel: 4
  extra: { session: { intra_op: { allow_spinning: '0' } } }
}

export type Tokenizers = { Tokenizer: new (tokenizer: object, config: object) => Tokenizer }
export type Tokenizer = { encode(text: string, options: TokenizerOptions): { ids: number[]; token_type_ids?: number[] } }
type TokenizerOptions = { text_pair?: string | undefined; return_token_type_ids: true }
