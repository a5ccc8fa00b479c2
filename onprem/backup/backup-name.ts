/** The name of an archive: when it was made, in UTC. */
export const backupName = (createdAt: Date): string => `carrel-backup-${createdAt.toISOString().replaceAll(/[:.]/g, '-')}.tar.zst`

/** The time at which an archive of this name was made; undefined if it has another name. */
export function createdAtOf(name: string): Date | undefined {
  const found = /^carrel-backup-(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d)-(\d{3})Z\.tar\.zst$/.exec(name)
  if (!found) return undefined
  const [, day, hours, minutes, seconds, ms] = found
  const at = new Date(`${day}T${hours}:${minutes}:${seconds}.${ms}Z`)
  return Number.isNaN(at.getTime()) ? undefined : at
}
