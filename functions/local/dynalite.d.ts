declare module 'dynalite' {
  import type { Server } from 'node:http'
  /** `path`: folder of its LevelDB; in memory if undefined. */
  // biome-ignore lint/style/noDefaultExport: it is what the package exports
  export default function dynalite(options?: {
    path?: string
    createTableMs?: number
    deleteTableMs?: number
    updateTableMs?: number
    maxItemSizeKb?: number
  }): Server
}

declare module 'dynalite/db/index.js' {
  type Store = { db: { open(): Promise<void> } }
  const stores: { create(options: object): Store }
  // biome-ignore lint/style/noDefaultExport: it is what the module exports
  export default stores
}
