import type { ModelFolder } from './model-folder.ts'
import type { Tensor, Transformers } from './transformers.ts'

export type ModelThreadData = {
  folder: ModelFolder
  /** The module to import as the package; the installed one unless a test names another. */
  module: string
  /** Processor threads of one request. */
  processorThreads: number
}

export type LoadedModel = {
  /** A vector of length one for each text. */
  encode(texts: string[]): Promise<Float32Array[]>
  /** Scores how well each passage answers its question. */
  score(questions: string[], passages: string[]): Promise<number[]>
}

export class PackageMissing extends Error {}
/** The model cannot compute the requested result. */
export class WrongModel extends Error {}

/** `LogLevel.NONE` of the package, whose log would contain texts. */
const noLog = 50

/** Loads the model of a folder, and nothing from elsewhere. */
export async function loadModel({ folder, module, processorThreads }: ModelThreadData): Promise<LoadedModel> {
  const { AutoModel, AutoTokenizer, env } = await importPackage(module)
  Object.assign(env, {
    allowLocalModels: true,
    allowRemoteModels: false,
    localModelPath: folder.modelsDir,
    useFSCache: false,
    useWasmCache: false,
    fetch: () => Promise.reject(new Error('A local model is never fetched.')),
    logLevel: noLog,
  } satisfies Transformers['env'])
  const tokenizer = await AutoTokenizer.from_pretrained(folder.name, { local_files_only: true })
  const model = await AutoModel.from_pretrained(folder.name, {
    local_files_only: true,
    device: 'cpu',
    dtype: folder.precision,
    session_options: { intraOpNumThreads: processorThreads, interOpNumThreads: 1 },
  })
  const options = { padding: true, truncation: true, ...(folder.maxTokens && { max_length: folder.maxTokens }) } as const
  return {
    async encode(texts) {
      const inputs = tokenizer(texts, options)
      const { sentence_embedding, last_hidden_state, token_embeddings } = await model(inputs)
      const tokens = last_hidden_state ?? token_embeddings
      if (sentence_embedding) return rows(sentence_embedding).map(normalized)
      if (!tokens || !inputs.attention_mask) throw new WrongModel('it does not return vectors of tokens or sentences')
      return poolTokens(tokens, inputs.attention_mask, folder.pooling).map(normalized)
    },
    async score(questions, passages) {
      const { logits } = await model(tokenizer(questions, { ...options, text_pair: passages }))
      if (!logits || logits.data.length !== passages.length) throw new WrongModel('it does not return one score per passage')
      return Array.from(logits.data, Number)
    },
  }
}

async function importPackage(module: string): Promise<Transformers> {
  const transformers = (await import(module).catch((error: Error & { code?: string }) => {
    if (error.code === 'ERR_MODULE_NOT_FOUND') return {}
    throw error
  })) as Partial<Transformers>
  // A checkout has an empty package of this name, see `overrides` in package.json.
  if (!transformers.AutoModel) throw new PackageMissing()
  return transformers as Transformers
}

function rows({ dims, data }: Tensor): Float32Array[] {
  const [count = 0, length = 0] = dims
  const all = Float32Array.from(data, Number)
  return Array.from({ length: count }, (_, n) => all.slice(n * length, (n + 1) * length))
}

function normalized(vector: Float32Array): Float32Array {
  const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0))
  return length > 0 ? vector.map((value) => value / length) : vector
}

/** A vector for each text, from those of its tokens: their mean without the padding, or the vector of the first token. */
function poolTokens(tokens: Tensor, mask: Tensor, pooling: 'mean' | 'cls'): Float32Array[] {
  const [texts = 0, length = 0, dimensions = 0] = tokens.dims
  const values = tokens.data as Float32Array
  return Array.from({ length: texts }, (_, text) => {
    const start = text * length
    const vector = new Float32Array(dimensions)
    let used = 0
    for (let at = start; at < start + length && (pooling === 'mean' || used === 0); at++) {
      if (Number(mask.data[at]) === 0) continue
      used += 1
      for (let d = 0; d < dimensions; d++) vector[d] = (vector[d] ?? 0) + (values[at * dimensions + d] ?? 0)
    }
    return used > 1 ? vector.map((sum) => sum / used) : vector
  })
}
