import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import { AppError } from '../../shared/errors.ts'
import type { HookKind } from './hook.ts'

export type SignedRequest = {
  body: Uint8Array
  /** A header by its name in small letters. */
  header(name: string): string | undefined
}

/** The names by which a repeated delivery is recognised. */
export type ProvenRequest = { identities: string[] }

/** The maximum age of a signature with a time. */
const replayWindowMs = 5 * 60_000

/**
 * Checks who sent a request, over its raw body and in constant time. Throws invalid_api_key.
 * GitHub, Gitea and Bitbucket sign the body; GitLab sends its token or, with a signing token, signs as Standard Webhooks describes.
 */
export function checkSignature(kind: HookKind, secret: string, request: SignedRequest, now: Date): ProvenRequest {
  switch (kind) {
    case 'github':
      return checkBody(secret, request, request.header('x-hub-signature-256'), request.header('x-github-delivery'))
    case 'gitea': {
      const { header } = request
      const signature = header('x-forgejo-signature') ?? header('x-gitea-signature') ?? header('x-hub-signature-256')
      return checkBody(secret, request, signature, header('x-forgejo-delivery') ?? header('x-gitea-delivery'))
    }
    case 'bitbucket': {
      const delivery = request.header('x-request-uuid') ?? request.header('x-request-id')
      return checkBody(secret, request, request.header('x-hub-signature'), delivery)
    }
    case 'gitlab':
      return checkGitlab(secret, request, now)
    case 'generic':
      return checkGeneric(secret, request, now)
  }
}

/** The id of a delivery is not signed, so the body identifies it, too. */
function checkBody(
  secret: string,
  { body }: SignedRequest,
  signature: string | undefined,
  delivery: string | undefined,
): ProvenRequest {
  if (signature === undefined) throw unproven('The request has no signature. Set the secret of this webhook at its sender')
  const sent = signature.replace(/^sha256=/, '').toLowerCase()
  if (!isEqual(sent, hmac(secret, body).toString('hex'))) throw wrongSecret()
  return { identities: [...idOf(delivery), `body ${createHash('sha256').update(body).digest('base64url')}`] }
}

function checkGitlab(secret: string, { body, header }: SignedRequest, now: Date): ProvenRequest {
  const signatures = header('webhook-signature')
  const signingKey = /^whsec_(.+)$/.exec(secret)?.[1]
  if (signingKey === undefined && signatures === undefined) {
    const token = header('x-gitlab-token')
    if (token === undefined) throw unproven('The request has no token. Set the secret of this webhook as its secret token')
    if (!isEqual(token, secret)) throw wrongSecret()
    return { identities: idOf(header('idempotency-key') ?? header('x-gitlab-webhook-uuid')) }
  }
  const [id, time] = [header('webhook-id') ?? '', header('webhook-timestamp') ?? '']
  if (signatures === undefined || id === '' || time === '') throw unproven('The request has no signature')
  const key = signingKey === undefined ? secret : Buffer.from(signingKey, 'base64')
  const expected = `v1,${hmac(key, `${id}.${time}.`, body).toString('base64')}`
  if (!signatures.split(' ').some((each) => isEqual(each, expected))) throw wrongSecret()
  rejectOld(time, now)
  return { identities: idOf(id) }
}

function checkGeneric(secret: string, { body, header }: SignedRequest, now: Date): ProvenRequest {
  const [, time, sent] = /^t=(\d{1,12}),v1=([0-9a-f]{64})$/i.exec(header('x-carrel-signature') ?? '') ?? []
  if (time === undefined || sent === undefined)
    throw unproven('The header X-Carrel-Signature must be t=<seconds since 1970>,v1=<HMAC-SHA256 of "<t>.<body>" in hex>')
  const expected = hmac(secret, `${time}.`, body).toString('hex')
  if (!isEqual(sent.toLowerCase(), expected)) throw wrongSecret()
  rejectOld(time, now)
  return { identities: idOf(expected) }
}

function rejectOld(time: string, now: Date): void {
  if (Math.abs(now.getTime() - Number(time) * 1000) <= replayWindowMs) return
  throw unproven('The signature is older than 5 minutes, or the clocks differ. Sign each delivery when it is sent')
}

const maxIdChars = 200
const idOf = (id: string | undefined): string[] => (id === undefined || id === '' || id.length > maxIdChars ? [] : [`id ${id}`])

function hmac(secret: string | Uint8Array, ...parts: (string | Uint8Array)[]): Buffer {
  const digest = createHmac('sha256', secret)
  for (const part of parts) digest.update(part)
  return digest.digest()
}

/** Compares digests, so that the time depends neither on the content nor on the lengths. */
const isEqual = (a: string, b: string): boolean => timingSafeEqual(sha256(a), sha256(b))

const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest()

const unproven = (why: string) => new AppError('invalid_api_key', `${why}.`)
const wrongSecret = () => unproven('The signature or token does not match the secret of this webhook')
