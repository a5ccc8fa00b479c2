import { readFileSync } from 'node:fs'
import { importOnnx, importTokenizers } from './import-runtime.ts'
import type { ModelFolder } from './model-folder.ts'
import type { InferenceSession, Onnx, RuntimeModules, Tensor } from './runtime.ts'
import { type Encode, tokenEncoder } from './token-encoder.ts'

export type ModelThreadData = {
  folder: ModelFolder
  runtime: RuntimeModules
  /** Processor threads of one request. */
  processorThreads: number
}

/**
 * One text at a time: a quantized model rounds by the largest number of a batch, so the vector of a text would depend on the others. It is as
 * fast as a batch.
 */
export type LoadedModel = {
  /** A vector of length one. */
  encode(text: string): Promise<Float32Array>
  /** Scores how well the passage answers the question. */
  score(question: string, passage: string): Promise<number>
}

/** The model cannot compute the requested result. */
export class WrongModel extends Error {}

const inputs = ['input_ids', 'attention_mask', 'token_type_ids']

/** Loads the model of a folder, and nothing from elsewhere. */
export async function loadModel({ folder, runtime, processorThreads }: ModelThreadData): Promise<LoadedModel> {
  const { InferenceSession, Tensor } = await importOnnx(runtime.onnx)
  const encode = readTokenizer(folder, await importTokenizers(runtime.tokenizers))
  const session = await InferenceSession.create(folder.files.weights, {
    intraOpNumThreads: processorThreads,
    interOpNumThreads: 1,
    enableCpuMemArena: true,
    enableMemPattern: false,
    // Its log would contain texts.
    logSeverityLevel: 4,
    // Threads that wait would use as much of a processor as one that computes.
    extra: { session: { intra_op: { allow_spinning: '0' } } },
  })
  const unknown = session.inputNames.find((name) => !inputs.includes(name))
  if (unknown !== undefined) throw new WrongModel(`it needs the input "${unknown}"`)
  const run = modelRunner(session, Tensor, encode)
  return {
    async encode(text) {
      const { sentence_embedding, last_hidden_state, token_embeddings } = await run(text)
      const tokens = last_hidden_state ?? token_embeddings
      if (sentence_embedding) return normalized(Float32Array.from(sentence_embedding.data))
      if (!tokens) throw new WrongModel('it does not return vectors of tokens or sentences')
      return normalized(pooled(tokens, folder.pooling))
    },
    async score(question, passage) {
      const { logits } = await run(question, passage)
      if (logits?.data.length !== 1) throw new WrongModel('it does not return one score per passage')
      return Number(logits.data[0])
    },
  }
}

function readTokenizer({ files, maxTokens }: ModelFolder, tokenizers: Parameters<typeof tokenEncoder>[0]): Encode {
  const read = (path: string) => JSON.parse(readFileSync(path, 'utf8'))
  try {
    return tokenEncoder(tokenizers, {
      tokenizer: read(files.tokenizer),
      config: files.tokenizerConfig === undefined ? {} : read(files.tokenizerConfig),
      maxTokens,
    })
  } catch (error) {
    throw new Error(`${files.tokenizer} cannot be read: ${error instanceof Error ? error.message : error}`)
  }
}

function modelRunner(session: InferenceSession, Tensor: Onnx['Tensor'], encode: Encode) {
  const tensor = (values: number[]) => new Tensor('int64', BigInt64Array.from(values, BigInt), [1, values.length])
  return (text: string, pair?: string) => {
    const { ids, typeIds } = encode(text, pair)
    const values = { input_ids: ids, attention_mask: ids.map(() => 1), token_type_ids: typeIds }
    const used = Object.entries(values).filter(([name]) => session.inputNames.includes(name))
    return session.run(Object.fromEntries(used.map(([name, each]) => [name, tensor(each)])))
  }
}

function normalized(vector: Float32Array): Float32Array {
  const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0))
  return length > 0 ? vector.map((value) => value / length) : vector
}

/** The mean of the vectors of tokens, or the vector of the first token. */
function pooled({ dims: [, tokens = 0, dimensions = 0], data }: Tensor, pooling: 'mean' | 'cls'): Float32Array {
  const used = pooling === 'mean' ? tokens : 1
  const vector = new Float32Array(dimensions)
  for (let at = 0; at < used * dimensions; at++) vector[at % dimensions] = (vector[at % dimensions] ?? 0) + (data[at] ?? 0)
  return vector.map((sum) => sum / used)
}
