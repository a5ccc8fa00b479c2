/** Hosts whose installation scripts are part of ordinary documentation. Subdomains are included. */
const knownHosts = new Set(
  `github.com githubusercontent.com github.io gitlab.com bitbucket.org codeberg.org npmjs.com npmjs.org pypi.org pythonhosted.org crates.io rubygems.org
  rustup.rs rust-lang.org docker.com docker.io helm.sh k8s.io k3s.io kubernetes.io python-poetry.org astral.sh deno.land deno.com bun.sh nodejs.org
  nodesource.com pnpm.io yarnpkg.com brew.sh fnm.vercel.app volta.sh nvm.sh getcomposer.org sdkman.io jdk.java.net apache.org maven.org gradle.org
  google.com googleapis.com dl.google.com cloud.google.com microsoft.com aka.ms visualstudio.com azure.com amazonaws.com aws.amazon.com hashicorp.com
  debian.org ubuntu.com launchpad.net fedoraproject.org redhat.com archlinux.org alpinelinux.org nixos.org determinate.systems chocolatey.org scoop.sh
  get.scoop.sh golang.org go.dev jetify.com jetpack.io fly.io heroku.com vercel.com netlify.com cloudflare.com supabase.com influxdata.com elastic.co
  grafana.com datadoghq.com tailscale.com opentelemetry.io starship.rs just.systems mise.run mise.jdx.dev asdf-vm.com cli.moonrepo.dev ollama.com
  anaconda.com conda.io micro.mamba.pm huggingface.co pytorch.org nvidia.com julialang.org haskell.org opam.ocaml.org elixir-lang.org hex.pm
  claude.ai anthropic.com openai.com cursor.com rclone.org pkgx.sh gnu.org kernel.org freedesktop.org postgresql.org mongodb.org mongodb.com redis.io
  shields.io jsdelivr.net unpkg.com`
    .split(/\s+/)
    .filter((host) => host !== ''),
)

/** Hosts at which anyone receives requests or publishes text without a trace. */
const throwaway =
  /(?:^|\.)(?:webhook\.site|requestbin\.(?:com|net)|requestcatcher\.com|pipedream\.net|ngrok(?:-free)?\.(?:io|app|dev)|trycloudflare\.com|loca\.lt|localtunnel\.me|serveo\.net|burpcollaborator\.net|oastify\.com|interact\.sh|oast\.\w+|pastebin\.com|paste\.ee|hastebin\.com|transfer\.sh|0x0\.st|termbin\.com|bit\.ly|tinyurl\.com|beeceptor\.com|hookb\.in)$/

export const isThrowaway = (host: string): boolean =>
  throwaway.test(host) || isNumeric(host) || host.startsWith('xn--') || host.includes('.xn--')

/** A public address without a name. */
function isNumeric(host: string): boolean {
  if (!/^\d{1,3}(?:\.\d{1,3}){3}$/.test(host)) return false
  return !/^(?:127|10|0|192\.168|172\.(?:1[6-9]|2\d|3[01])|192\.0\.2|198\.51\.100|203\.0\.113)\./.test(host)
}

/** Hosts for examples and for the machine itself. */
const isExample = (host: string): boolean =>
  !host.includes('.') ||
  /(?:^|\.)(?:localhost|example|test|invalid|local|internal|example\.(?:com|org|net|edu))$/.test(host) ||
  /^(?:127|10|192\.168|0)\./.test(host)

/** True if scripts of the host are ordinary documentation: a known host, an example, or one that is named like the project. */
export function isOrdinaryHost(host: string, ownNames: ReadonlySet<string>): boolean {
  if (isThrowaway(host)) return false
  if (isExample(host)) return true
  return (
    isKnownHost(host) ||
    host
      .split('.')
      .slice(0, -1)
      .some((label) => ownNames.has(label))
  )
}

export function isKnownHost(host: string): boolean {
  const labels = host.split('.')
  return labels.some((_, i) => knownHosts.has(labels.slice(i).join('.')))
}

/** The words of the owner, the repository and the host of an address, of which hosts of a project are named. */
export function ownNamesOf(url: string): ReadonlySet<string> {
  const names = new Set<string>()
  const [, host = '', path = ''] = /^https?:\/\/([^/?#]+)([^?#]*)/.exec(url.toLowerCase()) ?? []
  const inRepository = /^(?:www\.)?(?:github|gitlab|bitbucket|codeberg)\.\w+$/.test(host)
  for (const word of inRepository ? path.split('/').slice(1, 3) : host.split('.').slice(0, -1))
    for (const part of [word, word.replaceAll(/[^a-z0-9]/g, ''), ...word.split(/[^a-z0-9]+/)])
      if (part.length > 2 && !generic.has(part)) names.add(part)
  return names
}

const generic = new Set([
  'www',
  'com',
  'org',
  'net',
  'docs',
  'doc',
  'documentation',
  'website',
  'site',
  'get',
  'install',
  'api',
  'app',
  'web',
  'the',
  'dev',
])

export function hostOf(address: string): string {
  const [, host = ''] = /^(?:[a-z][a-z0-9+.-]*:)?\/\/(?:[^/?#@\s]*@)?([^/?#:\s]+)/i.exec(address) ?? []
  return host.toLowerCase().replace(/\.$/, '')
}
