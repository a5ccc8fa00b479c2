/** The optional package that runs local models. */
export const transformersPackage = '@huggingface/transformers'
/** The version that the tests use. */
export const transformersVersion = '4.3.1'

/** The parts of the package that local models use. */
export type Transformers = {
  AutoModel: { from_pretrained(name: string, options: ModelOptions): Promise<Model> }
  AutoTokenizer: { from_pretrained(name: string, options: { local_files_only: true }): Promise<Tokenizer> }
  env: {
    allowLocalModels: boolean
    allowRemoteModels: boolean
    localModelPath: string
    useFSCache: boolean
    useWasmCache: boolean
    fetch: () => Promise<never>
    logLevel: number
  }
}
type ModelOptions = {
  local_files_only: true
  device: 'cpu'
  dtype: 'fp32' | 'q8'
  session_options: { intraOpNumThreads: number; interOpNumThreads: number }
}
export type Tensor = { dims: number[]; data: ArrayLike<number> | BigInt64Array }
type Model = (inputs: Record<string, Tensor>) => Promise<Record<string, Tensor | undefined>>
type Tokenizer = (texts: string[], options: TokenizerOptions) => Record<string, Tensor>
type TokenizerOptions = { text_pair?: string[]; padding: true; truncation: true; max_length?: number }
