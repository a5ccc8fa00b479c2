import type { Onnx, Tokenizers } from './runtime.ts'

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

async function importPackage(module: string) {
  return import(module).catch((error: Error & { code?: string }) => {
    if (error.code === 'ERR_MODULE_NOT_FOUND') throw new PackageMissing()
    throw error
  })
}

function isMusl(): boolean {
  if (process.platform !== 'linux') return false
  const { header } = process.report.getReport() as { header?: { glibcVersionRuntime?: string } }
  return header?.glibcVersionRuntime === undefined
}
