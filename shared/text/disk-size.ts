const megabyte = 1_000_000

/** 312 MB, 1.5 GB. A MB has 1,000,000 bytes. Rounds down below a GB. */
export const diskSize = (bytes: number): string =>
  bytes < 1_000 * megabyte ? `${Math.floor(bytes / megabyte)} MB` : `${(bytes / 1_000 / megabyte).toFixed(1)} GB`
