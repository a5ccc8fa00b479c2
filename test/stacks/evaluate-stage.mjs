import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import * as aws from '@pulumi/aws'
import { runtime } from '@pulumi/pulumi'
import { run } from '../../.sst/platform/src/auto/run.ts'
import * as sst from '../../.sst/platform/src/components/index.ts'
import config from '../../sst.config.ts'
import { answerCall, stateOf } from './pretend-aws.mjs'

// `evaluate-stage.ts` bundles this like SST's CLI bundles a config, and runs it as a separate process. It evaluates one stage
// with SST's real components, creates nothing, and writes every resource that would be created to a file.

const { resultPath, work, byCli } = $cli.test
/** The address of SST's CLI, if it started this process. */
const cliAddress = process.env.SST_SERVER
const secretKey = '4dabf18193072939515e22adb298388d'

process.on('unhandledRejection', (error) => {
  console.error(error)
  process.exit(1)
})

Object.assign(globalThis, { aws, sst })
Object.assign($app, { protect: false }, config.app({ stage: $app.stage }))
const resources = []
const builds = []

await new Promise((resolve) =>
  server().listen(0, '127.0.0.1', function () {
    process.env.SST_SERVER = `http://127.0.0.1:${this.address().port}`
    resolve()
  }),
)
await runtime.setMocks({ newResource, call: ({ token, inputs }) => answerCall(token, inputs) }, $app.name, $app.stage, false)

const options = new Map()
await runtime.runInPulumiStack(() =>
  run(async () => {
    runtime.registerStackTransformation(({ type, name, opts }) => {
      options.set(`${type} ${name}`, { retainOnDelete: opts.retainOnDelete === true, protect: opts.protect === true })
      return undefined
    })
    return config.run()
  }),
)

// The evaluation is complete when the process waits for nothing, however long a busy machine takes.
process.on('beforeExit', () => {
  const made = resources.map((resource) => ({ ...resource, ...options.get(`${resource.type} ${resource.name}`) }))
  writeFileSync(resultPath, JSON.stringify({ app: $app, resources: made, builds: builds.map(asZipped) }))
})

function newResource({ type, name, inputs, custom, id }) {
  // A resource with an id exists already.
  if (id) return { id, state: stateOf(type, id, {}) }
  if (custom !== false) resources.push({ type, name, inputs: open(inputs), plain: JSON.stringify(inputs, hideSecrets) })
  return { id: `${name}-id`, state: { ...inputs, ...stateOf(type, name, open(inputs)) } }
}

/** The requests of SST's components to the CLI that started them. */
function server() {
  return createServer(async (request, response) => {
    const { method, params } = JSON.parse(Buffer.concat(await request.toArray()).toString())
    const result = await answers[method]?.(params[0])
    response.end(JSON.stringify({ result, error: answers[method] ? undefined : `no answer to ${method}` }))
  })
    .on('connection', (socket) => socket.unref())
    .unref()
}

const account = '123456789012'
const answers = {
  'Provider.Aws.Bootstrap': () => ({
    asset: 'assets',
    state: 'state',
    assetEcrRegistryId: account,
    assetEcrUrl: `${account}.dkr.ecr.us-east-1.amazonaws.com/images`,
  }),
  'Runtime.Build': (input) => {
    const { functionID, handler, links, properties, copyFiles } = input
    builds.push({ name: functionID, handler, links, properties, copyFiles })
    if (byCli) return buildByCli(input)
    const out = join(work, functionID)
    mkdirSync(out, { recursive: true })
    writeFileSync(join(out, 'index.mjs'), 'export const handler = () => {}')
    for (const name of ['@lancedb/lancedb', '@huggingface/transformers', 'onnxruntime-node', 'openai'])
      mkdirSync(join(out, 'node_modules', name), { recursive: true })
    return { handler: 'index.handler', out, errors: [], sourcemaps: [] }
  },
}

/** Packages that SST would install next to the bundle are only external to it, since that needs a package registry. */
async function buildByCli({ properties: { install = {}, ...properties }, ...input }) {
  const params = [{ ...input, properties: { ...properties, esbuild: { external: Object.keys(install) } } }]
  const body = JSON.stringify({ jsonrpc: '1.0', method: 'Runtime.Build', params })
  const response = await fetch(`${cliAddress}/rpc`, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
  const { result, error } = await response.json()
  if (error) throw new Error(`SST does not build ${input.functionID}: ${error}`)
  return result
}

function asZipped(build) {
  const packages = join(work, build.name, 'node_modules')
  return { ...build, packages: existsSync(packages) ? readdirSync(packages) : [] }
}

function open(value) {
  if (Array.isArray(value)) return value.map(open)
  if (typeof value !== 'object' || value === null) return value
  if (secretKey in value) return open(value.value)
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, open(inner)]))
}

function hideSecrets(_key, value) {
  return typeof value === 'object' && value !== null && secretKey in value ? '[secret]' : value
}
