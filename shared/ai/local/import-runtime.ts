import type { Onnx, RuntimeModules, Tokenizers } from './runtime.ts'

export class PackageMissing extends Error {}
/** The package is installed and does not run on this system. */
export class PlatformUnsupported extends Error {}

/** Throws PackageMissing, PlatformUnsupported. The names are variables, so that no bundle contains the packages. */
export async function importOnnx(module: string): Promise<Onnx> {
  const imported: Onnx & { default?: Onnx } = await importPackage(module).catch((error) => {
    if (error instanceof PackageMissing) throw error
    throw new PlatformUnsupported(isMusl() ? 'this system has musl instead of glibc' : error.message)
  })
  return imported.default ?? imported
}

export const importTokenizers = (module: string): Promise<Tokenizers> => importPackage(module)

/** False if a package is missing, or does not run on this system as far as that is known before it is loaded. */
export function canRun({ onnx, tokenizers }: RuntimeModules): boolean {
  try {
    for (const module of [onnx, tokenizers]) import.meta.resolve(module)
    return !isMusl()
  } catch {
    return false
  }
}

async function importPackage(module: string) {
  return import(module).catch((error: Error & { code?: string }) => {
    if (error.code === 'ERR_MODULE_NOT_FOUND') throw new PackageMissing()
    throw error
  })
}

/** True on Alpine and the like, where native libraries of the package lack their C library. */
const isMusl = once(() => {
  if (process.platform !== 'linux') return false
  // A report of the network asks a name server for the host of each connection.
  Object.assign(process.report, { excludeNetwork: true })
  const { header } = process.report.getReport() as { header?: { glibcVersionRuntime?: string } }
  return header?.glibcVersionRuntime === undefined
})

function once<Result>(work: () => Result): () => Result {
  let result: { value: Result } | undefined
  return () => {
    result ??= { value: work() }
    return result.value
  }
}
