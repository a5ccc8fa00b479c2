// The health check of the image, which has no curl. Its exit code is 0 if the server answers, else 1.
const { PORT = '3000' } = process.env
try {
  const { ok, status } = await fetch(`http://127.0.0.1:${PORT || '3000'}/api/health`, { signal: AbortSignal.timeout(4_000) })
  if (!ok) process.stderr.write(`the server answers ${status}\n`)
  process.exitCode = ok ? 0 : 1
} catch (error) {
  process.stderr.write(`the server does not answer: ${error.cause?.code ?? error.message}\n`)
  process.exitCode = 1
}
