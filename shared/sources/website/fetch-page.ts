import type { Download, DownloadRequest } from '../download.ts'

/** Gets an address of an allowed host, as `Downloads.get` does. */
export type FetchPage = (url: string, request: DownloadRequest) => Promise<Download>
