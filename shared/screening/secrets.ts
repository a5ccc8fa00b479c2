/** A form of keys and tokens that their issuers have made recognizable. `prefix` stays when the rest is masked. */
type SecretForm = { name: string; pattern: RegExp; marks: string[] }

/**
 * The forms that GitHub's secret scanning and gitleaks (config/gitleaks.toml, 2026-10) agree on, without those that need a word next to them. Add
 * a form with a test of a key that its issuer has revoked or documents.
 */
const forms: SecretForm[] = [
  { name: 'GitHub token', marks: ['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_'], pattern: /\b(gh[pousr]_)([A-Za-z0-9]{36,255})\b/g },
  { name: 'GitHub token', marks: ['github_pat_'], pattern: /\b(github_pat_)(\w{82})\b/g },
  { name: 'GitLab token', marks: ['glpat-'], pattern: /\b(glpat-)([\w-]{20,200})/g },
  { name: 'AWS access key', marks: ['AKIA', 'ASIA'], pattern: /\b(AKIA|ASIA)([A-Z2-7]{16})\b/g },
  { name: 'Slack token', marks: ['xox'], pattern: /\b(xox[abeprs]-)(\d{8,14}-[\w-]{16,200})/g },
  {
    name: 'Slack webhook',
    marks: ['hooks.slack.com'],
    pattern: /(hooks\.slack\.com\/services\/)(T\w{8,12}\/B\w{8,12}\/\w{24})\b/g,
  },
  { name: 'Stripe key', marks: ['_live_'], pattern: /\b([rs]k_live_)([A-Za-z0-9]{24,200})\b/g },
  { name: 'OpenAI key', marks: ['T3BlbkFJ'], pattern: /\b(sk-(?:proj-|svcacct-|admin-)?)([\w-]{20,100}T3BlbkFJ[\w-]{20,100})/g },
  { name: 'Anthropic key', marks: ['sk-ant-'], pattern: /\b(sk-ant-(?:api|admin)\d\d-)([\w-]{80,120})/g },
  { name: 'Google API key', marks: ['AIza'], pattern: /\b(AIza)([\w-]{35})(?![\w-])/g },
  { name: 'npm token', marks: ['npm_'], pattern: /\b(npm_)([A-Za-z0-9]{36})\b/g },
  { name: 'PyPI token', marks: ['pypi-AgE'], pattern: /\b(pypi-AgE)([\w-]{50,250})/g },
  { name: 'SendGrid key', marks: ['SG.'], pattern: /\b(SG\.)([\w-]{22}\.[\w-]{43})/g },
  { name: 'Hugging Face token', marks: ['hf_'], pattern: /\b(hf_)([A-Za-z]{34})\b/g },
  { name: 'DigitalOcean token', marks: ['dop_v1_'], pattern: /\b(dop_v1_)([a-f0-9]{64})\b/g },
  { name: 'Shopify token', marks: ['shpat_', 'shpss_'], pattern: /\b(shp(?:at|ss)_)([a-fA-F0-9]{32})\b/g },
  { name: 'Databricks token', marks: ['dapi'], pattern: /\b(dapi)([a-f0-9]{32})\b/g },
  { name: 'Azure storage key', marks: ['AccountKey='], pattern: /(AccountKey=)([A-Za-z0-9+/]{86}==)/g },
  {
    name: 'private key',
    marks: ['PRIVATE KEY-----'],
    pattern: /(-----BEGIN (?:RSA |EC |OPENSSH |DSA |ENCRYPTED )?PRIVATE KEY-----)([A-Za-z0-9+/=\s\\n]{200,10000})(?=-----END)/g,
  },
]

const placeholder = /example|placeholder|sample|dummy|fake|your|redacted|secret|token|xxxx|\*\*\*|1234567|abcdefg|000000|\.\.\./i
const minDistinct = 10

/** Documentation shows keys that are none: words, runs and rows of the alphabet. */
function isPlaceholder(body: string): boolean {
  return placeholder.test(body) || new Set(body).size < minDistinct
}

/** The text with `[masked]` in the place of keys and tokens, and the names of their kinds. */
export function maskSecrets(text: string): { text: string; masked: string[] } {
  const masked: string[] = []
  let result = text
  for (const { name, pattern, marks } of forms) {
    if (!marks.some((mark) => text.includes(mark))) continue
    result = result.replace(pattern, (whole, prefix: string, body: string) => {
      if (isPlaceholder(body)) return whole
      masked.push(name)
      return `${prefix}[masked]`
    })
  }
  return { text: result, masked }
}
