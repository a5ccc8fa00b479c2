import { statfsSync } from 'node:fs'
import { AppError } from '../../../shared/errors.ts'
import type { SettingsStore } from '../../../shared/store/settings-store.ts'
import { diskSize } from '../../../shared/text/figures.ts'

/** `freeBytes` is the space that this user can still write. */
export type DiskSpace = { freeBytes: number; sizeBytes: number }

/** Keeps jobs and uploads from filling the disk, on which questions and sign-ins need some space, too. */
export type DiskGuard = {
  /** The space on the disk of DATA_DIR. Undefined if it cannot be read, for example because the folder is gone. */
  space(): DiskSpace | undefined
  /** The free and the wanted space, if it is too little for a job; else undefined. */
  shortage(): string | undefined
}

type DiskGuardPorts = { settings: Pick<SettingsStore, 'get'>; space(): DiskSpace | undefined }

export const diskGuard = ({ settings, space }: DiskGuardPorts): DiskGuard => ({
  space,
  shortage() {
    const wanted = settings.get('storage.minFreeMb') * 1_000_000
    if (wanted === 0) return undefined
    const free = space()?.freeBytes ?? wanted
    return free < wanted ? `${diskSize(free)} free, ${diskSize(wanted)} wanted` : undefined
  },
})

/** The space on the disk of a folder. Undefined if it cannot be read. */
export function diskSpaceOf(folder: string): DiskSpace | undefined {
  try {
    const { bavail, blocks, bsize } = statfsSync(folder)
    return { freeBytes: bavail * bsize, sizeBytes: blocks * bsize }
  } catch {
    return undefined
  }
}

/** Figures are for callers with a key or session. */
export const shortageWarning = (shortage: string, withFigures: boolean): string =>
  withFigures
    ? `Jobs and imports wait for disk space: ${shortage}. Make room on the disk of DATA_DIR, or lower the setting storage.minFreeMb.`
    : 'Jobs and imports wait for disk space. Send a key to see how much.'

/** The stage of an unfinished job that waits for disk space. */
export const shortageStage = (shortage: string, withFigures: boolean): string =>
  withFigures ? `Waiting for disk space: ${shortage}` : 'Waiting for disk space'

/** Throws disk_full with the reason if the disk is too full for an upload. */
export function requireSpace(disk: DiskGuard): void {
  const shortage = disk.shortage()
  if (shortage === undefined) return
  const message = `The disk of DATA_DIR has too little space: ${shortage}. Nothing was imported; make room, or lower the setting storage.minFreeMb, and import again.`
  throw new AppError('disk_full', message)
}
