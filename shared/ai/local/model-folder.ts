import { createHash } from 'node:crypto'
import { closeSync, openSync, readdirSync, readFileSync, readSync, realpathSync, type Stats, statSync } from 'node:fs'
import { join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import { AppError } from '../../errors.ts'
import { catalogueModel } from './catalogue.ts'
import type { LocalUse, ModelFacts } from './model-facts.ts'

/** A model that an operator has copied into `DATA_DIR/models`. */
export type ModelFolder = ModelFacts & {
  name: string
  use: LocalUse
  /** Differs between models, and changes with each change of a file. */
  version: string
  /** Absolute paths. */
  files: { weights: string; tokenizer: string; tokenizerConfig: string | undefined }
  /** Longer texts are cut; undefined if only the tokenizer limits them. */
  maxTokens: number | undefined
}

const folderName = /^[A-Za-z0-9][\w.-]{0,99}$/
/** The first that exists is used. */
const weights = ['onnx/model.onnx', 'onnx/model_quantized.onnx'] as const
const optional = ['1_Pooling/config.json', 'sentence_bert_config.json', 'config_sentence_transformers.json']

const Config = z.looseObject({ architectures: z.array(z.string()).optional() })
const Pooling = z.looseObject({ pooling_mode_cls_token: z.boolean().optional() })
const SentenceBert = z.looseObject({ max_seq_length: z.int().positive().nullish() })
const SentenceTransformers = z.looseObject({ prompts: z.record(z.string(), z.string().nullable()).nullish() })

export type ModelDirs = {
  /** The folder that holds a folder for each model of the operator. */
  modelsDir: string
  builtInDir?: string | undefined
}

/** The folder with the models of the image; elsewhere it does not exist. */
export const builtInModelsDir = fileURLToPath(new URL('./models', import.meta.url))

/** The folders that may be models: those of the operator by name, then those of the image. A folder that cannot be listed has none. */
export function modelNames({ modelsDir, builtInDir = builtInModelsDir }: ModelDirs): string[] {
  return [
    ...new Set(
      [modelsDir, builtInDir].flatMap((folder) =>
        namesIn(folder)
          .filter((name) => folderName.test(name))
          .sort(),
      ),
    ),
  ]
}

/** The check of the data directory names a folder that cannot be listed. */
function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

/** Reads models' folders. A folder that has not changed is read once. */
export function modelFolders({
  modelsDir,
  builtInDir = builtInModelsDir,
}: ModelDirs): (name: string, use: LocalUse) => ModelFolder {
  const versionByPath = new Map<string, { state: string; version: string }>()

  const versionOf = (files: FoundFile[]): string => {
    const path = files[0]?.path ?? ''
    const state = files.map(({ path, stats }) => `${path} ${stats.size} ${stats.mtimeMs} ${stats.ino}`).join('\n')
    const last = versionByPath.get(path)
    if (last?.state === state) return last.version
    const version = contentHash(files)
    versionByPath.set(path, { state, version })
    return version
  }

  /** Throws not_configured with one sentence if the folder cannot be used so. */
  return (name, use) => {
    const isOwn = realPath(join(modelsDir, name)) !== undefined
    const isBuiltIn = !isOwn && realPath(join(builtInDir, name)) !== undefined
    const folder = insideFolder(isBuiltIn ? builtInDir : modelsDir, name, use)
    const tokenizer = folder.find('tokenizer.json') ?? folder.lacks('tokenizer.json')
    const model = weights.flatMap((file) => folder.find(file) ?? [])[0] ?? folder.lacks(weights.join(' or '))
    const tokenizerConfig = folder.find('tokenizer_config.json')
    checkUse(name, use, folder.json('config.json', Config)?.architectures?.[0])
    const others = [...optional, `${model.file}_data`].map((file) => folder.find(file))
    const files = [folder.find('config.json'), tokenizer, tokenizerConfig, model, ...others]
    return {
      name,
      use,
      version: versionOf(files.filter((file) => file !== undefined)),
      files: { weights: model.path, tokenizer: tokenizer.path, tokenizerConfig: tokenizerConfig?.path },
      ...(cataloguedFacts(name, [model, tokenizer]) ?? configuredFacts(folder)),
    }
  }
}

type Facts = ModelFacts & Pick<ModelFolder, 'maxTokens'>

/** Facts of a public model, if its files are in the folder. */
function cataloguedFacts(name: string, files: FoundFile[]): Facts | undefined {
  const { files: known = [], maxTokens, pooling, prompts } = catalogueModel(name) ?? {}
  const isSame = files.every(({ file, stats }) => known.some(({ path, bytes }) => path === file && bytes === stats.size))
  return isSame && pooling && prompts ? { maxTokens, pooling, prompts } : undefined
}

function configuredFacts(folder: ReturnType<typeof insideFolder>): Facts {
  const prompts = folder.json('config_sentence_transformers.json', SentenceTransformers)?.prompts
  return {
    maxTokens: folder.json('sentence_bert_config.json', SentenceBert)?.max_seq_length ?? undefined,
    pooling: folder.json('1_Pooling/config.json', Pooling)?.pooling_mode_cls_token ? 'cls' : 'mean',
    prompts: { query: prompts?.query ?? '', document: prompts?.document ?? prompts?.passage ?? '' },
  }
}

type FoundFile = { file: string; path: string; stats: Stats }

function insideFolder(modelsDir: string, name: string, use: LocalUse) {
  const setting = use === 'embedding' ? 'embedding.model' : 'llm.rerankModel'
  if (!folderName.test(name))
    throw unusable(`"${name}" is not the name of a folder in ${modelsDir}; set ${setting} to such a name, without a path`)
  const path = join(modelsDir, name)
  const real = (path: string): string | undefined => {
    const folder = realPath(path)
    const root = realPath(modelsDir)
    if (folder === undefined || root === undefined || folder.startsWith(root + sep)) return folder
    throw unusable(`The model "${name}" leads out of ${modelsDir} by a link; copy its files there instead`)
  }
  if (real(path) === undefined)
    throw unusable(`There is no model "${name}": create the folder ${path} with tokenizer.json and ${weights[0]}`)
  const find = (file: string): FoundFile | undefined => {
    const realFile = real(join(path, file))
    if (realFile === undefined) return undefined
    const stats = statSync(realFile)
    return stats.isFile() ? { file, path: realFile, stats } : undefined
  }
  return {
    find,
    lacks(file: string): never {
      throw unusable(`The model "${name}" is incomplete: copy ${file} to ${path}`)
    },
    json<Schema extends z.ZodType>(file: string, schema: Schema): z.output<Schema> | undefined {
      const jsonFile = find(file)
      if (!jsonFile) return undefined
      try {
        return schema.parse(JSON.parse(readFileSync(jsonFile.path, 'utf8')))
      } catch (cause) {
        throw unusable(`The model "${name}" cannot be read: ${file} has an unknown format; copy it again`, cause)
      }
    },
  }
}

function realPath(path: string): string | undefined {
  try {
    return realpathSync(path)
  } catch {
    return undefined
  }
}

/** A folder without config.json does not say what the model is for. Its results show it. */
function checkUse(name: string, use: LocalUse, architecture: string | undefined): void {
  if (architecture === undefined) return
  const isCrossEncoder = architecture.endsWith('ForSequenceClassification')
  if (use === 'embedding' && isCrossEncoder)
    throw unusable(`The model "${name}" is a cross-encoder, which only reranks; embedding.model needs a sentence encoder`)
  if (use === 'reranking' && !isCrossEncoder)
    throw unusable(`The model "${name}" is not a cross-encoder (${architecture}); llm.rerankModel needs one`)
}

/** The error of an unusable folder; `sentence` has no dot at the end. */
export const unusable = (sentence: string, cause?: unknown): AppError => new AppError('not_configured', `${sentence}.`, { cause })

const blockBytes = 64 * 1024
const blocks = 16

/** A hash of names, sizes, small files, and parts of large ones: training or quantizing a model changes all of it. */
function contentHash(files: FoundFile[]): string {
  const hash = createHash('sha256')
  for (const { file, path, stats } of files) {
    hash.update(`${file} ${stats.size}\n`)
    if (stats.size <= blocks * blockBytes) hash.update(readFileSync(path))
    else for (const block of sampledBlocks(path, stats.size)) hash.update(block)
  }
  return hash.digest('hex').slice(0, 16)
}

function* sampledBlocks(path: string, size: number): Generator<Buffer> {
  const opened = openSync(path, 'r')
  try {
    for (let n = 0; n < blocks; n++) {
      const block = Buffer.alloc(blockBytes)
      const read = readSync(opened, block, 0, blockBytes, Math.floor(((size - blockBytes) * n) / (blocks - 1)))
      yield block.subarray(0, read)
    }
  } finally {
    closeSync(opened)
  }
}
