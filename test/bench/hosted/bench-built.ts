import { statSync } from 'node:fs'
import { join } from 'node:path'
import { makeKeyPair } from '../../../shared/keys/key-pair.ts'
import { type BuiltLambda, buildLambdas, sstBuildMissing } from '../../stacks/build-lambdas.ts'
import type { Started } from '../../stacks/lambda-runtime.ts'
import { startLambda, writeLinks } from '../../stacks/start-lambda.ts'
import { median, type Report } from '../report.ts'

const starts = 5

/** The size of each Lambda as SST builds it, and the time that it takes to load, on this machine. */
export async function benchBuilt({ note }: Report, folder: string): Promise<void> {
  const missing = sstBuildMissing()
  if (missing) throw new Error(`SST cannot build here: ${missing}.`)
  const secrets = {
    OriginSecret: 'x'.repeat(64),
    LicenseKey: makeKeyPair().publicPem,
    BundleKey: makeKeyPair().privatePem,
  }
  const variables = Object.entries(secrets).map(([name, value]) => [`SST_SECRET_${name}`, value])
  const lambdas = await buildLambdas(join(folder, 'built'), Object.fromEntries(variables))
  for (const built of lambdas) {
    const bytes = statSync(join(built.folder, 'bundle.mjs')).size
    note({
      figure: `${built.name}: its code`,
      measured: bytes / 1e6,
      unit: 'MB',
      more: `${(built.zipBytes / 1e6).toFixed(1)} MB zipped`,
    })
    const inits = await measureInits(built, secrets)
    const cpuSeconds = median(inits.map((init) => init.cpuSeconds))
    note({ figure: '  INIT', measured: median(inits.map(({ initMs }) => initMs)), unit: 'ms', cpuSeconds })
  }
}

/** The values of a stage that does not respond: loading a function must not wait for it. */
async function measureInits(built: BuiltLambda, secrets: Record<string, string>): Promise<Started[]> {
  writeLinks(built, Object.fromEntries(built.links.map((name) => [name, { name, url: nowhere, value: secrets[name] }])))
  const inits: Started[] = []
  for (let run = 0; run < starts; run++) {
    const lambda = await startLambda(built, env)
    inits.push(lambda)
    await lambda.close()
  }
  return inits
}

const nowhere = 'http://127.0.0.1:1'
const env = { AWS_REGION: 'us-east-1', AWS_ENDPOINT_URL: nowhere, AWS_ACCESS_KEY_ID: 'nobody', AWS_SECRET_ACCESS_KEY: 'nothing' }
