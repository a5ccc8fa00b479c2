/** Lines of a stack trace, and marks around them. */
const frames = [
  // JavaScript, Java, .NET, Rust
  /^\s*at\s+\S/,
  // Python
  /^\s*File "[^"]{0,500}", line \d+/,
  /^\s*[\^~]+\s*$/,
  /^Traceback \(most recent call last\)/,
  // Ruby
  /^\s*(?:from\s+)?\S{1,300}\.rb:\d+:in\s/,
  // Go
  /^goroutine \d+/,
  /^\s+\S{1,300}\.go:\d+/,
  /^[\w./*()-]{1,200}\((?:\{?0x[0-9a-f]+|\.\.\.)/,
  /^created by\s/,
  // PHP, gdb
  /^\s*#\d+\s/,
  // Rust
  /^\s*\d{1,3}:\s+(?:0x[0-9a-f]+|[\w<>]+::)/,
  // Elixir
  /^\s*\(\w{1,50} [\w.-]{1,50}\)\s+\S{1,300}:\d+/,
  /^\s*\.\.\. \d+ (?:more|common frames)/,
]
const pythonFile = /^\s*File "/
const logPrefix =
  /^\s*(?:\[?\d{4}-\d\d-\d\d[T ][\d:.,]{5,15}(?:Z|[+-]\d\d:?\d\d)?\]?\s*)?(?:\[?(?:ERROR|FATAL|WARN|INFO|DEBUG)\]?[\s:]+)?/
const errorLine =
  /^(?:caused by|error|fatal|panic|uncaught|unhandled|exception)\b|\b[A-Z]\w{0,80}(?:Error|Exception|Warning|Failure|Fault)\b|\berror(?:\[\w+\])?:|\bpanicked at\b|\bnpm (?:ERR!|error)/i
const leastFrames = 2
const maxOwnChars = 600
const maxErrorChars = 400

/**
 * The question without the stack trace that was pasted into it: the words of the person, then the first and the last error, which is the cause. A text
 * without a trace is returned as it is.
 */
export function withoutTrace(question: string): string {
  const lines = question.split('\n')
  const kept = withoutFrames(lines)
  if (lines.length - kept.length < leastFrames) return question
  const told = kept.map((line) => line.replace(logPrefix, '').trim()).filter((line) => line !== '')
  const errors = told.filter((line) => errorLine.test(line))
  if (errors.length === 0) return told.join('\n')
  const own = told.filter((line) => !errorLine.test(line)).join('\n')
  const causes = [...new Set([errors[0], errors.at(-1)])].map((line) => (line ?? '').slice(0, maxErrorChars))
  return [own.slice(0, maxOwnChars), ...causes].filter((text) => text !== '').join('\n')
}

function withoutFrames(lines: string[]): string[] {
  let isSource = false
  return lines.filter((line) => {
    // Python shows the source of each frame below it.
    const isFrame = frames.some((frame) => frame.test(line)) || (isSource && /^\s/.test(line))
    isSource = isFrame && pythonFile.test(line)
    return !isFrame
  })
}
