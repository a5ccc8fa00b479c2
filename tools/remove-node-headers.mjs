// The package `node` contains headers for compiling native modules, which nothing here uses.
import { existsSync, readdirSync, rmSync } from 'node:fs'

const packages = new URL('../node_modules/node/node_modules/', import.meta.url)
if (existsSync(packages))
  for (const name of readdirSync(packages))
    if (name.startsWith('node-')) rmSync(new URL(`${name}/include`, packages), { recursive: true, force: true })
