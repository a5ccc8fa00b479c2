const maxBytes = 1_000_000

type Request = { method?: string; headers: Record<string, string>; body?: string; timeoutMs: number }
type Answer = { status: number; location: string | undefined; type: string; text: string }

/** Sends one request and follows no redirect. At most 1 MB of the response is read; the time limit includes its body. */
export async function fetchText(url: string, { timeoutMs, ...request }: Request): Promise<Answer> {
  const response = await fetch(url, { ...request, redirect: 'manual', signal: AbortSignal.timeout(timeoutMs) })
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of response.body ?? []) {
    chunks.push(chunk)
    bytes += chunk.length
    if (bytes > maxBytes) break
  }
  const { status, headers } = response
  const text = Buffer.concat(chunks).toString('utf8')
  return { status, location: headers.get('location') ?? undefined, type: headers.get('content-type') ?? '', text }
}
