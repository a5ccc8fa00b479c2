import { excerpt } from '../../shared/text/excerpt.ts'
import { rejectedZip } from '../../shared/zip/open-zip.ts'

/** A file of a zip, and its path in the folder of the model. */
export type ModelZipFile = { name: string; path: string; sizeBytes: number }

export const weightFiles = ['onnx/model.onnx', 'onnx/model_quantized.onnx']
export const tokenizerFile = 'tokenizer.json'
/** The small files that are read, see `docs/models.md`. */
const configFiles = [
  'config.json',
  'tokenizer_config.json',
  '1_Pooling/config.json',
  'sentence_bert_config.json',
  'config_sentence_transformers.json',
]
/** The files of a model that are read. */
export const modelFileNames = [...weightFiles, tokenizerFile, ...configFiles]
export const runtimeFolder = 'runtime/'

/** JSON files are read as a whole. */
const maxJsonBytes = 64 * 1024 * 1024

/** The files of a model in a zip. Other JSON files of a repository are omitted. Throws validation_error for all else. */
export function modelZipFiles(files: readonly { name: string; sizeBytes: number }[]): ModelZipFile[] {
  const own = files.filter(({ name }) => !isOfFinder(name))
  const prefix = commonFolder(own.map(({ name }) => name))
  const placed = own.map(({ name, sizeBytes }) => ({ name, sizeBytes, path: name.slice(prefix.length) }))
  for (const { path } of placed) rejectOther(path)
  const found = placed.filter(({ path }) => modelFileNames.includes(path))
  const has = (path: string) => found.some((file) => file.path === path)
  if (!weightFiles.some(has)) throw rejectedZip(`it holds no model, which would be ${weightFiles.join(' or ')}`)
  if (!has(tokenizerFile)) throw rejectedZip(`it holds no ${tokenizerFile}`)
  for (const { path, sizeBytes } of found)
    if (path.endsWith('.json') && sizeBytes > maxJsonBytes) throw rejectedZip(`its ${path} has ${sizeBytes} bytes`)
  return found
}

function rejectOther(path: string): void {
  if (path.startsWith(runtimeFolder))
    throw rejectedZip('it holds a runtime, which only the command line installs: carrel models add NAME --from FILE')
  if (weightFiles.includes(path) || /\.json$/.test(path)) return
  if (/\.onnx$/.test(path)) throw rejectedZip(`it holds "${excerpt(path, 200)}"; the weights must be ${weightFiles.join(' or ')}`)
  throw rejectedZip(`it holds "${excerpt(path, 200)}"; a model consists of ONNX and JSON files`)
}

/** Files that macOS adds to zips. */
const isOfFinder = (name: string): boolean => name.startsWith('__MACOSX/') || /(^|\/)\.DS_Store$/.test(name)

/** The folder that holds all files, such as that of a zipped folder. */
function commonFolder(names: readonly string[]): string {
  const folder = /^[^/]+\//.exec(names[0] ?? '')?.[0] ?? ''
  return names.every((name) => name.startsWith(folder)) && folder !== 'onnx/' && folder !== runtimeFolder ? folder : ''
}
