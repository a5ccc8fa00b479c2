import { statfsSync } from 'node:fs'
import { AppError } from '../../shared/errors.ts'
import type { SettingsStore } from '../../shared/store/settings-store.ts'
import { diskSize } from '../../shared/text/disk-size.ts'

/** Keeps jobs and uploads from filling the disk, on which questions and sign-ins need some space, too. */
export type DiskGuard = {
  /** How much space is free and how much is wanted, if it is too little for a job; else undefined. */
  shortage(): string | undefined
}

type DiskGuardPorts = { settings: Pick<SettingsStore, 'get'>; freeBytes(): number }

export const diskGuard = ({ settings, freeBytes }: DiskGuardPorts): DiskGuard => ({
  shortage() {
    const wanted = settings.get('storage.minFreeMb') * 1_000_000
    if (wanted === 0) return undefined
    const free = freeBytes()
    return free < wanted ? `${diskSize(free)} free, ${diskSize(wanted)} wanted` : undefined
  },
})

/** What this user can still write to the disk of a folder. Unlimited if that is unknown, for example if the folder is gone. */
export function freeBytesOf(folder: string): number {
  try {
    const { bavail, bsize } = statfsSync(folder)
    return bavail * bsize
  } catch {
    return Number.POSITIVE_INFINITY
  }
}

export const shortageWarning = (shortage: string): string =>
  `Jobs and imports wait for disk space: ${shortage}. Make room on the disk of DATA_DIR, or lower the setting storage.minFreeMb.`

/** Throws internal_error with the reason if the disk is too full for an upload. */
export function requireSpace(disk: DiskGuard): void {
  const shortage = disk.shortage()
  if (shortage === undefined) return
  const message = `The disk of DATA_DIR has too little space: ${shortage}. Nothing was imported; make room, or lower the setting storage.minFreeMb, and import again.`
  throw new AppError('internal_error', message, { shown: true })
}
