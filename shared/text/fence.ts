/** A fenced block that its content cannot close. */
export function fence(code: string, language: string): string {
  const maxRun = (code.match(/`{3,}/g) ?? []).reduce((max, run) => Math.max(max, run.length), 2)
  const ticks = '`'.repeat(maxRun + 1)
  return `${ticks}${language}\n${code}\n${ticks}`
}
