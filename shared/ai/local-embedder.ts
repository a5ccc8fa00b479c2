import { AppError } from '../errors.ts'
import type { Embedder } from './embedder.ts'
import type { LocalModels } from './local/local-models.ts'

type LocalEmbedderOptions = Pick<Embedder, 'limits' | 'search'> & {
  name: string
  /** The version of the model's folder. */
  version: string
  /** Name of the vector space; see `Embedder`. */
  space: string
  dimensions(): number | undefined
  checked(vectors: Float32Array[], texts: number): Float32Array[]
}

/** A sentence encoder in a folder of the install. */
export function localEmbedder(setup: LocalEmbedderOptions, models: Pick<LocalModels, 'find' | 'encode'>): Embedder {
  const { name, version, space, limits, search } = setup
  return {
    model: space,
    limits,
    search,
    get dimensions() {
      return setup.dimensions()
    },
    async embed(texts, purpose, signal) {
      const model = models.find(name, 'embedding')
      if (model.version !== version) throw changed(name)
      return setup.checked(await models.encode(model, texts, purpose, signal), texts.length)
    },
  }
}

const changed = (name: string): AppError =>
  new AppError(
    'temporarily_unavailable',
    `The model "${name}" was replaced by another. Re-index to give libraries its vectors.`,
    {
      retry: 'limited',
    },
  )
