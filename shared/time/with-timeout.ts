/** The outcome of some work, or after so long a failure; the work itself goes on. */
export async function withTimeout<T>(work: Promise<T>, maxMs: number, what: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what} took longer than ${maxMs} ms`)), maxMs)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
