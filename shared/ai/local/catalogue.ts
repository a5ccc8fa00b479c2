import type { LocalUse, ModelFacts } from './model-facts.ts'

/** A file of a model: `path` is relative to its folder and to its repository. */
export type CatalogueFile = { path: string; bytes: number; sha256: string }

/** Figures of a way of searching: shares of the questions from 0 to 1, and the mean reciprocal rank. */
export type Measured = { questions: number; inFirst5: number; in2kTokens: number; mrr: number }

/** A public model that `carrel models add` fetches. Its files are checked, so everything else about it is known here. */
export type CatalogueModel = ModelFacts & {
  /** Its folder in `DATA_DIR/models`. */
  name: string
  title: string
  /** On the hub, at a pinned commit. */
  repository: string
  revision: string
  license: string
  /** The languages that it was trained for, as ISO 639-1 codes. */
  languages: readonly string[]
  use: LocalUse
  dimensions: number
  /** Longer texts are cut. */
  maxTokens: number
  files: readonly CatalogueFile[]
  /** On one core of an old EPYC without VNNI; absent if nobody has measured it. */
  cpuSecondsPerThousand?: number
  measured?: Measured
}

/** The questions of `measured`, searched by text alone. */
export const measuredText: Measured = { questions: 373, inFirst5: 0.834, in2kTokens: 0.863, mrr: 0.691 }

/** The tokenizer of BERT without capitals, which several models share. */
const bertTokenizer: CatalogueFile = {
  path: 'tokenizer.json',
  bytes: 711_396,
  sha256: 'd241a60d5e8f04cc1b2b3e9ef7a4921b27bf526d9f6050ab90f9267a1f9e5c66',
}

const weights = (bytes: number, sha256: string): CatalogueFile => ({ path: 'onnx/model_quantized.onnx', bytes, sha256 })

/** From the model card of multilingual-e5-small. */
const manyLanguages =
  'af am ar as az be bg bn br bs ca cs cy da de el en eo es et eu fa fi fr fy ga gd gl gu ha he hi hr hu hy id is it ja jv ka kk km kn ko ku ky la lo lt lv mg mk ml mn mr ms my ne nl no om or pa pl ps pt ro ru sa sd si sk sl so sq sr su sv sw ta te th tl tr ug uk ur uz vi xh yi zh'

/** The default first. */
export const catalogue: readonly CatalogueModel[] = [
  {
    name: 'all-minilm-l6-v2',
    title: 'MiniLM-L6',
    repository: 'Xenova/all-MiniLM-L6-v2',
    revision: '751bff37182d3f1213fa05d7196b954e230abad9',
    license: 'Apache-2.0',
    languages: ['en'],
    use: 'embedding',
    dimensions: 384,
    pooling: 'mean',
    prompts: { query: '', document: '' },
    maxTokens: 128,
    files: [
      weights(22_972_370, 'afdb6f1a0e45b715d0bb9b11772f032c399babd23bfc31fed1c170afc848bdb1'),
      {
        path: 'tokenizer.json',
        bytes: 711_661,
        sha256: 'da0e79933b9ed51798a3ae27893d3c5fa4a201126cef75586296df9b4d2c62a0',
      },
    ],
    cpuSecondsPerThousand: 32,
    measured: { questions: 373, inFirst5: 0.855, in2kTokens: 0.887, mrr: 0.737 },
  },
  {
    name: 'e5-small-v2',
    title: 'E5 small',
    repository: 'Xenova/e5-small-v2',
    revision: '02af79985278377e65c724a76275707cb0333c70',
    license: 'MIT',
    languages: ['en'],
    use: 'embedding',
    dimensions: 384,
    pooling: 'mean',
    prompts: { query: 'query: ', document: 'passage: ' },
    maxTokens: 256,
    files: [weights(34_014_367, '7d9092cb25f2bd1c023b7e8d2aa459044a02030ac880e5a59fdaf27af69f1ded'), bertTokenizer],
    cpuSecondsPerThousand: 111,
    measured: { questions: 373, inFirst5: 0.871, in2kTokens: 0.89, mrr: 0.725 },
  },
  {
    name: 'bge-small-en-v1.5',
    title: 'BGE small',
    repository: 'Xenova/bge-small-en-v1.5',
    revision: 'ea104dacec62c0de699686887e3f920caeb4f3e3',
    license: 'MIT',
    languages: ['en'],
    use: 'embedding',
    dimensions: 384,
    pooling: 'cls',
    prompts: { query: 'Represent this sentence for searching relevant passages: ', document: '' },
    maxTokens: 512,
    files: [weights(34_014_426, '6c9c6101a956d62dfb5e7190c538226c0c5bb9cb27b651234b6df063ee7dbfe4'), bertTokenizer],
  },
  {
    name: 'multilingual-e5-small',
    title: 'Multilingual E5 small',
    repository: 'Xenova/multilingual-e5-small',
    revision: '761b726dd34fb83930e26aab4e9ac3899aa1fa78',
    license: 'MIT',
    languages: manyLanguages.split(' '),
    use: 'embedding',
    dimensions: 384,
    pooling: 'mean',
    prompts: { query: 'query: ', document: 'passage: ' },
    maxTokens: 512,
    files: [
      weights(118_308_185, 'f80102d3f2a1229f387d3c81909990d8945513e347b0eab049f7de3c6f98c193'),
      {
        path: 'tokenizer.json',
        bytes: 17_082_730,
        sha256: '0b44a9d7b51c3c62626640cda0e2c2f70fdacdc25bbbd68038369d14ebdf4c39',
      },
    ],
  },
]

export const catalogueModel = (name: string): CatalogueModel | undefined => catalogue.find((model) => model.name === name)
