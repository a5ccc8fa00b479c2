import { parentPort } from 'node:worker_threads'
import { type BundlePage, type ReadPage, readPage } from './read-page.ts'

export type PagesRequest = BundlePage[]
export type PagesReply = { pages: ReadPage[] }

parentPort?.on('message', (pages: PagesRequest) => parentPort?.postMessage({ pages: pages.map(readPage) } satisfies PagesReply))
