/** The name of an archive: when it was made, in UTC. */
export const backupName = (createdAt: Date): string => `carrel-backup-${createdAt.toISOString().replaceAll(/[:.]/g, '-')}.tar.zst`
