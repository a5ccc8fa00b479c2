import { differentKeysMessage, keyHeaders } from '../shared/http/request-key.ts'

const headers = {
  'content-type': { value: 'application/json' },
  'cache-control': { value: 'private, no-store' },
  'access-control-allow-origin': { value: '*' },
}

/**
 * Code for the start of the Router's function. It moves the key of a request to Authorization, which is part of the cache key, because
 * CloudFront may share one response between requests with equal cache keys. CloudFront's JavaScript has no for-of and at most 10 kB.
 */
export const oneKey = `
const sent = event.request.headers, message = ${JSON.stringify(differentKeysMessage)}, names = ${JSON.stringify(keyHeaders)};
let apiKey = "";
for (let i = 0; i < names.length; i++) {
const header = sent[names[i]], values = header ? header.multiValue || [header] : [];
for (let j = 0; j < values.length; j++) {
const value = values[j].value.replace(/^\\s*(bearer(\\s|$)|(basic|digest|negotiate)\\s.*)/i, "").trim();
if (apiKey && value && value !== apiKey) return { statusCode: 400, headers: ${JSON.stringify(headers)}, body: { encoding: "text", data: JSON.stringify(
event.request.uri === "/mcp" ? { jsonrpc: "2.0", error: { code: -32000, message }, id: null } : { error: "validation_error", message }
) } };
apiKey = value || apiKey;
}
delete sent[names[i]];
}
if (apiKey) sent.authorization = { value: "Bearer " + apiKey };`
