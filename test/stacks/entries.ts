import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { imageManifest } from '../../functions/worker/image-manifest.ts'
import { type Build, root } from './evaluate-stage.ts'
import { one, type Stages } from './stage.ts'
import { packagesUnder, startEntry } from './start-entry.ts'

const entries = {
  Api: 'functions/lambda/api.handler',
  Export: 'functions/lambda/export.handler',
  Bundle: 'functions/lambda/bundle.handler',
  ApplyUsage: 'functions/lambda/usage.handler',
  Schedule: 'functions/lambda/schedule.handler',
  StartWorker: 'functions/lambda/start-worker.handler',
}

const ignored = join(root, '.dockerignore')
const ignoredBefore = readFileSync(ignored, 'utf8')

export const entryTests = (stages: () => Stages) => {
  const buildOf = (name: string): Build => {
    const found = stages().production.builds.find((build) => build.name === name)
    if (!found) throw new Error(`There is no Lambda ${name}.`)
    return found
  }

  describe('entries', () => {
    test('these are all the Lambdas there are', () => {
      const built = stages().production.builds.map(({ name, handler }) => [name, handler])
      expect(Object.fromEntries(built)).toEqual(entries)
    })

    test.each(Object.keys(entries))(
      '%s is built with LanceDB beside it where it is asked for alone, and starts with nothing but what it is linked to',
      async (name) => {
        const { exported, packages } = await startEntry(stages().production, buildOf(name))
        expect(exported).toContain('handler')
        // Arrow is asked for at run time, as the copy that LanceDB has loaded: what is installed beside a Lambda is told below.
        expect(packages).toEqual(buildOf(name).properties.install ? ['@lancedb/lancedb'] : [])
      },
      60_000,
    )

    test('every package that the worker asks for is in its image', async () => {
      const packages = await packagesUnder('functions/worker.ts')
      const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
      expect(Object.keys(imageManifest(manifest).dependencies)).toEqual(expect.arrayContaining([...packages, 'apache-arrow']))
    })

    test('SST finds nothing to add to what images leave out', () => {
      expect(readFileSync(ignored, 'utf8')).toBe(ignoredBefore)
    })

    test('LanceDB comes with its module for ARM, and without what it could make embeddings with: a Lambda weighs at most 250 MB', () => {
      const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
      const version = dependencies['@lancedb/lancedb']
      const installed = {
        '@lancedb/lancedb': version,
        '@lancedb/lancedb-linux-arm64-gnu': version,
        'apache-arrow': dependencies['apache-arrow'],
      }
      const withLance = stages().production.builds.filter(({ properties }) => properties.install)
      expect(withLance.map(({ name }) => name).sort()).toEqual(['Api', 'Bundle', 'Export', 'Schedule'])
      for (const { properties, packages } of withLance) {
        expect(properties.install).toEqual(installed)
        expect(packages).toEqual(['@lancedb'])
      }
    })

    test.each(Object.keys(entries))('%s runs on Node 24 and ARM, traced, and logs into a group of its own', (name) => {
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
