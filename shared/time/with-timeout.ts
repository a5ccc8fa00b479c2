/** The outcome of some work, or after so long a failure; the work itself goes on. */
export async function inTime<T>(work: Promise<T>, mostMs: number, what: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what} took longer than ${mostMs} ms`)), mostMs)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
