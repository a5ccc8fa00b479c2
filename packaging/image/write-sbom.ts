import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Enums, Models, Serialize, Spec } from '@cyclonedx/cyclonedx-library'
import type { ThirdPartyPackage } from '../../onprem/support/third-party-packages.ts'
import { catalogue } from '../../shared/ai/local/catalogue.ts'

/**
 * Writes sbom.cdx.json, the parts of the image in CycloneDX 1.6: `node write-sbom.ts DIST DPKG-STATUS NATIVE`. DPKG-STATUS is the list of
 * Debian packages of the image, NATIVE its folder of native modules.
 */
const [dist = 'dist', dpkgStatus = 'dpkg-status', native = 'native'] = process.argv.slice(2)
const { Component } = Models
const { ComponentType } = Enums
const readJson = (path: string) => JSON.parse(readFileSync(path, 'utf8'))

const npmUrl = (name: string, version: string) => `pkg:npm/${name.replace('@', '%40')}@${version}`

type Part = { name: string; version: string; purl: string; license?: string; type?: Enums.ComponentType }

function component({ name, version, purl, license, type = ComponentType.Library }: Part): Models.Component {
  const made = new Component(type, name, { version, purl, bomRef: purl })
  if (license !== undefined) made.licenses.add(new Models.LicenseExpression(license))
  return made
}

/** The packages that esbuild and Vite bundle, and those next to the bundle: native modules and what runs models. */
function npmParts(): Part[] {
  const bundled: ThirdPartyPackage[] = readJson(join(dist, 'lib/third-party-packages.json'))
  const modulesIn = (folder: string) =>
    globSync(['*/package.json', '@*/*/package.json'], { cwd: folder }).map((path) => readJson(join(folder, path)))
  const modules = [native, join(dist, 'node_modules')].flatMap(modulesIn)
  return [...bundled, ...modules].map(({ name, version, license }) => ({ name, version, license, purl: npmUrl(name, version) }))
}

/** The models of the image, which are of the catalogue. */
function modelParts(): Part[] {
  return catalogue
    .filter(({ name }) => existsSync(join(dist, 'lib/models', name)))
    .map(({ repository, revision, license }) => ({
      name: repository,
      version: revision,
      license,
      purl: `pkg:huggingface/${repository}@${revision}`,
      type: ComponentType.MachineLearningModel,
    }))
}

/** The paragraphs of dpkg's list. */
function debianParts(): Part[] {
  return readFileSync(dpkgStatus, 'utf8')
    .split('\n\n')
    .map((paragraph) => Object.fromEntries([...paragraph.matchAll(/^(\w+): (.*)$/gm)].map(([, key, value]) => [key, value])))
    .filter(({ Status }) => Status === 'install ok installed')
    .map(({ Package: name = '', Version: version = '', Architecture = '' }) => ({
      name,
      version,
      purl: `pkg:deb/debian/${name}@${encodeURIComponent(version)}?arch=${Architecture}`,
    }))
}

const node: Part = {
  name: 'node',
  version: process.versions.node,
  license: 'MIT',
  purl: `pkg:generic/node@${process.versions.node}`,
  type: ComponentType.Platform,
}
const { name, version, license } = readJson(join(dist, 'package.json'))
const bom = new Models.Bom()
bom.metadata.component = component({ name, version, license, purl: npmUrl(name, version), type: ComponentType.Application })
for (const part of [node, ...npmParts(), ...modelParts(), ...debianParts()]) bom.components.add(component(part))
const serializer = new Serialize.JsonSerializer(new Serialize.JSON.Normalize.Factory(Spec.Spec1dot6))
writeFileSync(join(dist, 'sbom.cdx.json'), `${serializer.serialize(bom, { sortLists: true, space: 1 })}\n`)
