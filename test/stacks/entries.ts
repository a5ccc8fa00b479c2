import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { imageManifest } from '../../functions/worker/image-manifest.ts'
import { root } from './evaluate-stage.ts'
import { packagesUnder } from './packages-under.ts'
import { one, type Stages } from './stage.ts'

const entries = {
  Api: 'functions/entries/api.handler',
  Dashboard: 'functions/entries/dashboard.handler',
  Export: 'functions/entries/export.handler',
  Bundle: 'functions/entries/bundle.handler',
  ApplyUsage: 'functions/entries/usage.handler',
  ReplayUsage: 'functions/entries/replay-usage.handler',
  Schedule: 'functions/entries/schedule.handler',
  Checks: 'functions/entries/checks.handler',
  StartWorker: 'functions/entries/start-worker.handler',
}

const ignored = join(root, '.dockerignore')
const ignoredBefore = readFileSync(ignored, 'utf8')

export const entryTests = (stages: () => Stages) => {
  describe('the entries', () => {
    test('are exactly the Lambdas', () => {
      const built = stages().production.builds.map(({ name, handler }) => [name, handler])
      expect(Object.fromEntries(built)).toEqual(entries)
    })

    test.each(['worker', 'service'])('need no package that the image of the %s lacks', async (entry) => {
      const packages = await packagesUnder(`functions/entries/${entry}.ts`)
      const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
      expect(Object.keys(imageManifest(manifest).dependencies)).toEqual(expect.arrayContaining([...packages, 'apache-arrow']))
    })

    test('keep the list of files that images exclude, to which SST adds nothing', () => {
      expect(readFileSync(ignored, 'utf8')).toBe(ignoredBefore)
    })

    test('have the module of LanceDB for ARM and no packages for embeddings, because a Lambda has at most 250 MB', () => {
      const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
      const version = dependencies['@lancedb/lancedb']
      const installed = {
        '@lancedb/lancedb': version,
        '@lancedb/lancedb-linux-arm64-gnu': version,
        'apache-arrow': dependencies['apache-arrow'],
      }
      const withLance = stages().production.builds.filter(({ properties }) => properties.install)
      expect(withLance.map(({ name }) => name).sort()).toEqual(['Api', 'Bundle', 'Dashboard', 'Export', 'Schedule'])
      for (const { properties, packages } of withLance) {
        expect(properties.install).toEqual(installed)
        expect(packages).toEqual(['@lancedb'])
      }
    })

    test('are minified', () => {
      for (const { properties } of stages().production.builds) expect(properties.minify).toBe(true)
    })

    test.each(Object.keys(entries))('run %s on Node 24 and ARM, traced, with its own log group', (name) => {
      const { inputs } = one(stages().production, 'lambda/function', name)
      expect(inputs).toMatchObject({
        runtime: 'nodejs24.x',
        architectures: ['arm64'],
        tracingConfig: { mode: 'Active' },
        loggingConfig: { logFormat: 'Text', logGroup: `/carrel/production/${name}` },
      })
    })
  })
}
