import { hostOf, isThrowaway } from './hosts.ts'

const download = /\b(?:curl|wget|iwr|irm|invoke-webrequest|invoke-restmethod|fetch|lwp-download|aria2c)\b/i
const address = /https?:\/\/[^\s"'`)\]<>|;]+/gi
/** Matches what runs a text: a shell or an interpreter after a pipe, around a download, or PowerShell's iex. */
const runs =
  /\|\s*(?:sudo\s+(?:-\S+\s+)*)?(?:ba|z|da|k|fi)?sh\b|\|\s*(?:sudo\s+)?(?:python3?|node|perl|ruby|php|iex|invoke-expression|source)\b|\b(?:iex|eval|source)\s*[("'$ ]|\b(?:ba|z)?sh\s+(?:-c\s+["']?\$\(|<\()|\b(?:python3?|node|perl|ruby)\s+(?:-c|-e)\s+["']?\$\(|<\(\s*(?:curl|wget)/i
const decodes = /\bbase64\s+(?:-d|-D|--decode)\b|\bxxd\s+-r|\bopenssl\s+(?:enc|base64)\s+-d|frombase64string/i
/** Secrets of a machine as a part of a request. */
const secrets =
  /\$\((?:env|printenv|cat|whoami|hostname|id|base64)\b|@?(?:~|\$home)\/\.(?:ssh|aws|npmrc|netrc|config|kube|docker|gnupg)\b|\b(?:env|printenv)\s*\||@-|@?\.env\b|\$\{?(?:[a-z]+_)*(?:token|key|secret|password)\b|\/etc\/(?:passwd|shadow)\b/i
const sends =
  /\bcurl\b[^\n]*?\s(?:-d|-F|-T|--data(?:-\w+)?|--form|--upload-file|-X\s*POST)\b|\bnc\b\s|\bwget\b[^\n]*--post|\bcurl\b[^\n]*\?[^\s]*\$\(/i

/** Programs that reach other machines besides downloads, also by asking for the address of a name. */
const asks = /\b(?:nc|ncat|nslookup|dig|ping|telnet)\s/

const maxLine = 2_000

/** A command that runs what a strange host sends, or that sends secrets to one. Installation lines of known and own hosts are ordinary. */
export function findCommand(text: string, isOrdinary: (host: string) => boolean): { reason: string } | undefined {
  if (!download.test(text) && !decodes.test(text) && !asks.test(text)) return undefined
  for (const joined of text.replace(/\\\r?\n\s*/g, ' ').split('\n')) {
    const line = joined.slice(0, maxLine)
    const strange = [...line.matchAll(address)].map(([url]) => hostOf(url)).find((host) => !isOrdinary(host))
    if (decodes.test(line) && runs.test(line)) return { reason: 'a command decodes a text and runs it' }
    if (strange === undefined) {
      if (asks.test(line) && machineSecrets.test(line)) return { reason: 'a command sends secrets of the machine' }
      continue
    }
    if (download.test(line) && runs.test(line)) return { reason: `a command runs what ${strange} sends` }
    if (sends.test(line) && secrets.test(line) && (isThrowaway(strange) || machineSecrets.test(line)))
      return { reason: `a command sends secrets to ${strange}` }
  }
  return undefined
}

/** Files and variables that no request of an API needs. */
const machineSecrets =
  /\.ssh\b|\.aws\b|\b(?:env|printenv)\s*\||\$\((?:env|printenv|cat|base64)\b|\/etc\/(?:passwd|shadow)|@?\.env\b|\.npmrc|\.netrc/i
